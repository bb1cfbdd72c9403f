package ref

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"

	"hence/internal/budget"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/script"
	"hence/internal/spelling"
)

const (
	maxExplained  = 5  // names of a call that get candidates or near titles
	maxCandidates = 5  // shown for an ambiguous name
	maxNear       = 3  // near titles shown for an unknown name
	leastPart     = 3  // characters of a name that is looked for within titles
	firstWords    = 80 // bytes of a candidate's text
)

// Candidate is a memory that an ambiguous name may mean.
type Candidate struct {
	Named
	Kind       string `json:"kind"`
	Status     string `json:"status"`
	URI        string `json:"uri,omitempty"`
	CreatedAt  string `json:"created_at"`
	FirstWords string `json:"first_words,omitempty"` // of its text, on one line
}

// String shows a candidate on one line, with its full id, because a short one may be
// ambiguous.
func (c Candidate) String() string {
	date, _, _ := strings.Cut(c.CreatedAt, "T")
	said := []string{c.Kind}
	if c.Status != "current" {
		said = append(said, c.Status)
	}
	said = append(said, date)
	if c.URI != "" {
		said = append(said, c.URI)
	}
	text := fmt.Sprintf("%s is %q (%s)", c.ID, c.Title, strings.Join(said, ", "))
	if c.FirstWords != "" {
		text += ": " + c.FirstWords
	}
	return text
}

// Explain returns an error's text, with the candidates of an ambiguous name.
func Explain(err error) string {
	text := err.Error()
	var known *fault.Error
	if !errors.As(err, &known) {
		return text
	}
	candidates := []string{}
	for _, c := range Candidates(known) {
		candidates = append(candidates, c.String())
	}
	if len(candidates) == 0 {
		return text
	}
	return text + ": " + strings.Join(candidates, "; ")
}

// Candidates returns the candidates of an error of Find; nil if it has none.
func Candidates(err *fault.Error) []Candidate {
	candidates, _ := err.Details["candidates"].([]Candidate)
	return candidates
}

// Near returns the near titles of an error of Find; nil if it has none.
func Near(err *fault.Error) []string {
	near, _ := err.Details["near"].([]string)
	return near
}

func errAmbiguous(name string) *fault.Error {
	return fault.New(fault.Ambiguous, "%q is the name of several memories; name one by its id", quotable(name))
}

// ambiguous returns the error for a name of several memories, with candidates.
func (c Caller) ambiguous(ctx context.Context, r *db.Reader, name string, matches []Memory) (refusal, err error) {
	keys := []int64{}
	for _, m := range matches[:min(len(matches), maxCandidates)] {
		keys = append(keys, m.Key)
	}
	candidates, err := db.Select(ctx, r, func(row *sql.Rows) (c Candidate, err error) {
		var content string
		err = db.Scan(row, &c.Named, &c.Kind, &c.Status, &c.URI, &c.CreatedAt, &content)
		c.FirstWords, _ = budget.Cut(strings.Join(strings.Fields(content), " "), firstWords)
		return c, err
	}, `
select
  m.id,
  m.title,
  m.kind,
  m.status,
  coalesce(m.uri, ''),
  m.created_at,
  substr(m.content, 1, 1000)
from json_each(?) c
cross join memories m on m.key = c.value
order by c.key`, db.List(keys))
	if err != nil {
		return nil, err
	}
	return errAmbiguous(name).With("candidates", candidates), nil
}

func errNotFound(name string) *fault.Error {
	return fault.New(fault.NotFound, "no memory is called %q; search for it, or name it by its id", quotable(name))
}

// quotable returns a name as an error quotes it; a long one is cut.
func quotable(name string) string {
	const longest = 80
	name = strings.TrimSpace(name)
	if utf8.RuneCountInString(name) > longest {
		return string([]rune(name)[:longest]) + "…"
	}
	return name
}

// explainUnknown adds near titles to the errors of unknown names. unknown maps each
// to its places in all.
func (c Caller) explainUnknown(ctx context.Context, r *db.Reader, all []Found, unknown map[string][]int) error {
	if len(unknown) == 0 {
		return nil
	}
	searches := make(map[string]*nearest, len(unknown))
	for key := range unknown {
		name := strings.TrimSpace(key)
		wanted := script.Fold(name)
		searches[key] = &nearest{
			wanted: wanted, letters: bagOf(wanted), length: utf8.RuneCountInString(wanted),
			ruler: spelling.NewRuler(wanted), allowed: spelling.MaxMistakes(wanted),
		}
	}
	if err := db.Each(ctx, r, func(row *sql.Rows) error {
		var title string
		err := row.Scan(&title)
		folded := script.Fold(title)
		letters := bagOf(folded)
		for _, n := range searches {
			n.offer(title, folded, &letters)
		}
		return err
	}, `
select title
from memories
where status <> 'forgotten'
  and ?1 in ('', namespace)`, c.Namespace); err != nil {
		return err
	}
	for name, places := range unknown {
		titles := []string{}
		for _, near := range searches[name].best {
			titles = append(titles, near.title)
		}
		if len(titles) == 0 {
			continue
		}
		err := errNotFound(name)
		err.Message += "; near titles: " + strings.Join(titles, ", ")
		for _, i := range places {
			all[i].Err = err.With("near", titles)
		}
	}
	return nil
}

// nearest collects the titles that are nearest to a name: those with the smallest edit
// distance (Levenshtein), at most half the name's length, and those with a part that is
// the name, perhaps misspelt.
type nearest struct {
	wanted  string // folded
	letters bag
	length  int // in characters
	ruler   *spelling.Ruler
	allowed int         // mistakes in a part
	best    []nearTitle // the nearest first
}

type nearTitle struct {
	title    string
	rank     int // distance, or one more than the mistakes in a part
	distance int
}

// bag counts the letters of a text by their code modulo 64.
type bag [64]int

func bagOf(text string) (b bag) {
	for _, letter := range text {
		b[letter%rune(len(b))]++
	}
	return b
}

// distance is a lower bound of the edit distance: few, the letters that the other text
// has too few of, or many, those that it has too many of. few is also one for a part of
// the other text. Most titles need no exact distance then.
func (b *bag) distance(other *bag) (few, many int) {
	for i := range b {
		few += max(b[i]-other[i], 0)
		many += max(other[i]-b[i], 0)
	}
	return few, many
}

// mistakesInPart counts the mistakes in the part of a title that is nearest to the name,
// and reports whether they are few enough.
func (n *nearest) mistakesInPart(folded string, few int) (mistakes int, isPart bool) {
	switch {
	case n.length >= leastPart && few == 0 && strings.Contains(folded, n.wanted):
		return 0, true
	case n.allowed == 0 || few > n.allowed:
		return 0, false
	}
	mistakes = n.ruler.DistanceWithin([]rune(folded))
	return mistakes, mistakes <= n.allowed
}

// offer adds a title, given folded and as a bag too, if it is among the
// nearest so far.
func (n *nearest) offer(title, folded string, letters *bag) {
	few, many := n.letters.distance(letters)
	mistakes, isPart := n.mistakesInPart(folded, few)
	if least := max(few, many); !isPart && (2*least > n.length || len(n.best) == maxNear && least > n.best[maxNear-1].rank) {
		return
	}
	distance := levenshtein.ComputeDistance(n.wanted, folded)
	if !isPart && 2*distance > n.length {
		return
	}
	candidate := nearTitle{title, distance, distance}
	if isPart {
		candidate.rank = min(distance, mistakes+1)
	}
	at, known := slices.BinarySearchFunc(n.best, candidate, func(a, b nearTitle) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.distance, b.distance), cmp.Compare(a.title, b.title))
	})
	if known || at == maxNear {
		return
	}
	n.best = slices.Insert(n.best, at, candidate)
	n.best = n.best[:min(len(n.best), maxNear)]
}
