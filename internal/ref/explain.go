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

	"hence/internal/budget"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/lists"
	"hence/internal/prose"
	"hence/internal/script"
	"hence/internal/spelling"
)

const (
	maxExplained  = 5  // number of names of a call that get candidates or similar titles
	maxCandidates = 5  // number of candidates shown for an ambiguous name
	maxNear       = 3  // number of similar titles shown for an unknown name
	minPart       = 3  // characters of the shortest name that is searched for within titles
	maxFirstWords = 80 // bytes of a candidate's FirstWords
)

// Candidate is a memory that an ambiguous name may mean.
type Candidate struct {
	Named
	Kind       string `json:"kind"`
	Status     string `json:"status"`
	URI        string `json:"uri,omitempty"`
	CreatedAt  string `json:"created_at"`
	FirstWords string `json:"first_words,omitempty"` // beginning of its text, on one line
}

// String returns the candidate as one line, with its full id, because a short one may be
// ambiguous too.
func (c Candidate) String() string {
	date, _, _ := strings.Cut(c.CreatedAt, "T")
	details := []string{c.Kind}
	if c.Status != "current" {
		details = append(details, c.Status)
	}
	details = append(details, date)
	if c.URI != "" {
		details = append(details, c.URI)
	}
	text := fmt.Sprintf("%s is %q%s (%s)", c.ID, c.Title, c.Mark(), strings.Join(details, ", "))
	if c.FirstWords != "" {
		text += ": " + c.FirstWords
	}
	return text
}

// Explain returns the text of an error, with the candidates if it is for an ambiguous name.
func Explain(err error) string {
	text := err.Error()
	if known, ok := errors.AsType[*fault.Error](err); ok && len(Candidates(known)) > 0 {
		text += ": " + lists.Join(Candidates(known), "; ", Candidate.String)
	}
	return text
}

// Candidates returns the candidates in an error of Find, nil if it has none.
func Candidates(err *fault.Error) []Candidate {
	candidates, _ := err.Details["candidates"].([]Candidate)
	return candidates
}

// Near returns the similar titles in an error of Find, nil if it has none.
func Near(err *fault.Error) []string {
	titles, _ := err.Details["near"].([]string)
	return titles
}

func errAmbiguous(name string) *fault.Error {
	return fault.New(fault.Ambiguous, "%q is the name of several memories; name one by its id", quotable(name))
}

// explainAmbiguous returns the error for a name of several memories, with candidates.
func (c Caller) explainAmbiguous(ctx context.Context, r *db.Reader, name string, matches []Memory) (refusal, err error) {
	keys := []int64{}
	for _, m := range matches[:min(len(matches), maxCandidates)] {
		keys = append(keys, m.Key)
	}
	candidates, err := db.Select(ctx, r, func(row *sql.Rows) (c Candidate, err error) {
		var content string
		err = db.Scan(row, &c.Named, &c.Kind, &c.Status, &c.URI, &c.CreatedAt, &content)
		c.FirstWords, _ = budget.Cut(prose.OneLine(content), maxFirstWords)
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
	if err == nil {
		err = Mark(ctx, r, &candidates)
	}
	for i, c := range candidates {
		candidates[i].FirstWords = Fence(c.Trust, c.FirstWords)
	}
	if err != nil {
		return nil, err
	}
	return errAmbiguous(name).With("candidates", candidates), nil
}

func errNotFound(name string) *fault.Error {
	return fault.New(fault.NotFound, "no memory is called %q; search for it, or name it by its id", quotable(name))
}

// markTitles adds the marks of strangers' texts to titles of memories.
func markTitles(ctx context.Context, r *db.Reader, namespace string, titles []string) error {
	marks := map[string]string{}
	err := db.Fill(ctx, r, marks, `
select
  m.title,
  max(`+TrustOf("m")+`)
from json_each(?1) t
cross join memories m on m.title = t.value
where ?2 in ('', m.namespace)
group by m.title`, db.List(titles), namespace)
	for i, title := range titles {
		titles[i] += Named{Trust: marks[title]}.Mark()
	}
	return err
}

// quotable returns a name for an error message, cut to 80 characters.
func quotable(name string) string {
	const maxLength = 80
	name = strings.TrimSpace(name)
	if utf8.RuneCountInString(name) > maxLength {
		return string([]rune(name)[:maxLength]) + "…"
	}
	return name
}

// explainUnknown adds similar titles to the errors of unknown names. unknown has the indexes in
// results of each name.
func (c Caller) explainUnknown(ctx context.Context, r *db.Reader, results []Found, unknown map[string][]int) error {
	if len(unknown) == 0 {
		return nil
	}
	searches := make(map[string]*nearest, len(unknown))
	for key := range unknown {
		name := strings.TrimSpace(key)
		folded := script.Fold(name)
		searches[key] = &nearest{
			name: folded, letters: bagOf(folded), length: utf8.RuneCountInString(folded),
			ruler: spelling.NewRuler(folded), allowed: spelling.MaxMistakes(folded),
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
	for name, indexes := range unknown {
		titles := []string{}
		for _, similar := range searches[name].best {
			titles = append(titles, similar.title)
		}
		if len(titles) == 0 {
			continue
		}
		if err := markTitles(ctx, r, c.Namespace, titles); err != nil {
			return err
		}
		err := errNotFound(name)
		err.Message += "; near titles: " + strings.Join(titles, ", ")
		for _, i := range indexes {
			results[i].Err = err.With("near", titles)
		}
	}
	return nil
}

// nearest collects the titles that are most similar to a name: those with the fewest mistakes
// between them, at most half the name's length, and those that contain the name,
// perhaps misspelt.
type nearest struct {
	name    string // folded
	letters bag
	length  int // length of the name in characters
	ruler   *spelling.Ruler
	allowed int         // largest number of mistakes in a part of a title
	best    []nearTitle // the most similar first
}

type nearTitle struct {
	title    string
	rank     int // distance, or for a title that contains the name one more than the mistakes, if that is less
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

// compare returns how many letters the other text lacks, and how many more it has. Both are
// lower bounds of the edit distance; missing is also one for a part of the other text. With
// these bounds most titles need no exact distance.
func (b *bag) compare(other *bag) (missing, extra int) {
	for i := range b {
		missing += max(b[i]-other[i], 0)
		extra += max(other[i]-b[i], 0)
	}
	return missing, extra
}

// mistakesInPart returns the number of mistakes in the part of a title that is most similar to
// the name, and whether that is at most n.allowed.
func (n *nearest) mistakesInPart(folded string, missing int) (mistakes int, isPart bool) {
	switch {
	case n.length >= minPart && missing == 0 && strings.Contains(folded, n.name):
		return 0, true
	case n.allowed == 0 || missing > n.allowed:
		return 0, false
	}
	mistakes = n.ruler.DistanceWithin([]rune(folded))
	return mistakes, mistakes <= n.allowed
}

// offer adds a title to n.best if it is among the most similar so far. folded and letters are
// the folded title and its bag.
func (n *nearest) offer(title, folded string, letters *bag) {
	missing, extra := n.letters.compare(letters)
	mistakes, isPart := n.mistakesInPart(folded, missing)
	if lowerBound := max(missing, extra); !isPart && (2*lowerBound > n.length || len(n.best) == maxNear && lowerBound > n.best[maxNear-1].rank) {
		return
	}
	distance := n.ruler.Distance([]rune(folded))
	if !isPart && 2*distance > n.length {
		return
	}
	candidate := nearTitle{title, distance, distance}
	if isPart {
		candidate.rank = min(distance, mistakes+1)
	}
	index, isListed := slices.BinarySearchFunc(n.best, candidate, func(a, b nearTitle) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.distance, b.distance), cmp.Compare(a.title, b.title))
	})
	if isListed || index == maxNear {
		return
	}
	n.best = slices.Insert(n.best, index, candidate)
	n.best = n.best[:min(len(n.best), maxNear)]
}
