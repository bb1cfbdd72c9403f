package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// notes asks every note server every question about one vault. The ids of the
// tables end in id. lay copies the vault to a folder.
func (b *bench) notes(ctx context.Context, id, title string, texts []text, lay func(dir string) error) ([]table, error) {
	r := seeded()
	asked := make([]text, callsPerKind)
	for i := range asked {
		asked[i] = texts[r.IntN(len(texts))]
	}
	in := fmt.Sprintf(" (%s, %d notes)", title, len(texts))
	ready := table{ID: "ready-" + id, Title: "From a folder of notes to the first search answered" + in, Unit: "ms", Beside: []string{"when started again"},
		Note: "Hence imports the vault once and keeps what it has read; the others read the files at every question."}
	q := newQuestions("note", "-"+id, in)
	q.opening.ID, q.opening.Title = "read-"+id, "Reading one note"+in
	q.near.ID, q.near.Title = "backlinks-"+id, "The backlinks of one note"+in
	q.writing.ID, q.writing.Title = "create-"+id, "Creating one note"+in
	q.writing.Note = "With Hence the answer comes when the note is in the store too: found, linked, and what pointed at it resolved."
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
		err = q.ask(ctx, peer, server, asked, func(i int, t text) []call {
			return []call{peer.store(fmt.Sprintf("written/Note %d.md", i), "# Written\n\n"+t.question(r)+"\n")}
		})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", peer.name, err)
		}
	}
	return []table{ready, q.phrases, q.words, q.opening, q.near, q.writing, q.resident}, nil
}

// copyVault copies the notes of a vault, and adds the folder that marks a vault of
// Obsidian.
func copyVault(from string) func(to string) error {
	return func(to string) error {
		if err := os.CopyFS(to, os.DirFS(from)); err != nil {
			return err
		}
		return makeFolder(filepath.Join(to, ".obsidian"))
	}
}

func makeFolder(dir string) error { return os.MkdirAll(dir, 0o755) }
