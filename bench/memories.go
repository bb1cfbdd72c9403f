package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"
)

// memories asks every memory server every question, each in its own folder, with
// 10,000 memories and 20,000 relations in it.
func (b *bench) memories(ctx context.Context) ([]table, error) {
	c := makeCorpus(corpusSize + callsPerKind)
	fresh := c.texts[corpusSize:] // stored one by one
	c = c.first(corpusSize)
	r := seeded()
	asked := make([]text, callsPerKind)
	for i := range asked {
		asked[i] = c.texts[r.IntN(corpusSize)]
	}
	bulk := table{ID: "bulk", Title: fmt.Sprintf("Storing %d memories and %d relations in bulk", len(c.texts), len(c.relations)), Unit: "s", Beside: []string{"how"}}
	begin := table{ID: "start", Title: "Start-up, until the first search is answered", Unit: "ms", Beside: []string{"p99"}}
	q := newQuestions("memory", "", "")
	q.opening.ID, q.opening.Title = "open", "Opening one memory by its name"
	q.near.ID, q.near.Title = "neighbors", "The neighbours of one memory"
	q.writing.ID, q.writing.Title = "store", "Storing one memory and one relation, two calls"
	for _, peer := range b.memoryServers() {
		b.say("memories: %s", peer.name)
		dir := filepath.Join(b.scratch, "memories", peer.name)
		took, how, err := b.fill(ctx, peer, c, dir)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", peer.name, err)
		}
		bulk.Rows = append(bulk.Rows, row{peer.name, took.Seconds(), []string{how}})
		spent, server, err := startUp(ctx, peer, dir, starts)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", peer.name, err)
		}
		begin.Rows = append(begin.Rows, timesRow(peer.name, spent))
		err = q.ask(ctx, peer, server, asked, func(i int, t text) []call {
			return []call{peer.store(fresh[i].name, fresh[i].body), peer.relate(fresh[i].name, t.name)}
		})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", peer.name, err)
		}
	}
	return []table{begin, bulk, q.phrases, q.words, q.opening, q.near, q.writing, q.resident}, nil
}

// fill stores a corpus in the fastest way that a server offers. It returns the time and the
// name of that way.
func (b *bench) fill(ctx context.Context, peer contender, c corpus, dir string) (time.Duration, string, error) {
	if err := makeFolder(dir); err != nil {
		return 0, "", err
	}
	if peer.bulk == nil {
		lines := filepath.Join(dir, "corpus.jsonl")
		if err := c.writeLines(lines); err != nil {
			return 0, "", err
		}
		before := time.Now()
		err := b.run(ctx, "import", lines, "--db", filepath.Join(dir, "hence.db"))
		return time.Since(before), "hence import FILE", err
	}
	server, err := start(ctx, peer.command(dir))
	if err != nil {
		return 0, "", err
	}
	defer server.stop()
	calls := peer.bulk(c)
	total := time.Duration(0)
	for _, c := range calls {
		_, took, err := server.ask(ctx, c)
		if err != nil {
			return 0, "", err
		}
		total += took
	}
	return total, fmt.Sprintf("%d calls", len(calls)), nil
}

// first returns the first n texts of the corpus and their relations.
func (c corpus) first(n int) corpus {
	less := corpus{texts: c.texts[:n]}
	for _, r := range c.relations {
		if r.from < n && r.to < n {
			less.relations = append(less.relations, r)
		}
	}
	return less
}
