package doctor_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hence/edges"
	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/internal/permit"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/doctor"
	"hence/memory/exchange/lines"
	"hence/memory/journal"
)

func examine(t *testing.T, d *db.DB, fix bool) map[string]doctor.Finding {
	t.Helper()
	report, err := doctor.Doctor{DB: d, Actor: "doctor"}.Examine(t.Context(), fix)
	if err != nil {
		t.Fatal(err)
	}
	if report.Schema < 1 || !strings.HasPrefix(report.Engine, "3.") {
		t.Errorf("the versions are %d and %q", report.Schema, report.Engine)
	}
	findings := map[string]doctor.Finding{}
	for _, f := range report.Findings {
		findings[f.Check] = f
	}
	return findings
}

// filled returns a store with two memories, one superseded, and a dependent, each with a
// vector.
func filled(t *testing.T) *db.DB {
	d := dbtest.New(t)
	s := memory.Store{DB: d}
	for _, a := range []memory.StoreArgs{
		{Content: "old"}, {Content: "new", Supersedes: []string{"old"}}, {Content: "top", Links: []memory.NewLink{{To: "new", Type: "depends-on"}}},
	} {
		if _, err := s.Remember(t.Context(), a, nil); err != nil {
			t.Fatal(err)
		}
	}
	dbtest.Script(t, d.Path(), `
update embedders set name = 'ollama:m', dimensions = 4;
insert into vectors (section, vector) values (1, x'7f000000'), (2, x'00008100');
delete from vectors_waiting;`)
	return d
}

func TestAHealthyStoreHasNoFindings(t *testing.T) {
	for name, f := range examine(t, filled(t), false) {
		if !f.Healthy {
			t.Errorf("%s: %q", name, f.Problems)
		}
	}
}

func TestWhatIsBrokenIsFoundAndMended(t *testing.T) {
	dbtest.SkipOnCluster(t, "it breaks tables by hand, which nodes refuse")
	for _, c := range []struct {
		check, script, mended string // mended is a query that returns yes after the fix
		stays                 bool
	}{
		{"rules", `drop trigger edge_inserting; drop index edges_to; drop view stale`,
			`select count(*) = 3 from sqlite_master where name in ('edge_inserting', 'edges_to', 'stale')`, false},
		{"rules", `create table got (x); create trigger zz after insert on memories begin insert into got values (new.title); end`,
			`select count(*) = 0 from sqlite_master where name = 'zz'`, false},
		{"rules", `create trigger "z ""z" before update on writer when new.actor <> '' begin select raise(abort, 'nobody writes'); end`,
			`select count(*) = 0 from sqlite_master where type = 'trigger' and tbl_name = 'writer' and name like 'z%'`, false},
		{"rules", `create trigger zz instead of insert on memory_list begin delete from memories; end; create trigger yy after delete on edges begin delete from journal; end`,
			`select count(*) = 0 from sqlite_master where name in ('zz', 'yy')`, false},
		{"rules", `drop trigger edge_inserted; create trigger edge_inserted after insert on edges begin select 1; end`,
			`select sql not like '%begin select 1; end' from sqlite_master where name = 'edge_inserted'`, false},
		{"rules", `create trigger ZZ after update of title on MEMORIES begin update memories set content = '' where key = new.key; end`,
			`select count(*) = 0 from sqlite_master where name = 'ZZ'`, false},
		{"sections", `delete from sections`,
			`select count(*) = 1 from section_search where section_search match 'top'`, false},
		{"full-text index", `insert into section_search (section_search) values ('delete-all')`,
			`select count(*) = 1 from section_search where section_search match 'top'`, false},
		{"supersession", `drop trigger memory_changing; update memories set status = 'current'`,
			`select status = 'superseded' from memories where title = 'old'`, false},
		{"content hashes", `update memories set content_hash = 'x' where title = 'new'`,
			`select content_hash = '` + db.Hash("new") + `' from memories where title = 'new'`, false},
		{"counts", `update memory_counts set number = number + 1`,
			`select sum(number) = (select count(*) from memories) from memory_counts`, false},
		{"counts", `delete from edge_counts where kind = 'supersedes'`,
			`select sum(number) = (select count(*) from edges) from edge_counts`, false},
		{"counts", `insert into memory_counts values ('nowhere', 'current', 'fact', 'agent', 3)`,
			`select count(*) = 0 from memory_counts where namespace = 'nowhere'`, false},
		{"counts", `insert into memories (title) values ('uncounted'); delete from memory_counts`,
			`select sum(number) = 4 from memory_counts`, false},
		{"cycles", `drop trigger edge_inserting; insert into edges (from_key, to_key, kind) select e.to_key, e.from_key, e.kind from edges e where kind = 'depends-on'`,
			`select count(*) = 2 from edges where kind = 'depends-on'`, true},
		{"vectors", `insert into vectors (section, vector) values (99, x'7f000000')`, `select count(*) = 2 from vectors`, false},
		{"vectors", `insert into vectors (section, next) values (3, x'7f000000')`, `select count(*) = 2 from vectors`, false},
		{"vectors", `update embedders set dimensions = 3`, `select (select count(*) from vectors) = 0 and (select count(*) from vectors_waiting) = 3`, false},
		{"vectors", `update vectors set vector = x'7f' where section = 2`, `select count(*) = 0 from vectors where section = 2`, false},
		{"vectors", `update vectors set vector = x'7f' where section = 2`, `select count(*) = 1 from vectors_waiting where section = 2`, false},
		{"vectors", `drop trigger embedder_deleting; pragma foreign_keys = off; delete from embedders`, `select count(*) = 0 from vectors`, false},
		{"rules", `drop trigger memory_text_changed; update memories set content = 'other', content_hash = 'x', revision = 2`,
			`select (select count(*) from vectors) = 0 and (select count(*) from sqlite_master where name = 'memory_text_changed') = 1`, false},
		{"rules", `drop index one_successor; drop trigger edge_inserting; insert into edges (from_key, to_key, kind) select 3, to_key, kind from edges where kind = 'supersedes'`,
			`select (select count(*) from edges where kind = 'supersedes') = 2 and (select count(*) from sqlite_master where name = 'edge_inserting') = 1`, true},
		{"rules", `drop index one_symmetric_edge; insert into edges (from_key, to_key, kind) values (1, 3, 'relates-to'), (3, 1, 'relates-to')`,
			`select count(*) = 0 from sqlite_master where name = 'one_symmetric_edge'`, true},
		{"edges said twice", `drop index one_symmetric_edge; insert into edges (from_key, to_key, kind) values (1, 3, 'relates-to'), (3, 1, 'relates-to')`,
			`select count(*) = 2 from edges where kind = 'relates-to'`, true},
		{"writer", `drop trigger writer_stays; delete from writer`,
			`select (select count(*) from writer) = 1 and (select batch from writer) >= (select max(batch) from journal)`, false},
		{"readable columns", `drop trigger memory_text_changed; update memories set tags = '[1]' where title = 'new'`,
			`select count(*) from memories where tags = '[1]'`, true},
		{"readable columns", `drop trigger memory_text_changed; update memories set aliases = '["a",null]' where title = 'new'`,
			`select count(*) from memories where aliases <> '[]'`, true},
		{"readable columns", `drop trigger memory_text_changed; update memories set properties = '{"a":1e999}' where title = 'new'`,
			`select count(*) from memories where properties <> '{}'`, true},
		{"readable columns", `drop trigger memory_text_changed; pragma ignore_check_constraints = on; update memories set tags = '{' where title = 'new'`,
			`select count(*) from memories where tags = '{'`, true},
		{"places in notes", `drop trigger edge_undeclared; update edges set declared = 'site' where kind = 'depends-on'`,
			`select count(*) = 1 from edges where declared = 'site'`, true},
	} {
		t.Run(c.check, func(t *testing.T) {
			d := filled(t)
			dbtest.Script(t, d.Path(), c.script)
			if f := examine(t, d, false)[c.check]; f.Healthy || len(f.Problems) == 0 || f.Mend == "" {
				t.Fatalf("the examination found %+v", f)
			}
			if f := examine(t, d, true)[c.check]; f.Healthy == c.stays || f.Fixed == c.stays {
				t.Errorf("after mending: %+v", f)
			}
			if dbtest.Count(t, d, c.mended) != 1 {
				t.Errorf("the store is not mended")
			}
		})
	}
}

// An edit in the sqlite3 shell, as docs/sqlite.md invites it, is well, and its hash is brought up to date.
func TestAnEditByHandIsTakenIn(t *testing.T) {
	dbtest.SkipOnCluster(t, "it edits texts by hand, which the store of a cluster refuses")
	for name, edit := range map[string]string{
		"text":              `update memories set content = 'walrusCount' where title = 'new'`,
		"text and title":    `update memories set content = '海象', title = '海' where title = 'new'`,
		"text without hash": `update memories set content = content || ' more'`,
		"new":               `insert into memories (title, content) values ('by hand', 'parseURL')`,
		"new and linked":    `insert into memories (key, title, content) values (9, 'by hand', 'x'); insert into edges (from_key, to_key, kind) values (9, 2, 'supersedes')`,
		"twice":             `update memories set content = 'one' where title = 'new'; update memories set content = 'two' where title = 'new'`,
	} {
		t.Run(name, func(t *testing.T) {
			d := filled(t)
			dbtest.Script(t, d.Path(), edit)
			readOnly, err := db.Open(t.Context(), d.Path(), db.Options{ReadOnly: true})
			if err != nil {
				t.Fatal(err)
			}
			defer readOnly.Close()
			for _, d := range []*db.DB{readOnly, d} {
				for name, f := range examine(t, d, false) {
					if !f.Healthy {
						t.Errorf("read only: %v, %s: %+v", d == readOnly, name, f)
					}
				}
			}
			if err := d.KeepUp(t.Context()); err != nil {
				t.Fatal(err)
			}
			if n := dbtest.Count(t, d, `select count(*) from memories where content_hash like 'unhashed-%'`); n != 0 {
				t.Errorf("%d hashes are left", n)
			}
			for name, f := range examine(t, d, false) { // now it compares the hash of every text
				if !f.Healthy {
					t.Errorf("after the upkeep, %s: %+v", name, f)
				}
			}
		})
	}
}

func TestDoubtStaysWhenAHashIsMended(t *testing.T) {
	dbtest.SkipOnCluster(t, "it edits a text by hand, which the store of a cluster refuses")
	d := filled(t)
	dbtest.Script(t, d.Path(), `update memories set content = 'edited' where title = 'new'`)
	examine(t, d, true)
	if n := dbtest.Count(t, d, `select count(*) from stale where title = 'top' and reason = 'changed'`); n != 1 {
		t.Errorf("%d doubts about what rests on an edited text, want 1", n)
	}
}

func TestPermissionsAreMended(t *testing.T) {
	dbtest.SkipOnCluster(t, "the permissions of a node are those of its folder")
	d := filled(t)
	if err := os.Chmod(d.Path(), 0o644); err != nil {
		t.Fatal(err)
	}
	if f := examine(t, d, false)["permissions"]; f.Healthy {
		t.Error("a file that anybody may read is well")
	}
	examine(t, d, true)
	if info, err := os.Stat(d.Path()); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the permissions are %v, %v", info.Mode(), err)
	}
	if err := os.Chmod(d.Path()+"-wal", 0o640); err != nil {
		t.Fatal(err)
	}
	if f := examine(t, d, true)["permissions"]; !f.Fixed {
		t.Errorf("a log that others may read: %+v", f)
	}
}

func TestACorruptPageIsNamed(t *testing.T) {
	d := filled(t)
	path := t.TempDir() + "/broken.db"
	if err := d.Backup(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	root := dbtest.Count(t, d, `select rootpage from sqlite_master where name = 'edges_to'`)
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	const page = 4096
	_, err = f.WriteAt([]byte(strings.Repeat("x", 100)), int64(root-1)*page+page-100)
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	broken, err := db.Open(t.Context(), path, db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer broken.Close()
	if finding := examine(t, broken, false)["file"]; finding.Healthy {
		t.Error("a file with a corrupt page is well")
	}
	if err := broken.Backup(t.Context(), path+".copy"); fault.CodeOf(err) != fault.Internal {
		t.Errorf("Backup of a damaged store: %v, want an error", err)
	}
	if _, err := os.Stat(path + ".copy"); !os.IsNotExist(err) {
		t.Error("there is a damaged backup")
	}
}

func TestANameLeftInTheWriterIsTakenOut(t *testing.T) {
	dbtest.SkipOnCluster(t, "a name is left in the writer by hand only")
	d := filled(t)
	dbtest.Script(t, d.Path(), `update writer set actor = 'ada', at = '2026-01-01T00:00:00.000Z'`)
	if f := examine(t, d, true)["writer"]; !f.Fixed {
		t.Errorf("%+v", f)
	}
	dbtest.Script(t, d.Path(), `insert into memories (title) values ('by hand')`)
	if n := dbtest.Count(t, d, `select count(*) from journal where actor = 'ada'`); n != 0 {
		t.Error("a change by hand is in somebody's name")
	}
}

// What an owner may have added is named, and neither wrong nor dropped.
func TestObjectsOfTheOwnerAreNamedAndStay(t *testing.T) {
	dbtest.SkipOnCluster(t, "it adds tables by hand")
	d := filled(t)
	dbtest.Script(t, d.Path(), `create table mine (x); create trigger on_mine after insert on mine begin delete from mine; end;
		create view my_view as select 1; create index my_index on memories (actor); create virtual table my_words using fts5(x)`)
	f := examine(t, d, true)["rules"]
	for _, name := range []string{"table mine", "trigger on_mine", "view my_view", "index my_index", "table my_words"} {
		if !slices.ContainsFunc(f.Notes, func(note string) bool { return strings.HasPrefix(note, name+" is not one of Hence") }) {
			t.Errorf("%s is not named in %q", name, f.Notes)
		}
	}
	if n := dbtest.Count(t, d, `select count(*) from sqlite_master where name in ('mine', 'on_mine', 'my_view', 'my_index', 'my_words')`); !f.Healthy || n != 5 {
		t.Errorf("%+v, and %d of 5 objects are there", f, n)
	}
}

// After following the doctor's advice there is one successor, and the unique index again.
func TestTwoSuccessorsAreNamedAndTheMendWorks(t *testing.T) {
	d := filled(t)
	dbtest.Script(t, d.Path(), `drop index one_successor; drop trigger edge_inserting; insert into edges (id, from_key, to_key, kind) select 'second', 3, to_key, kind from edges where kind = 'supersedes'`)
	ids := dbtest.Texts(t, d, `select id from memories order by key`)
	first := dbtest.Texts(t, d, `select id from edges where kind = 'supersedes' and id <> 'second'`)[0]
	named := fmt.Sprintf("memory %s (old) has 2 successors: %s (new, edge %s), %s (top, edge second)", ids[0], ids[1], first, ids[2])
	for _, fix := range []bool{false, true} {
		findings := examine(t, d, fix)
		if f := findings["successors"]; !slices.Equal(f.Problems, []string{named}) || !strings.Contains(f.Mend, "hence unlink") {
			t.Errorf("%+v, want %q", f, named)
		}
		f := findings["rules"]
		f.Problems = slices.DeleteFunc(f.Problems, func(problem string) bool { return !fix && problem == "trigger edge_inserting is missing" })
		if len(f.Problems) != 1 || !strings.Contains(f.Problems[0], named) || strings.Contains(f.Mend, "--fix mends it") == fix {
			t.Errorf("with fix %v the rules are %+v", fix, f)
		}
	}
	if _, err := (edges.Graph{DB: d}).Unlink(t.Context(), edges.UnlinkArgs{From: ids[2], To: ids[0], Type: "supersedes"}); err != nil {
		t.Fatal(err)
	}
	if n := dbtest.Count(t, d, `select count(*) from memories where title = 'old' and status = 'superseded'`); n != 1 {
		t.Error("with one of its two successors a memory is no longer superseded")
	}
	for name, f := range examine(t, d, true) {
		if !f.Healthy {
			t.Errorf("%s: %+v", name, f)
		}
	}
	if n := dbtest.Count(t, d, `select count(*) from sqlite_master where name = 'one_successor'`); n != 1 {
		t.Error("the index is not made again")
	}
}

func TestForgedRowsOfTheJournalAreNamed(t *testing.T) {
	dbtest.SkipOnCluster(t, "it forges rows by hand, which the node writes in a batch of their own")
	const row = `insert into journal (seq, batch, at, actor, action, thing, id, undone_by) values `
	for _, c := range []struct{ name, script, want string }{
		{"OfNoMemory", row + `(99, null, '2027-01-01T00:00:00.000Z', 'ada', 'forget', 'memory', 'nobody', null)`, "row 99 (forget) is about memory nobody, which does not exist and was not removed later"},
		{"OfNoEdge", row + `(99, null, '2027-01-01T00:00:00.000Z', 'ada', 'link', 'edge', 'none', null)`, "row 99 (link) is about edge none, which does not exist"},
		{"OfAPurgeOfNothing", row + `(99, null, '2027-01-01T00:00:00.000Z', 'ada', 'purge', 'memory', 'nobody', null)`, "row 99 (purge) is about memory nobody, and no earlier row says that it was created"},
		{"OfAPurgeOfWhatIsThere", row + `(99, null, '2027-01-01T00:00:00.000Z', 'ada', 'purge', 'memory', (select id from memories where title = 'new'), null)`, "row 99 (purge) says that memory "},
		{"OfAnUnlinkOfWhatIsThere", row + `(99, null, '2027-01-01T00:00:00.000Z', 'ada', 'unlink', 'edge', (select id from edges where kind = 'supersedes'), null)`, "row 99 (unlink) says that edge "},
		{"AfterAPurge", `delete from memories where title = 'top'; ` + row + `(99, null, '2027-01-01T00:00:00.000Z', 'ada', 'update', 'memory', (select id from journal where action = 'purge'), null)`, "row 99 (update) is about memory "},
		{"BeforeTheStoring", row + `(0, null, '2027-01-01T00:00:00.000Z', 'ada', 'update', 'memory', (select id from memories where title = 'new'), null)`, "row 0 (update) is about memory "},
		{"OfAMemoryThatIsLinked", row + `(99, null, '2027-01-01T00:00:00.000Z', 'ada', 'link', 'memory', (select id from memories where title = 'new'), null)`, "row 99 has an action that its thing does not have"},
		{"AtNoTime", row + `(99, null, 'yesterday', 'ada', 'update', 'memory', (select id from memories where title = 'new'), null)`, `row 99 has a time in another form than the journal writes: "yesterday"`},
		{"BeforeItsTime", row + `(99, (select batch from writer), '2020-01-01T00:00:00.000Z', 'ada', 'update', 'memory', (select id from memories where title = 'new'), null)`, "row 99 (2020-01-01T00:00:00.000Z) is earlier than row "},
		{"OfAnEarlierBatch", row + `(99, 1, '2099-01-01T00:00:00.000Z', 'ada', 'update', 'memory', (select id from memories where title = 'new'), null)`, "row 99 (batch 1) is of an earlier batch than row "},
		{"OfABatchToCome", row + `(99, 77, '2099-01-01T00:00:00.000Z', 'ada', 'update', 'memory', (select id from memories where title = 'new'), null)`, "row 99 is of batch 77, and the last transaction was "},
		{"TakenBackByNoRow", row + `(99, null, '2027-01-01T00:00:00.000Z', 'ada', 'update', 'memory', (select id from memories where title = 'new'), 1000)`, "row 99 was undone by row 1000"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := filled(t)
			dbtest.Script(t, d.Path(), c.script)
			f := examine(t, d, true)["journal"]
			if f.Healthy || f.Mend == "" || !slices.ContainsFunc(f.Problems, func(p string) bool { return strings.Contains(p, c.want) }) {
				t.Errorf("%+v, want %q", f, c.want)
			}
		})
	}
}

// The journal is healthy after any changes by Hence, and by hand with another clock.
func TestTheJournalOfWhatHappenedIsWell(t *testing.T) {
	d := filled(t)
	g, s := edges.Graph{DB: d}, memory.Store{DB: d}
	j := journal.Journal{DB: d}
	do := func(_ any, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	do(s.Forget(t.Context(), memory.ForgetArgs{ID: "top"}))
	do(j.Undo(t.Context(), journal.UndoArgs{}))
	do(g.Unlink(t.Context(), edges.UnlinkArgs{From: "top", To: "new", Type: "depends-on"}))
	do(j.Undo(t.Context(), journal.UndoArgs{}))
	do(d.Write(t.Context(), "slow", "2001-01-01T00:00:00.000Z", db.S(`update memories set importance = 1`)))
	do(s.Forget(t.Context(), memory.ForgetArgs{ID: "new", Purge: true}))
	do(lines.Import(t.Context(), ref.View{DB: d}, strings.NewReader(`{"type":"memory","id":"a","title":"A"}
{"type":"memory","id":"b","title":"B"}
{"type":"edge","from":"a","to":"b","edge_type":"supersedes"}
`), lines.ImportArgs{}))
	dbtest.Script(t, d.Path(), `
insert into memories (id, title) values ('c', 'C');
insert into edges (id, from_key, to_key, kind) select 'c-a', c.key, a.key, 'causes' from memories c, memories a where c.id = 'c' and a.id = 'a';
update edges set weight = 0.5 where id = 'c-a';
delete from memories where id = 'c';
insert into memories (id, title) values ('c', 'C again');
update journal set at = '2011-01-01T00:00:00.000Z' where batch is null`)
	do(j.Undo(t.Context(), journal.UndoArgs{Seq: int64(dbtest.Count(t, d, `select max(seq) from journal where action = 'store'`))}))
	if f := examine(t, d, false)["journal"]; !f.Healthy {
		t.Errorf("%+v", f)
	}
	// Without the first rows, nothing is reported about memories created before.
	dbtest.Script(t, d.Path(), `delete from journal where seq < 5`)
	if f := examine(t, d, false)["journal"]; !f.Healthy {
		t.Errorf("with a journal without its beginning: %+v", f)
	}
}

func TestUnfinishedFilesAreListedAndRemovedWhenTheyAreOld(t *testing.T) {
	d := filled(t)
	root, elsewhere, stranger := t.TempDir(), t.TempDir(), t.TempDir()
	dbtest.Script(t, d.Path(), `insert into mirrors (name, root, extraction, imported_at) values ('v', '`+root+`', 1, ''), ('gone', '`+root+`/gone', 1, ''), ('elsewhere', '`+stranger+`', 1, '')`)
	records, err := permit.Of(t.Context(), d, d)
	if err = errors.Join(err, records.Import("v", root), records.Import("gone", root+"/gone")); err != nil {
		t.Fatal(err)
	}
	here := filepath.Dir(d.Path())
	old := []string{
		filepath.Join(here, ".hence-backup-123"), filepath.Join(here, ".hence-backup-123-wal"),
		filepath.Join(elsewhere, ".hence-export-77"),
		filepath.Join(root, "a", "b", ".hence-abcdefghijklmnopqrstuvwxyz.tmp"),
	}
	young := filepath.Join(here, ".hence-backup-456")
	kept := []string{
		filepath.Join(stranger, ".hence-abcdefghijklmnopqrstuvwxyz.tmp"), // this user did not import that folder
		filepath.Join(here, "hence-backup-1"), filepath.Join(here, ".hence-backup-mine"),
		filepath.Join(root, ".hidden", ".hence-abcdefghijklmnopqrstuvwxyz.tmp"),
		filepath.Join(root, ".hence.yaml"), filepath.Join(root, ".henceignore"), filepath.Join(root, "hence-doctor-1", "n.md"),
		filepath.Join(root, ".hence-backup-7", "n.md"),
	}
	long := time.Now().Add(-2 * time.Hour)
	for _, path := range slices.Concat(old, kept, []string{young}) {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("text"), 0o600); err != nil {
			t.Fatal(err)
		}
		if path != young {
			for _, p := range []string{path, filepath.Dir(path)} {
				if err := os.Chtimes(p, long, long); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	report := func(fix bool) (f doctor.Finding) {
		r, err := doctor.Doctor{DB: d, Folders: []string{elsewhere, here}}.Examine(t.Context(), fix)
		if err != nil {
			t.Fatal(err)
		}
		return r.Findings[slices.IndexFunc(r.Findings, func(f doctor.Finding) bool { return f.Check == "unfinished files" })]
	}
	f := report(false)
	if f.Healthy || len(f.Problems) != len(old) || len(f.Notes) != 1 || !strings.Contains(f.Notes[0], young) {
		t.Errorf("found %+v", f)
	}
	for _, path := range old {
		if !strings.Contains(strings.Join(f.Problems, "\n"), path+" (4 bytes") {
			t.Errorf("%s is not listed in %q", path, f.Problems)
		}
	}
	if f := report(true); !f.Healthy || !f.Fixed || len(f.Notes) != 1 {
		t.Errorf("after mending: %+v", f)
	}
	for _, path := range old {
		if _, err := os.Stat(path); !os.IsNotExist(err) {
			t.Errorf("%s is still there", path)
		}
	}
	for _, path := range append(kept, young) {
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
}

func TestDoctorNotesWhatLooksLikeASecret(t *testing.T) {
	d := filled(t)
	key := "AK" + "IA" + "Q7Z2X4T9M5R3LPW8"
	dbtest.Script(t, d.Path(), `update memories set content = 'first
with `+key+` and', content_hash = '`+db.Hash("x")+`' where title = 'top'`)
	f := examine(t, d, false)["secrets"]
	if !f.Healthy || len(f.Notes) != 1 || !strings.Contains(f.Notes[0], "(top), line 2: with [secret: aws-key] and") || strings.Contains(f.Notes[0], key) {
		t.Errorf("finding is %+v", f)
	}
}

func TestFilesInUseThatWereRemoved(t *testing.T) {
	dbtest.SkipOnCluster(t, "it removes files of the store")
	if _, err := os.Stat("/proc/self/fd"); err != nil {
		t.Skip("the system does not show which files are open")
	}
	d := filled(t)
	if f := examine(t, d, false)["files in use"]; !f.Healthy {
		t.Errorf("before: %q", f.Problems)
	}
	open, err := os.Open(d.Path() + "-wal")
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()
	for _, suffix := range []string{"-wal", "-shm"} {
		if err := os.Remove(d.Path() + suffix); err != nil {
			t.Fatal(err)
		}
	}
	f := examine(t, d, false)["files in use"]
	if f.Healthy || !strings.Contains(f.Problems[0], fmt.Sprintf("/proc/%d/fd/%d ", os.Getpid(), open.Fd())) || f.Mend == "" {
		t.Errorf("after: %+v", f)
	}
}
