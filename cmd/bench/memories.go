package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"
)

// The sizes of the comparison. A slow server may be asked less often: see
// patience.
const (
	corpusSize = 10_000
	askedOf    = 100 // calls of each kind
	starts     = 10
)

// memories asks every memory server every question, each in a folder of its
// own, with 10,000 memories and 20,000 relations in it.
func (b *bench) memories(ctx context.Context) ([]table, error) {
	c := makeCorpus(corpusSize + askedOf)
	fresh := c.texts[corpusSize:] // stored one by one
	c = c.first(corpusSize)
	r := seeded()
	asked := make([]text, askedOf)
	for i := range asked {
		asked[i] = c.texts[r.IntN(corpusSize)]
	}
	bulk := table{ID: "bulk", Title: fmt.Sprintf("Storing %d memories and %d relations in bulk", len(c.texts), len(c.relations)), Unit: "s", Beside: []string{"how"}}
	begin := table{ID: "start", Title: "Start-up, until the first search is answered", Unit: "ms", Beside: []string{"p99"}}
	storing := table{ID: "store", Title: "Storing one memory and one relation, two calls", Unit: "ms", Beside: []string{"p99"}}
	opening := table{ID: "open", Title: "Opening one memory by its name", Unit: "ms", Beside: []string{"p99"}}
	near := table{ID: "neighbors", Title: "The neighbours of one memory", Unit: "ms", Beside: []string{"p99"}}
	phrases := table{ID: "phrase", Title: "Searching for three words as they stand in a memory", Unit: "ms", Beside: []string{"p99", "found"}}
	asking := table{ID: "question", Title: "Searching for seven words of a memory in no order", Unit: "ms", Beside: []string{"p99", "found"}}
	resident := table{ID: "resident", Title: "Resident memory after all that", Unit: "MB", Beside: []string{"highest"}}
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
		begin.Rows = append(begin.Rows, measured(peer.name, spent))
		if err := askMemories(ctx, peer, server, asked, fresh, &opening, &near, &phrases, &asking, &storing, &resident); err != nil {
			return nil, fmt.Errorf("%s: %w", peer.name, err)
		}
	}
	return []table{begin, storing, bulk, phrases, asking, opening, near, resident}, nil
}

// askMemories asks one server what does not need another one, reading before
// writing.
func askMemories(ctx context.Context, peer contender, server *running, asked, fresh []text, opening, near, phrases, asking, storing, resident *table) error {
	defer server.stop()
	var opens, around, stores []call
	for i, t := range asked {
		opens = append(opens, peer.open(t.name))
		around = append(around, peer.neighbors(t.name))
		stores = append(stores, peer.store(fresh[i].name, fresh[i].body), peer.relate(fresh[i].name, t.name))
	}
	took, err := server.each(ctx, opens)
	if err != nil {
		return err
	}
	opening.Rows = append(opening.Rows, measured(peer.name, took))
	if took, err = server.each(ctx, around); err != nil {
		return err
	}
	near.Rows = append(near.Rows, measured(peer.name, took))
	r := seeded()
	took, found, err := server.searched(ctx, peer, asked, func(t text) string { return t.phrase(r) })
	if err != nil {
		return err
	}
	phrases.Rows = append(phrases.Rows, measured(peer.name, took, share(found, len(took))))
	took, found, err = server.searched(ctx, peer, asked, func(t text) string { return t.question(r) })
	if err != nil {
		return err
	}
	asking.Rows = append(asking.Rows, measured(peer.name, took, share(found, len(took))))
	if took, err = server.each(ctx, stores); err != nil {
		return err
	}
	storing.Rows = append(storing.Rows, measured(peer.name, took.pairs()))
	now, highest, err := server.memory()
	if err != nil {
		return err
	}
	resident.Rows = append(resident.Rows, row{peer.name, megabytes(now), []string{fmt.Sprintf("%.0f MB", megabytes(highest))}})
	return nil
}

// pairs adds up each two times: two calls that belong together.
func (t times) pairs() (sums times) {
	for i := 0; i+1 < len(t); i += 2 {
		sums = append(sums, t[i]+t[i+1])
	}
	return sums
}

// fill stores a corpus in the fastest way that a server has, and says which.
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

// first returns the corpus of the first n texts.
func (c corpus) first(n int) corpus {
	less := corpus{texts: c.texts[:n]}
	for _, r := range c.relations {
		if r.from < n && r.to < n {
			less.relations = append(less.relations, r)
		}
	}
	return less
}
