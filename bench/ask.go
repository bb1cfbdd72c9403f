package main

import (
	"context"
	"fmt"
)

// The sizes of the comparison. A slow server may be asked less often: see
// patience.
const (
	corpusSize   = 10_000
	callsPerKind = 100 // calls of each kind
	starts       = 10
)

// questions are the tables of a comparison, one for each kind of call.
type questions struct {
	phrases, words, opening, near, writing, resident table
}

// newQuestions returns empty tables. Their ids end in suffix, their titles in description.
// what is the word for one text of the corpus.
func newQuestions(what, suffix, description string) *questions {
	q := &questions{
		phrases:  table{ID: "phrase" + suffix, Title: "Searching for three words as they stand in a " + what, Beside: []string{"p99", "found"}},
		words:    table{ID: "question" + suffix, Title: "Searching for seven words of a " + what + " in no order", Beside: []string{"p99", "found"}},
		opening:  table{Beside: []string{"p99"}},
		near:     table{Beside: []string{"p99"}},
		writing:  table{Beside: []string{"p99"}},
		resident: table{ID: "resident" + suffix, Title: "Resident memory after all that", Beside: []string{"highest"}},
	}
	for _, t := range []*table{&q.phrases, &q.words, &q.opening, &q.near, &q.writing, &q.resident} {
		t.Unit = "ms"
		t.Title += description
	}
	q.resident.Unit = "MB"
	return q
}

// ask calls one server, reading before writing, adds its rows and stops it. writes returns
// the calls of one write.
func (q *questions) ask(ctx context.Context, peer contender, server *running, asked []text, writes func(i int, t text) []call) error {
	defer server.stop()
	r := seeded()
	took, hits, err := server.search(ctx, peer, asked, func(t text) string { return t.phrase(r) })
	if err != nil {
		return err
	}
	q.phrases.Rows = append(q.phrases.Rows, timesRow(peer.name, took, share(hits, len(took))))
	took, hits, err = server.search(ctx, peer, asked, func(t text) string { return t.question(r) })
	if err != nil {
		return err
	}
	q.words.Rows = append(q.words.Rows, timesRow(peer.name, took, share(hits, len(took))))
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
	for _, kind := range []struct {
		result   *table
		calls    []call
		together int // calls that belong together
	}{{&q.opening, opens, 1}, {&q.near, neighbors, 1}, {&q.writing, stores, together}} {
		took, err := server.each(ctx, kind.calls)
		if err != nil {
			return err
		}
		sums := times{}
		for n := kind.together; len(took) >= n; took = took[n:] {
			sums = append(sums, took[:n].spent())
		}
		kind.result.Rows = append(kind.result.Rows, timesRow(peer.name, sums))
	}
	now, highest, err := server.memory()
	if err != nil {
		return err
	}
	q.resident.Rows = append(q.resident.Rows, row{peer.name, megabytes(now), []string{fmt.Sprintf("%.0f MB", megabytes(highest))}})
	return nil
}
