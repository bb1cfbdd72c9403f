package main

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/vault"
)

func TestServerTakesInTheEditsOfEveryVault(t *testing.T) {
	d := dbtest.New(t)
	caller := ref.Caller{Actor: "tester"}
	dirs := []string{filepath.Join(t.TempDir(), "one"), filepath.Join(t.TempDir(), "two")}
	for _, dir := range dirs {
		write(t, dir, "a.md", "see [[b]]")
		if _, err := (vault.Importer{DB: d, Caller: caller}).Import(t.Context(), vault.ImportArgs{Dir: dir}); err != nil {
			t.Fatal(err)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	keeper := keepUp(ctx, vault.Importer{DB: d, Caller: caller}.Mirror().Keep, "vault", slog.New(slog.DiscardHandler), func() {})
	for _, dir := range dirs {
		write(t, dir, "b.md", "here")
	}
	for deadline := time.Now().Add(time.Minute); dbtest.Count(t, d, `select count(*) from edges`) < 2; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the edits were not taken in")
		}
	}
	stop()
	keeper.Wait()
}

// A server that only reads changes nothing in the store, whatever is edited.
func TestServerThatOnlyReadsDoesNotWatch(t *testing.T) {
	d := dbtest.New(t)
	read, err := db.Open(t.Context(), d.Path(), db.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	refresh, _, stop := (&serverRun{session: &session{}}).background(t.Context(), read, slog.New(slog.DiscardHandler))
	defer stop()
	if refresh != nil {
		t.Error("a server that only reads takes in edits")
	}
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
