package rank

import (
	"context"
	"database/sql"
	"slices"

	"hence/internal/db"
	"hence/internal/ref"
	"hence/internal/script"
	"hence/memory/recall/lexicon"
	"hence/memory/recall/question"
)

const (
	// maxNamed is the most memories with the same name that come first.
	maxNamed = 200
	// maxNameSections is the number of sections with the rarest word of a question from
	// which on titles are not searched by their words.
	maxNameSections = 30_000
	// maxNameBytes is the length of the longest question that may be a title.
	maxNameBytes = 1000
)

// These numbers say how exactly a question is the title or an alias of a memory.
const (
	NotNamed  = iota
	sameWords // case, accents and the punctuation between words may differ
	sameName  // only case may differ
	exactName
)

// addNamed adds the memories whose title or alias is the question to the pool, and sets their
// nameMatch.
func (p *pool) addNamed(ctx context.Context, r *db.Reader, q question.Query, all []question.Term, f question.Filter) error {
	names, err := findNamesakes(ctx, r, q, all, f)
	for _, one := range names {
		c := p.byMemory[one.Memory]
		if c == nil {
			c = p.add(one.Hit)
		}
		c.NameMatch, c.passes = max(c.NameMatch, one.nameMatch), true
	}
	return err
}

// namesake is a memory whose title or alias is the question.
type namesake struct {
	Hit
	nameMatch int // sameWords to exactName
}

// findNamesakes returns the memories whose title or alias is the question. A part of a title
// may look like a filter (path:foo). Therefore a memory whose name is the whole text of the
// question need not pass the filters in the question.
func findNamesakes(ctx context.Context, r *db.Reader, q question.Query, terms []question.Term, f question.Filter) ([]namesake, error) {
	phrase, isPrefix := script.Query(q.Name)
	if phrase = "{title aliases} : " + phrase; isPrefix {
		phrase += " *"
	}
	// If the words of a short question were searched as a phrase and no section has it, no title
	// can be the question.
	asPhrase, isSearched := q.WholePhrase()
	nothingMatches := isSearched && len(q.Phrases) == 0 && len(terms) < question.MaxWords && !slices.ContainsFunc(terms, func(t question.Term) bool { return t.Forms[0].Text == asPhrase })
	if f.Namespace == "" && (len(terms) == 0 || terms[0].Rows >= maxNameSections) || nothingMatches {
		phrase = matchNothing // every word is too common to compare each title with it
	}
	names, err := findByName(ctx, r, q.Name, phrase, sameWords, f)
	if f.Unasked == nil || err != nil {
		return names, err
	}
	byFullText, err := findByName(ctx, r, q.Text, matchNothing, sameName, *f.Unasked)
	return append(names, byFullText...), err
}

// matchNothing is an FTS5 query without a word.
const matchNothing = `""`

// findByName returns the memories that have a name at least as exactly as minMatch. phrase is
// an FTS5 query that finds them by their words.
func findByName(ctx context.Context, r *db.Reader, name, phrase string, minMatch int, f question.Filter) (namesakes []namesake, err error) {
	if name == "" || len(name) > maxNameBytes {
		return nil, nil
	}
	err = db.Each(ctx, r, func(row *sql.Rows) error {
		var n namesake
		var title, aliases string
		if err := row.Scan(append(n.fields(), &title, &aliases)...); err != nil {
			return err
		}
		names := []string{}
		err := db.ReadColumn(n.Id, "aliases", aliases, &names)
		for _, other := range append(names, title) {
			n.nameMatch = max(n.nameMatch, compareNames(name, other))
		}
		if n.nameMatch >= minMatch {
			namesakes = append(namesakes, n)
		}
		return err
	}, selectNamed, f.Bind(script.Key(name), phrase, len(slices.Collect(lexicon.Words(script.CutName(name)))), maxNamed, db.List(f.Part.Ranges))...)
	return namesakes, err
}

// selectNamed reads at most ?12 memories that pass the filter and may have a name: those found by
// its script.Key ?1, and those found by the phrase ?10 in titles of ?11 tokens and in aliases.
var selectNamed = `
select
  m.key,
  ` + question.FirstSection + `,
  m.id,
  octet_length(m.content),
  0.0,
  true,
  m.title,
  m.aliases
from (
` + ref.KeysByTitle("?1") + `
  union
  select s.memory
` + question.SectionsIn("?13", "?10") + `
  cross join sections s on s.key = section_search.rowid
  where (tokens_of(section_search, 0) = ?11 or tokens_of(section_search, 2) >= ?11)
) n
cross join memories m on m.key = n.key
where ` + question.Passes + `
limit ?12`

// compareNames returns how exactly two names are the same, notNamed to exactName.
func compareNames(a, b string) int {
	a, b = question.PlainName(a), question.PlainName(b)
	if a == b {
		return exactName
	}
	if script.FoldCase(a) == script.FoldCase(b) {
		return sameName
	}
	words, otherWords := slices.Collect(lexicon.Words(script.Fold(a))), slices.Collect(lexicon.Words(script.Fold(b)))
	if len(words) > 0 && slices.Equal(words, otherWords) {
		return sameWords
	}
	return NotNamed
}
