package main

import (
	"context"
	"fmt"
)

// The sizes of the comparison. A slow server may be asked less often: see
// patience.
const (
	corpusSize = 10_000
	askedOf    = 100 // calls of each kind
	starts     = 10
)

// questions are the tables of what every server of a comparison is asked.
type questions struct {
	phrases, words, opening, near, writing, resident table
}

// newQuestions returns empty tables. Their ids end in suffix, their titles in a
// description of what is asked about.
func newQuestions(what, suffix, description string) *questions {
	q := &questions{
		phrases:  table{ID: "phrase" + suffix, Title: "Searching for three words as they stand in a " + what, Beside: []string{"p99", "found"}},
		words:    table{ID: "question" + suffix, Title: "Searching for seven words of a " + what + " in no order", Beside: []string{"p99", "found"}},
		opening:  table{Beside: []string{"p99"}},
		near:     table{Beside: []string{"p99"}},
		writing:  table{Beside: []string{"p99"}},
		resident: table{ID: "resident" + suffix, Title: "Resident memory after all that", Beside: []string{"highest"}},
	}
	for _, t := range q.tables() {
		t.Unit = "ms"
		t.Title += description
	}
	q.resident.Unit = "MB"
	return q
}

func (q *questions) tables() []*table {
	return []*table{&q.phrases, &q.words, &q.opening, &q.near, &q.writing, &q.resident}
}

// ask asks one server, reading before writing, and stops it. writes returns the
// calls of one write.
func (q *questions) ask(ctx context.Context, peer contender, server *running, asked []text, writes func(i int, t text) []call) error {
	defer server.stop()
	r := seeded()
	took, found, err := server.search(ctx, peer, asked, func(t text) string { return t.phrase(r) })
	if err != nil {
		return err
	}
	q.phrases.Rows = append(q.phrases.Rows, timesRow(peer.name, took, share(found, len(took))))
	took, found, err = server.search(ctx, peer, asked, func(t text) string { return t.question(r) })
	if err != nil {
		return err
	}
	q.words.Rows = append(q.words.Rows, timesRow(peer.name, took, share(found, len(took))))
	var opens, neighbors, stores []call
	together := 1
	for i, t := range asked {
		opens = append(opens, peer.open(t.name))
		if peer.neighbors != nil {
			neighbors = append(neighbors, peer.neighbors(t.name))
		}
		calls := writes(i, t)
		together = len(calls)
		stores = append(stores, calls...)
	}
	if took, err = server.each(ctx, opens); err != nil {
		return err
	}
	q.opening.Rows = append(q.opening.Rows, timesRow(peer.name, took))
	if took, err = server.each(ctx, neighbors); err != nil {
		return err
	}
	q.near.Rows = append(q.near.Rows, timesRow(peer.name, took))
	if took, err = server.each(ctx, stores); err != nil {
		return err
	}
	q.writing.Rows = append(q.writing.Rows, timesRow(peer.name, took.sums(together)))
	now, highest, err := server.memory()
	if err != nil {
		return err
	}
	q.resident.Rows = append(q.resident.Rows, row{peer.name, megabytes(now), []string{fmt.Sprintf("%.0f MB", megabytes(highest))}})
	return nil
}

// sums adds up the times of n calls that belong together.
func (t times) sums(n int) (sums times) {
	for ; len(t) >= n; t = t[n:] {
		sums = append(sums, t[:n].spent())
	}
	return sums
}
