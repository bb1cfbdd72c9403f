package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// notes asks every note server every question about one vault. Which vault it
// is, the ids of the tables end in.
func (b *bench) notes(ctx context.Context, id, title string, texts []text, lay func(dir string) error) ([]table, error) {
	r := seeded()
	asked := make([]text, askedOf)
	for i := range asked {
		asked[i] = texts[r.IntN(len(texts))]
	}
	in := fmt.Sprintf(" (%s, %d notes)", title, len(texts))
	ready := table{ID: "ready-" + id, Title: "From a folder of notes to the first search answered" + in, Unit: "ms", Beside: []string{"when started again"},
		Note: "Hence imports the vault once and keeps what it has read; the others read the files at every question."}
	phrases := table{ID: "phrase-" + id, Title: "Searching for three words as they stand in a note" + in, Unit: "ms", Beside: []string{"p99", "found"}}
	asking := table{ID: "question-" + id, Title: "Searching for seven words of a note in no order" + in, Unit: "ms", Beside: []string{"p99", "found"}}
	opening := table{ID: "read-" + id, Title: "Reading one note" + in, Unit: "ms", Beside: []string{"p99"}}
	near := table{ID: "backlinks-" + id, Title: "The backlinks of one note" + in, Unit: "ms", Beside: []string{"p99"}}
	writing := table{ID: "create-" + id, Title: "Creating one note" + in, Unit: "ms", Beside: []string{"p99"},
		Note: "With Hence the answer comes when the note is in the store too: found, linked, and what pointed at it resolved."}
	resident := table{ID: "resident-" + id, Title: "Resident memory after all that" + in, Unit: "MB", Beside: []string{"highest"}}
	for _, peer := range b.noteServers() {
		b.say("notes, %s: %s", id, peer.name)
		dir := filepath.Join(b.scratch, "notes-"+id, peer.name)
		if err := lay(filepath.Join(dir, "vault")); err != nil {
			return nil, err
		}
		before := time.Now()
		if peer.prepare != nil {
			if err := peer.prepare(ctx, dir); err != nil {
				return nil, err
			}
		}
		_, server, err := startUp(ctx, peer, dir, 1)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", peer.name, err)
		}
		cold := time.Since(before)
		server.stop()
		again, server, err := startUp(ctx, peer, dir, 3)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", peer.name, err)
		}
		ready.Rows = append(ready.Rows, row{peer.name, cold.Seconds() * 1e3, []string{milliseconds(again.percentile(50))}})
		if err := askNotes(ctx, peer, server, asked, &phrases, &asking, &opening, &near, &writing, &resident); err != nil {
			return nil, fmt.Errorf("%s: %w", peer.name, err)
		}
	}
	return []table{ready, phrases, asking, opening, near, writing, resident}, nil
}

func askNotes(ctx context.Context, peer contender, server *running, asked []text, phrases, asking, opening, near, writing, resident *table) error {
	defer server.stop()
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
	var opens, around, stores []call
	for i, t := range asked {
		opens = append(opens, peer.open(t.name))
		if peer.neighbors != nil {
			around = append(around, peer.neighbors(t.name))
		}
		stores = append(stores, peer.store(fmt.Sprintf("written/Note %d.md", i), "# Written\n\n"+t.question(r)+"\n"))
	}
	if took, err = server.each(ctx, opens); err != nil {
		return err
	}
	opening.Rows = append(opening.Rows, measured(peer.name, took))
	if took, err = server.each(ctx, around); err != nil {
		return err
	}
	if len(took) == 0 {
		near.Rows = append(near.Rows, absent(peer.name, 1))
	} else {
		near.Rows = append(near.Rows, measured(peer.name, took))
	}
	if took, err = server.each(ctx, stores); err != nil {
		return err
	}
	writing.Rows = append(writing.Rows, measured(peer.name, took))
	now, highest, err := server.memory()
	if err != nil {
		return err
	}
	resident.Rows = append(resident.Rows, row{peer.name, megabytes(now), []string{fmt.Sprintf("%.0f MB", megabytes(highest))}})
	return nil
}

// copyVault copies the notes of a vault, and makes the folder by which
// Obsidian knows one.
func copyVault(from string) func(to string) error {
	return func(to string) error {
		if err := os.CopyFS(to, os.DirFS(from)); err != nil {
			return err
		}
		return makeFolder(filepath.Join(to, ".obsidian"))
	}
}

func makeFolder(dir string) error { return os.MkdirAll(dir, 0o755) }
