package tools

import (
	"bytes"
	"path/filepath"
	"testing"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/exchange/lines"
	"hence/memory/exchange/merge"
)

// A merge brings texts that lost a conflict, second successors, cycles and purged memories,
// of the caller's namespace and of others. A confined caller gets the same answers as from
// a store without the others.
func TestConfined_EveryToolAfterAMerge(t *testing.T) {
	dbtest.SkipUnderRace(t)
	n := newNeighbours(t)
	ours, theirs := copyStore(t, n.alone), copyStore(t, n.shared)
	there := meet(t, ours, Options{})
	get[memory.UpdateResult](there, "memory_update", `{"id": "Crossing", "content": "the ferry by night"}`)
	get[memory.StoreResult](there, "memory_store", `{"namespace": "ours", "title": "Newest crossing", "content": "the bridge", "supersedes": ["Other crossing"]}`)
	get[memory.ForgetResult](there, "memory_forget", `{"id": "Put away", "purge": true}`)
	others := meet(t, theirs, Options{})
	get[memory.UpdateResult](others, "memory_update", `{"id": "Crossings", "content": "zebra crossing"}`)
	get[memory.StoreResult](others, "memory_store", `{"namespace": "theirs", "title": "Zebra newest", "content": "zebra again", "supersedes": ["Zebra decision"]}`)
	get[memory.ForgetResult](others, "memory_forget", `{"id": "Fermy again", "purge": true}`)
	const now = "2031-01-01T00:00:00.000Z" // the same in both stores
	edit := db.S(`
update memories
set content = ?1, content_hash = ?2
where title = ?3`, "the ferry by day", db.Hash("the ferry by day"), "Crossing")
	for _, d := range []*db.DB{n.alone, n.shared} {
		if _, err := d.Write(t.Context(), "ada", now, edit); err != nil {
			t.Fatal(err)
		}
	}
	here := meet(t, n.shared, Options{})
	get[memory.UpdateResult](here, "memory_update", `{"id": "Crossings", "content": "zebra, at once"}`)
	get[memory.StoreResult](here, "memory_store", `{"namespace": "theirs", "title": "Zebra other", "content": "zebra otherwise", "supersedes": ["Zebra decision"]}`)

	lines := exported(t, ours, "ours")
	merged(t, n.alone, lines)
	done := merged(t, n.shared, append(lines, exported(t, theirs, "theirs")...))
	if len(done.Settle) < 3 || done.Purged != 2 {
		t.Errorf("the merge has little to tell: %+v", done)
	}
	n.theirs = append(n.theirs, dbtest.Texts(t, n.shared, `select id from memories where namespace = 'theirs' and (title like 'Zebra %' or title like '%(other edit)')`)...)
	n.theirs = append(n.theirs, "Crossings (other edit)", "Zebra newest", "Fermy again")
	n.checkEveryTool(t)
}

// copyStore returns a copy of a store.
func copyStore(t *testing.T, d *db.DB) *db.DB {
	t.Helper()
	path := filepath.Join(dbtest.Folder(t), "copy.db")
	if err := d.Backup(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	other, err := db.Open(t.Context(), path, db.Options{State: d.State()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { other.Close() })
	return other
}

func exported(t *testing.T, d *db.DB, namespace string) []byte {
	t.Helper()
	var out bytes.Buffer
	if _, err := lines.Export(t.Context(), ref.View{DB: d, Caller: ref.Caller{Namespace: namespace}}, &out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func merged(t *testing.T, d *db.DB, all []byte) merge.Merged {
	t.Helper()
	done, err := merge.Lines(t.Context(), ref.View{DB: d, Caller: ref.Caller{Actor: "ada"}}, bytes.NewReader(all), lines.ImportArgs{Name: "OTHER"})
	if err != nil {
		t.Fatal(err)
	}
	return done
}
