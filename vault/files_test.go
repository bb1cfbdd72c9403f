package vault_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/internal/db/dbtest"
	"hence/projection/projectiontest"
	"hence/vault"
)

// staleBecause lists the stale memories, each with the memory that makes it stale.
const staleBecause = `
select title, because_title, reason
from stale
order by 1, 2`

// rests adds, as an agent, an edge depends-on between two memories.
func (f folder) rests(from, to string) {
	f.T.Helper()
	f.Exec(`
insert into edges (from_key, to_key, kind, origin)
select f.key, t.key, 'depends-on', 'agent'
from memories f
join memories t on t.title = ?2
where f.title = ?1`, from, to)
}

func TestWhatRestsOnAnEditedFileIsStale(t *testing.T) {
	f := newFolder(t, map[string]string{
		"code.go": "package a", "spec.pdf": "%PDF one", "board.canvas": `{"nodes":[]}`, "same.csv": "1,2",
		"note.md": "---\ndepends-on: \"[[spec.pdf]]\"\n---\n",
	})
	f.Imports()
	f.Exec(`insert into memories (title) values ('decision')`)
	for _, file := range []string{"code.go", "board.canvas", "same.csv"} {
		f.rests("decision", file)
	}
	f.Imports()
	if got := rows(t, f.Importer.DB, staleBecause); len(got) != 0 {
		t.Fatalf("stale before anything was edited: %v", got)
	}
	f.Write("code.go", "package b") // as long as before
	f.Write("spec.pdf", "%PDF two, longer")
	f.Write("board.canvas", `{"nodes":[] }`)
	f.Write("same.csv", "1,2") // another time, the same bytes
	report := f.Imports()
	if report.Updated != 3 || report.Unchanged != 2 {
		t.Errorf("report %+v, want three updated", report)
	}
	want := []string{"decision | board.canvas | changed", "decision | code.go | changed", "note | spec.pdf | changed"}
	if diff := cmp.Diff(want, rows(t, f.Importer.DB, staleBecause)); diff != "" {
		t.Errorf("stale (-want +got):\n%s", diff)
	}
	if n := dbtest.Count(t, f.Importer.DB, `select count(*) from memories where content_hash = '' or content_hash like 'un%'`); n != 0 {
		t.Errorf("%d memories have no hash of their bytes", n)
	}
}

func TestAFileThatIsTooLargeToHashIsKnownBySizeAndTime(t *testing.T) {
	f := newFolder(t, map[string]string{"film.mp4": "x", "decision.md": "---\nsource: \"[[film.mp4]]\"\n---\n"})
	large := filepath.Join(f.Dir, "film.mp4")
	if err := os.Truncate(large, vault.MaxHashed+1); err != nil { // sparse: it takes no room
		t.Fatal(err)
	}
	f.Imports()
	hash := rows(t, f.Importer.DB, `select content_hash from memories where title = 'film.mp4'`)[0]
	if !strings.HasPrefix(hash, "unread-33554433-") {
		t.Errorf("hash = %s", hash)
	}
	if got := rows(t, f.Importer.DB, staleBecause); len(got) != 0 {
		t.Errorf("stale at once: %v", got)
	}
	later := projectiontest.Clock.AddDate(1, 0, 0)
	if err := os.Chtimes(large, later, later); err != nil {
		t.Fatal(err)
	}
	f.Imports()
	if diff := cmp.Diff([]string{"decision | film.mp4 | changed"}, rows(t, f.Importer.DB, staleBecause)); diff != "" {
		t.Errorf("stale (-want +got):\n%s", diff)
	}
}

func TestAMovedFileKeepsItsID(t *testing.T) {
	f := newFolder(t, map[string]string{"a.md": "![[pic.png]]", "pic.png": "bytes", "other.png": "others"})
	f.Imports()
	id := f.ID("pic.png")
	f.Move("pic.png", "sub/picture.png")
	if report := f.Imports(); report.Moved != 1 || report.Added != 0 || report.Removed != 0 {
		t.Errorf("report %+v, want one moved", report)
	}
	if got := f.ID("sub/picture.png"); got != id {
		t.Errorf("the moved file is %s, was %s", got, id)
	}
}

func TestAFileThatCannotBeReadIsKnownAllTheSame(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root reads everything")
	}
	f := newFolder(t, map[string]string{"a.md": "![[pic.png]]", "pic.png": "bytes"})
	if err := os.Chmod(filepath.Join(f.Dir, "pic.png"), 0); err != nil {
		t.Fatal(err)
	}
	report := f.Imports()
	f.Want("a embeds pic.png")
	if len(report.Warnings) != 1 || report.Warnings[0].Path != "pic.png" {
		t.Errorf("warnings = %+v, want one of pic.png", report.Warnings)
	}
}
