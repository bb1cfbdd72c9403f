package writing_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/vault"
	"hence/vault/vaulttest"
	"hence/vault/writing"
)

// TestAfterWritesTheStoreIsThatOfAFreshImport writes notes that mention each other and change
// their names, with edits past Hence and imports in between. The store need not have an edit
// past Hence before the next import.
func TestAfterWritesTheStoreIsThatOfAFreshImport(t *testing.T) {
	dbtest.CheckTimes(t, 8)
	rapid.Check(t, func(rt *rapid.T) {
		f := newFolder(t, map[string]string{"a.md": "see [[b]]", "n/b.md": "---\naliases: [Nick]\n---\nof the other note"})
		f.Importer.DB = dbtest.New(rt)
		f.Imports()
		paths := []string{"a.md", "n/b.md", "c.md", "n/c.md", "other note.md", "m/d.md"}
		content := func() string {
			alias := rapid.SampledFrom([]string{"", "---\naliases: [Nick]\n---\n", "---\naliases: [other note, c]\n---\n", "---\nstatus: superseded\n---\n"}).Draw(rt, "frontmatter")
			return alias + fmt.Sprintf("[[%s]] and the other note, or Nick\n\ndepends-on:: [[%s]]\n",
				rapid.SampledFrom([]string{"a", "b", "c", "n/c", "Nick", "nowhere"}).Draw(rt, "link"), rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(rt, "ground"))
		}
		outside := false // somebody else has edited since the last import
		for range rapid.IntRange(1, 8).Draw(rt, "writes") {
			path := rapid.SampledFrom(paths).Draw(rt, "path")
			var err error
			switch rapid.IntRange(0, 5).Draw(rt, "what") {
			case 0, 1:
				_, err = f.create(path, content())
			case 2:
				text := content()
				_, err = f.update(writing.UpdateNoteArgs{Path: path, Mode: "replace", Content: &text})
			case 3:
				_, err = f.writer().SetFrontmatter(rt.Context(), writing.SetFrontmatterArgs{Path: path, Set: map[string]any{"aliases": []string{rapid.SampledFrom([]string{"Nick", "d", "x y z w"}).Draw(rt, "alias")}}})
			case 4:
				f.Write(path, content())
				outside = true
			case 5:
				f.Imports()
				outside = false
			}
			if code := fault.CodeOf(err); err != nil && code != fault.Exists && code != fault.NotFound {
				rt.Fatal(err)
			}
			if outside {
				continue
			}
			fresh := folder{Folder: vaulttest.Folder{T: t, Dir: f.Dir, Importer: vault.Importer{DB: dbtest.New(rt), Caller: ref.Caller{Actor: "tester"}}}}
			fresh.Imports()
			if diff := cmp.Diff(contents(t, fresh.Importer.DB), contents(t, f.Importer.DB)); diff != "" {
				rt.Fatalf("the store (-fresh +written):\n%s", diff)
			}
		}
		f.Imports()
		fresh := folder{Folder: vaulttest.Folder{T: t, Dir: f.Dir, Importer: vault.Importer{DB: dbtest.New(rt), Caller: ref.Caller{Actor: "tester"}}}}
		fresh.Imports()
		if diff := cmp.Diff(contents(t, fresh.Importer.DB), contents(t, f.Importer.DB)); diff != "" {
			rt.Fatalf("the store after an import (-fresh +written):\n%s", diff)
		}
	})
}
