package recall

import (
	"context"
	"strings"
	"time"

	"hence/edges"
	"hence/internal/db"
	"hence/memory/recall/lexicon"
	"hence/memory/recall/question"
	"hence/memory/recall/rank"
	"hence/memory/recall/vectors"
)

// Blob and Code return a vector in the formats of the store.
var (
	Blob = vectors.Blob
	Code = vectors.Code
)

// Conducting returns the kinds of edges that have a conductance.
func Conducting() (kinds []edges.Kind) {
	for _, c := range rank.Conductances {
		kinds = append(kinds, c.Kind)
	}
	return kinds
}

// Irregular returns the forms of each irregular word.
func Irregular() (all [][]string) {
	for line := range strings.Lines(strings.TrimSpace(lexicon.Irregular)) {
		all = append(all, strings.Fields(line))
	}
	return all
}

// PeriodsOf returns the names of the periods that a question names.
func PeriodsOf(text string, now time.Time) (names []string) {
	for _, p := range question.PeriodsOf(text, now) {
		names = append(names, p.Name)
	}
	return names
}

// SetPatience changes how long storing a memory (brief) and a hybrid search (optional) wait for
// a vector.
func SetPatience(brief, optional time.Duration) (restore func()) {
	before, other := vectors.Brief, vectors.Optional
	vectors.Brief.Wait, vectors.Optional.Wait = brief, optional
	return func() { vectors.Brief, vectors.Optional = before, other }
}

// NearWords returns the words of the memories of a namespace that are spelled most similarly to
// a word.
func NearWords(ctx context.Context, d *db.DB, word, namespace string) (near []string, err error) {
	err = d.Read(ctx, func(r *db.Reader) error {
		near, err = question.NearWords(ctx, r, word, question.Filter{Namespace: namespace, Status: "current"})
		return err
	})
	return near, err
}

var (
	SelectAmong    = rank.SelectAmong
	SelectReaching = rank.SelectReaching
)
