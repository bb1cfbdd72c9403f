package main

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/vault"
)

func TestServerTakesInTheEditsOfEveryVault(t *testing.T) {
	d := dbtest.New(t)
	caller := ref.Caller{Actor: "tester"}
	log := slog.New(slog.DiscardHandler)
	if _, err := watchAll(t.Context(), d, caller, log); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("watching a store without a vault: %v, want not_found", err)
	}
	dirs := []string{filepath.Join(t.TempDir(), "one"), filepath.Join(t.TempDir(), "two")}
	for _, dir := range dirs {
		write(t, dir, "a.md", "see [[b]]")
		if _, err := (vault.Importer{DB: d, Caller: caller}).Import(t.Context(), vault.ImportArgs{Dir: dir}); err != nil {
			t.Fatal(err)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	wait, err := watchAll(ctx, d, caller, log)
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range dirs {
		write(t, dir, "b.md", "here")
	}
	for deadline := time.Now().Add(time.Minute); dbtest.Count(t, d, `select count(*) from edges`) < 2; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the edits were not taken in")
		}
	}
	stop()
	wait()
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
