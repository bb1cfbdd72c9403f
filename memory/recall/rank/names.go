package rank

import (
	"context"
	"database/sql"
	"slices"
	"strings"

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

// addNamed adds the memories whose title or alias is the question to the pool.
func (p *pool) addNamed(ctx context.Context, r *db.Reader) error {
	namesakes, err := findNamesakes(ctx, r, p.Asked)
	for _, one := range namesakes {
		c := p.byMemory[one.Memory]
		if c == nil {
			c = p.add(one)
		}
		c.Name, c.passes = max(c.Name, one.Name), true
	}
	return err
}

// findNamesakes returns the memories whose title or alias is the question. A part of a title
// may look like a filter (path:foo). Therefore a memory whose name is the whole text of the
// question need not pass the filters in the question.
func findNamesakes(ctx context.Context, r *db.Reader, a Asked) ([]*Candidate, error) {
	q, f := a.Question, a.Filter
	phrase, isPrefix := script.Query(q.Name)
	if phrase = "{title aliases} : " + phrase; isPrefix {
		phrase += " *"
	}
	isCommon := len(q.Rarest) == 0 || q.Rarest[0].Rows >= maxNameSections // too common to compare each title with it
	if f.Namespace == "" && isCommon || !q.MayBeName() {
		phrase = matchNothing
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

// findByName returns the memories that have a name at least as exactly as least. phrase is
// an FTS5 query that finds them by their words.
func findByName(ctx context.Context, r *db.Reader, name, phrase string, least int, f question.Filter) ([]*Candidate, error) {
	if name == "" || len(name) > maxNameBytes {
		return nil, nil
	}
	asked := spellingsOf(name)
	found, err := db.Select(ctx, r, func(row *sql.Rows) (*Candidate, error) {
		c, names := &Candidate{}, []string{}
		var title, aliases string
		if err := row.Scan(append(c.fields(), &title, &aliases)...); err != nil {
			return nil, err
		}
		err := db.ReadColumn(c.ID, "aliases", aliases, &names)
		for _, other := range append(names, title) {
			c.Name = max(c.Name, asked.compare(spellingsOf(other)))
		}
		return c, err
	}, selectNamed, f.Bind(script.Key(name), phrase, len(slices.Collect(lexicon.Words(script.CutName(name)))), maxNamed, db.List(f.Scope.Ranges))...)
	return slices.DeleteFunc(found, func(c *Candidate) bool { return c.Name < least }), err
}

// selectNamed reads at most ?12 memories that pass the filter and may have a name: those found by
// its script.Key ?1, and those found by the phrase ?10 in titles of ?11 tokens and in aliases.
var selectNamed = `
select` + candidateOf(question.FirstSection, "0.0", "true") + `,
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

// spellings are a name by which names are compared: as it is, in one case, and as words without accents.
type spellings [3]string

func spellingsOf(name string) spellings {
	plain := question.PlainName(name)
	return spellings{plain, script.FoldCase(plain), strings.Join(slices.Collect(lexicon.Words(script.Fold(plain))), " ")}
}

// compare returns how exactly two names are the same, NotNamed to exactName.
func (s spellings) compare(other spellings) int {
	for i, spelling := range s {
		if spelling == other[i] && spelling != "" {
			return exactName - i
		}
	}
	return NotNamed
}
