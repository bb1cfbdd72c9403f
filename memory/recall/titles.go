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
	// maxCalled is how many memories of one name come first.
	maxCalled = 200
	// mostNamed is how many sections may have the rarest word of a question for titles
	// to be searched by their words.
	mostNamed = 30_000
	// longestName is the length in bytes of the longest question that may be a title.
	longestName = 1000
)

// How a memory is called what a question says.
const (
	notNamed  = iota
	sameWords // case, accents and the signs between words may differ
	sameName  // only case may differ
	exactName
)

// addNamed finds the memories whose title or alias the question is, adds them to the
// pool, and marks them.
func (p *pool) addNamed(ctx context.Context, r *db.Reader, q query, all []term, f filter) error {
	names, err := namesakes(ctx, r, q, all, f)
	for _, one := range names {
		c := p.at[one.memory]
		if c == nil {
			c = p.add(one.hit)
		}
		c.named, c.passes = max(c.named, one.named), true
	}
	return err
}

// namesake is a memory whose title or alias a question is, and how exactly.
type namesake struct {
	hit
	named int
}

// namesakes returns the memories whose title or alias the question is. What looks like a
// filter may be a part of a title: so a memory that is called what the question says as it
// stands need not pass the question's own filters.
func namesakes(ctx context.Context, r *db.Reader, q query, all []term, f filter) ([]namesake, error) {
	phrase, isPrefix := script.Query(q.name)
	if phrase = "{title aliases} : " + phrase; isPrefix {
		phrase += " *"
	}
	// The words of a short question may have been searched as a phrase that no section has.
	asPhrase, inARow := q.inARow()
	isNowhere := inARow && len(q.phrases) == 0 && len(all) < maxWords && !slices.ContainsFunc(all, func(t term) bool { return t.forms[0].text == asPhrase })
	if f.namespace == "" && (len(all) == 0 || all[0].rows >= mostNamed) || isNowhere {
		phrase = findsNothing // every word is too common to look at each title that has it
	}
	names, err := findByName(ctx, r, q.name, phrase, sameWords, f)
	if f.unasked == nil || err != nil {
		return names, err
	}
	asItStands, err := findByName(ctx, r, q.text, findsNothing, sameName, *f.unasked)
	return append(names, asItStands...), err
}

// findsNothing is a query of FTS5.
const findsNothing = `""`

// findByName returns the memories with a name, at least so exactly.
func findByName(ctx context.Context, r *db.Reader, name, phrase string, least int, f filter) (all []namesake, err error) {
	if name == "" || len(name) > longestName {
		return nil, nil
	}
	return all, db.Each(ctx, r, func(row *sql.Rows) error {
		var one namesake
		var title, aliases string
		if err := row.Scan(append(one.fields(), &title, &aliases)...); err != nil {
			return err
		}
		names := []string{}
		err := db.ReadColumn(one.id, "aliases", aliases, &names)
		for _, other := range append(names, title) {
			one.named = max(one.named, compareNames(name, other))
		}
		if one.named >= least {
			all = append(all, one)
		}
		return err
	}, selectNamed, f.bind(script.Key(name), phrase, len(slices.Collect(lexicon.Words(script.CutName(name)))), maxCalled, giveRanges(f.part.ranges))...)
}

// selectNamed reads the memories that pass and that may have a name: by its script.Key ?1,
// and by the phrase ?10 in aliases and in titles of as many tokens as ?11.
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

// compareNames says how exactly two names are the same.
func compareNames(a, b string) int {
	a, b = plainName(a), plainName(b)
	if a == b {
		return exactName
	}
	if script.FoldCase(a) == script.FoldCase(b) {
		return sameName
	}
	words, others := slices.Collect(lexicon.Words(script.Fold(a))), slices.Collect(lexicon.Words(script.Fold(b)))
	if len(words) > 0 && slices.Equal(words, others) {
		return sameWords
	}
	return notNamed
}

// plainName returns a name in one of the ways to write its characters, with single
// spaces.
func plainName(name string) string { return strings.Join(strings.Fields(norm.NFKC.String(name)), " ") }
