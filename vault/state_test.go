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
	"hence/internal/ref"
	"hence/vault"
	"hence/vault/vaulttest"
)

// What the notes of the state test are called and say. There are few names, so
// that they often meet.
var (
	statePaths   = []string{"Anna.md", "berta.md", "Carl Maria.md", "sub/Anna.md", "sub/deep/dora.md", "sub/berta.md", "sub.md", "pic.png", "b.canvas"}
	stateTargets = []string{"Anna", "berta", "Carl Maria", "sub/Anna", "dora", "Nick Name", "./berta", "sub", "pic.png", "nowhere", "Anna#x"}
	stateAliases = []string{"Nick Name", "dora", "Nobody Else", "berta"}
	stateKeys    = []string{"depends-on", "requires", "blocks", "supersedes", "superseded_by", "replaces", "relates-to", "causes", "caused_by", "owner"}
	stateNames   = []string{"owner", "related", "parent", "superseded_by", "reviewer", "status"} // those that may name a note, and one that does not
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

// contents is everything that a store holds of a vault, without what may
// differ from one store to another: keys, ids, times, revisions, the side from
// which a symmetric edge was declared, and what was forgotten.
func contents(t testing.TB, d *db.DB) map[string][]string {
	return map[string][]string{
		"memories": rows(t, d, `
select uri, namespace, kind, title, content, aliases, tags, properties, status, origin, actor, content_hash, sectioned
from memories
where status <> 'forgotten'
order by uri`),
		"sections": rows(t, d, `
select m.uri, s.ordinal, s.heading, s.level, s.start_line, s.end_line, s.body
from sections s
join memories m on m.key = s.memory
where m.status <> 'forgotten'
order by m.uri, s.ordinal`),
		"edges": rows(t, d, `
select
  iif(e.kind in ('contradicts', 'relates-to'), min(f.uri, t.uri), f.uri) as a,
  e.kind,
  e.rel,
  iif(e.kind in ('contradicts', 'relates-to'), max(f.uri, t.uri), t.uri) as b,
  e.origin,
  e.actor,
  e.weight,
  e.note,
  e.valid_from,
  e.valid_to,
  e.declared
from edges e
join memories f on f.key = e.from_key
join memories t on t.key = e.to_key
order by a, e.kind, e.rel, b`),
		"sites": rows(t, d, `
select
  n.uri, s.line, s.start_byte, s.end_byte, s.origin, s.kind, s.rel, s.backward, s.target, s.target_key, s.anchor, s.display,
  s.context, s.lenient, s.resolved_by, s.candidates, s.refused, o.uri, e.kind, e.rel
from sites s
join memories n on n.key = s.note
left join edges e on e.key = s.edge
left join memories o on o.key = e.from_key + e.to_key - s.note
order by n.uri, s.start_byte, s.line, s.kind, s.rel, s.target`),
		"files": rows(t, d, `
select f.path, f.size, f.modified, f.file_hash, f.warnings, f.unspaced, m.uri
from files f
join memories m on m.key = f.memory
order by f.path`),
	}
}

// TestIncrementalImportEqualsAFreshOne edits, moves and deletes at random, and
// holds the store against one that sees the folder for the first time. What is
// refused, too, follows from what the notes say now.
func TestIncrementalImportEqualsAFreshOne(t *testing.T) {
	checkTimes(t, 30)
	rapid.Check(t, func(rt *rapid.T) {
		f := newFolder(t, nil)
		f.Importer.DB = openStore(t, rt)
		f.Write(".hence.yaml", "names: [reviewer]\n")
		for range rapid.IntRange(2, 5).Draw(rt, "imports") {
			for range rapid.IntRange(1, 4).Draw(rt, "changes") {
				f.change(rt)
			}
			f.Write("keep.txt", "so that the folder is never empty")
			f.Imports()
			fresh := folder{vaulttest.Folder{T: t, Dir: f.Dir, Importer: vault.Importer{DB: openStore(t, rt), Caller: ref.Caller{Actor: "tester"}}}}
			fresh.Imports()
			if diff := cmp.Diff(contents(t, fresh.Importer.DB), contents(t, f.Importer.DB)); diff != "" {
				rt.Fatalf("the store after changes (-fresh +incremental):\n%s", diff)
			}
			f.checkSearchIndex()
			if again := f.Imports(); again.Changed() {
				rt.Fatalf("importing again changes something: %+v", again)
			}
		}
	})
}

// openStore opens an empty store that is closed with one check of rapid.
func openStore(t *testing.T, rt *rapid.T) *db.DB {
	t.Helper()
	d, err := db.Open(t.Context(), filepath.Join(t.TempDir(), "hence.db"), db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rt.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// change makes one random change of the folder.
func (f folder) change(t *rapid.T) {
	path := rapid.SampledFrom(statePaths).Draw(t, "path")
	_, err := os.Stat(filepath.Join(f.Dir, path))
	switch there := err == nil; {
	case there && rapid.IntRange(0, 3).Draw(t, "remove?") == 0:
		f.Remove(path)
	case there && rapid.IntRange(0, 2).Draw(t, "move?") == 0:
		f.Move(path, rapid.SampledFrom(statePaths).Draw(t, "to"))
	default:
		f.Write(path, stateNote(t, path))
	}
}

// checkSearchIndex fails the test where the full-text index does not hold what
// the sections say.
func (f folder) checkSearchIndex() {
	f.T.Helper()
	if _, err := f.Importer.DB.Write(f.T.Context(), "", db.Now(), db.S(`insert into section_search (section_search, rank) values ('integrity-check', 1)`)); err != nil {
		f.T.Fatalf("the full-text index: %v", err)
	}
}
