package erase_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hence/memory"
	"hence/memory/erase"
)

// The command for git's history names the files that were removed and no other, and says which of those that stay held the text.
func TestTheHistoryOfGitIsNamedFileByFile(t *testing.T) {
	w := ends(t, 11)
	if err := os.MkdirAll(filepath.Join(w.folder, ".git"), 0o700); err != nil {
		t.Fatal(err)
	}
	one, two := []string{}, []string{}
	first := w.store(memory.StoreArgs{Title: new("First"), Content: w.text(&one, 8)})
	second := w.store(memory.StoreArgs{Title: new("Second"), Content: w.text(&two, 8)})
	stays := w.store(memory.StoreArgs{Title: new("Third"), Content: "Something else."})
	w.link(stays, second, "supports", strings.Join(two, " "))
	w.team()
	said := func(r erase.Result) string { return fmt.Sprint(r.Receipt.OutOfReach) }
	files := func(title string) (names []string) {
		all, err := filepath.Glob(filepath.Join(w.folder, "team", title+"-*.md"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range all {
			names = append(names, filepath.Base(name))
		}
		return names
	}
	gone, rest := slices.Concat(files("first"), files("second")), files("third")
	if len(gone) != 2 || len(rest) != 1 {
		t.Fatalf("the folder has %q and %q", gone, rest)
	}
	history := said(w.erase(erase.Args{ID: first, All: true}))
	if want := "--invert-paths --path 'team/" + gone[0] + "' there"; !strings.Contains(history, want) || strings.Contains(history, "--replace-text") {
		t.Errorf("after one file: %s, want %s", history, want)
	}
	history = said(w.erase(erase.Args{ID: second, All: true}))
	if want := "--invert-paths --path 'team/" + gone[1] + "' there"; !strings.Contains(history, want) || !strings.Contains(history, "it was in "+rest[0]) {
		t.Errorf("with another that stays: %s, want %s and %s", history, want, rest[0])
	}
}
