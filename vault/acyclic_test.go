package vault_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/vault"
)

// restsOn adds an explicit edge depends-on, which no file declares.
func (f folder) restsOn(from, to string) {
	f.T.Helper()
	dbtest.Fill(f.T, f.Importer.DB, db.S(`
insert into edges (from_key, to_key, kind)
select
  f.key,
  t.key,
  'depends-on'
from memories f, memories t
where f.title = ?1
  and t.title = ?2`, from, to))
}

// Memories and edges of a vault may exist before its first import, from an import of an
// export.
func TestFirstImportLeavesEdgesThatWereThere(t *testing.T) {
	f := newFolder(t, map[string]string{
		"a.md": "---\ndepends-on: \"[[b]]\"\n---\n",
		"b.md": "---\ndepends-on: \"[[c]]\"\n---\n",
		"c.md": "",
	})
	dbtest.Fill(t, f.Importer.DB, db.S(`
insert into memories (title, uri)
values
  ('a', 'obsidian-fs://v/a.md'),
  ('b', 'obsidian-fs://v/b.md')`))
	f.restsOn("b", "a")
	report := f.Imports()
	want := []vault.Place{{Path: "a.md", Line: 2, Target: "b", Rel: "depends-on", Why: "cycle"}}
	if diff := cmp.Diff(want, report.RefusedLinks); diff != "" {
		t.Errorf("refused (-want +got):\n%s", diff)
	}
	f.Want("b depends-on a", "b depends-on c")
}

// If another writer adds an edge that closes a cycle with links that are still to be
// written, the import refuses the link, and the next one does so too.
func TestFirstImportRefusesACycleThatComesMeanwhile(t *testing.T) {
	const notes = 1500 // two batches
	f := newFolder(t, nil)
	for n := range notes {
		f.Write(fmt.Sprintf("%04d.md", n), "")
	}
	last := fmt.Sprintf("%04d", notes-1)
	f.Write(last+".md", "---\ndepends-on: \"[[0000]]\"\n---\n")
	f.Importer.Progress = func(done, total int) {
		if done == total/2+1 { // the first batch of links is written
			f.restsOn("0000", last)
		}
	}
	for range 2 {
		if report := f.Imports(); report.Refused != 1 {
			t.Errorf("refused = %d, want the link that closes the cycle", report.Refused)
		}
		f.Importer.Progress = nil
	}
	f.Want("0000 depends-on " + last)
}
