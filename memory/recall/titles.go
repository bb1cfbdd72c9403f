package recall

import (
	"context"
	"database/sql"
	"slices"
	"strings"

	"hence/memory/recall/lexicon"

	"golang.org/x/text/unicode/norm"

	"hence/internal/db"
	"hence/internal/ref"
	"hence/internal/script"
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
	notNamed  = iota
	sameWords // case, accents and the punctuation between words may differ
	sameName  // only case may differ
	exactName
)

// addNamed adds the memories whose title or alias is the question to the pool, and sets their
// nameMatch.
func (p *pool) addNamed(ctx context.Context, r *db.Reader, q query, all []term, f filter) error {
	names, err := findNamesakes(ctx, r, q, all, f)
	for _, one := range names {
		c := p.byMemory[one.memory]
		if c == nil {
			c = p.add(one.hit)
		}
		c.nameMatch, c.passes = max(c.nameMatch, one.nameMatch), true
	}
	return err
}

// namesake is a memory whose title or alias is the question.
type namesake struct {
	hit
	nameMatch int // sameWords to exactName
}

// findNamesakes returns the memories whose title or alias is the question. A part of a title
// may look like a filter (path:foo). Therefore a memory whose name is the whole text of the
// question need not pass the filters in the question.
func findNamesakes(ctx context.Context, r *db.Reader, q query, terms []term, f filter) ([]namesake, error) {
	phrase, isPrefix := script.Query(q.name)
	if phrase = "{title aliases} : " + phrase; isPrefix {
		phrase += " *"
	}
	// If the words of a short question were searched as a phrase and no section has it, no title
	// can be the question.
	asPhrase, isSearched := q.wholePhrase()
	nothingMatches := isSearched && len(q.phrases) == 0 && len(terms) < maxWords && !slices.ContainsFunc(terms, func(t term) bool { return t.forms[0].text == asPhrase })
	if f.namespace == "" && (len(terms) == 0 || terms[0].rows >= maxNameSections) || nothingMatches {
		phrase = matchNothing // every word is too common to compare each title with it
	}
	names, err := findByName(ctx, r, q.name, phrase, sameWords, f)
	if f.unasked == nil || err != nil {
		return names, err
	}
	byFullText, err := findByName(ctx, r, q.text, matchNothing, sameName, *f.unasked)
	return append(names, byFullText...), err
}

// matchNothing is an FTS5 query without a word.
const matchNothing = `""`

// findByName returns the memories that have a name at least as exactly as minMatch. phrase is
// an FTS5 query that finds them by their words.
func findByName(ctx context.Context, r *db.Reader, name, phrase string, minMatch int, f filter) (namesakes []namesake, err error) {
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
		err := db.ReadColumn(n.id, "aliases", aliases, &names)
		for _, other := range append(names, title) {
			n.nameMatch = max(n.nameMatch, compareNames(name, other))
		}
		if n.nameMatch >= minMatch {
			namesakes = append(namesakes, n)
		}
		return err
	}, selectNamed, f.bind(script.Key(name), phrase, len(slices.Collect(lexicon.Words(script.CutName(name)))), maxNamed, db.List(f.part.ranges))...)
	return namesakes, err
}

// selectNamed reads at most ?12 memories that pass the filter and may have a name: those found by
// its script.Key ?1, and those found by the phrase ?10 in titles of ?11 tokens and in aliases.
var selectNamed = `
select
  m.key,
  ` + firstSection + `,
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
` + sectionsIn("?13", "?10") + `
  cross join sections s on s.key = section_search.rowid
  where (tokens_of(section_search, 0) = ?11 or tokens_of(section_search, 2) >= ?11)
) n
cross join memories m on m.key = n.key
where ` + passes + `
limit ?12`

// compareNames returns how exactly two names are the same, notNamed to exactName.
func compareNames(a, b string) int {
	a, b = plainName(a), plainName(b)
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
	return notNamed
}

// plainName returns a name in Unicode normalization form NFKC, with single spaces.
func plainName(name string) string { return strings.Join(strings.Fields(norm.NFKC.String(name)), " ") }
