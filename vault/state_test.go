package vault_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/vault"
	"hence/vault/vaulttest"
)

// The names and texts of the notes of the state test. There are few names, so that links
// often find a note.
var (
	statePaths   = []string{"Anna.md", "berta.md", "Carl Maria.md", "sub/Anna.md", "sub/deep/dora.md", "sub/berta.md", "sub.md", "pic.png", "b.canvas"}
	stateTargets = []string{"Anna", "berta", "Carl Maria", "sub/Anna", "dora", "Nick Name", "./berta", "sub", "pic.png", "nowhere", "Anna#x"}
	stateAliases = []string{"Nick Name", "dora", "Nobody Else", "berta"}
	stateKeys    = []string{"depends-on", "requires", "blocks", "supersedes", "superseded_by", "replaces", "relates-to", "causes", "caused_by", "owner"}
	stateNames   = []string{"owner", "related", "parent", "superseded_by", "reviewer", "status"} // properties whose values name notes, and status, whose value does not
)

// stateNote draws the text of a file.
func stateNote(t *rapid.T, path string) string {
	target := rapid.SampledFrom(stateTargets)
	switch filepath.Ext(path) {
	case ".png":
		return rapid.SampledFrom([]string{"one", "two"}).Draw(t, "bytes")
	case ".canvas":
		return fmt.Sprintf(`{"nodes":[{"id":"1","type":"file","file":%q},{"id":"2","type":"text","text":"[[%s]]"}]}`,
			rapid.SampledFrom(statePaths).Draw(t, "node"), target.Draw(t, "in the node"))
	}
	var b strings.Builder
	b.WriteString("---\n")
	if rapid.Bool().Draw(t, "alias?") {
		fmt.Fprintf(&b, "aliases: [%s]\n", rapid.SampledFrom(stateAliases).Draw(t, "alias"))
	}
	if rapid.IntRange(0, 5).Draw(t, "status?") == 0 {
		b.WriteString("status: superseded\n")
	}
	for _, key := range rapid.SliceOfNDistinct(rapid.SampledFrom(stateKeys), 0, 3, rapid.ID).Draw(t, "keys") {
		fmt.Fprintf(&b, "%s: \"[[%s]]\"\n", key, target.Draw(t, "property"))
	}
	for _, key := range rapid.SliceOfNDistinct(rapid.SampledFrom(stateNames), 0, 2, rapid.ID).Draw(t, "names") {
		fmt.Fprintf(&b, "%s: [%s, %s]\n", key, target.Draw(t, "name"), rapid.SampledFrom(stateAliases).Draw(t, "other name"))
	}
	b.WriteString("---\n")
	for range rapid.IntRange(0, 3).Draw(t, "lines") {
		x := target.Draw(t, "target")
		b.WriteString(rapid.SampledFrom([]string{
			"[[" + x + "]]\n\n", "![[" + x + "]]\n\n", "[supersedes:: [[" + x + "]]]\n\n", "[requires:: [[" + x + "]]] [relates-to:: [[" + x + "]]]\n\n",
			"says " + x + " here\n\n", "## About " + x + "\n\n", "`" + x + "` #tag/x\n\n", "[x](<" + x + ">) and [[" + x + "]]\n\n",
		}).Draw(t, "line"))
	}
	return b.String()
}

// TestIncrementalImportEqualsAFreshOne edits, moves and deletes notes at random, and compares
// the store with a new store that imports the folder for the first time. The refused links
// must be the same too.
func TestIncrementalImportEqualsAFreshOne(t *testing.T) {
	dbtest.CheckTimes(t, 10)
	rapid.Check(t, func(rt *rapid.T) {
		f := newFolder(t, nil)
		f.Importer.DB = dbtest.New(rt)
		f.Write(".hence.yaml", "names: [reviewer]\n")
		for range rapid.IntRange(2, 5).Draw(rt, "imports") {
			for range rapid.IntRange(1, 4).Draw(rt, "changes") {
				f.change(rt)
			}
			f.Write("keep.txt", "so that the folder is never empty")
			f.Imports()
			fresh := folder{vaulttest.Folder{T: t, Dir: f.Dir, Importer: vault.Importer{DB: dbtest.New(rt), Caller: ref.Caller{Actor: "tester"}}}}
			fresh.Imports()
			if diff := cmp.Diff(contents(t, fresh.Importer.DB), contents(t, f.Importer.DB)); diff != "" {
				rt.Fatalf("the store after changes (-fresh +incremental):\n%s", diff)
			}
			f.checkSearchIndex()
			if again := f.Imports(); again.HasChanged() {
				rt.Fatalf("importing again changes something: %+v", again)
			}
		}
	})
}

// change makes one random change of the folder.
func (f folder) change(t *rapid.T) {
	path := rapid.SampledFrom(statePaths).Draw(t, "path")
	_, err := os.Stat(filepath.Join(f.Dir, path))
	switch exists := err == nil; {
	case exists && rapid.IntRange(0, 3).Draw(t, "remove?") == 0:
		f.Remove(path)
	case exists && rapid.IntRange(0, 2).Draw(t, "move?") == 0:
		f.Move(path, rapid.SampledFrom(statePaths).Draw(t, "to"))
	case exists && rapid.IntRange(0, 3).Draw(t, "touch?") == 0:
		f.Touch(path)
	default:
		f.Write(path, stateNote(t, path))
	}
}

// checkSearchIndex fails the test if the full-text index differs from the sections.
func (f folder) checkSearchIndex() {
	f.T.Helper()
	if _, err := f.Importer.DB.Write(f.T.Context(), "", db.Now(), db.S(`insert into section_search (section_search, rank) values ('integrity-check', 1)`)); err != nil {
		f.T.Fatalf("the full-text index: %v", err)
	}
}
