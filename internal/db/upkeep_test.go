package db_test

import (
	"testing"
	"time"

	"hence/internal/db"
	"hence/internal/db/dbtest"
)

// The upkeep takes what the sqlite3 shell has written as it is: nothing there keeps the next batch
// from being written, or is kept up twice.
func TestTheUpkeepOfWhatTheShellWrote(t *testing.T) {
	dbtest.SkipOnCluster(t, "the store of a cluster is not written from the shell")
	edge := `
insert into memories (key, id, title) values (1, 'a', 'A'), (2, 'b', 'B');
insert into edges (id, from_key, to_key, kind, declared) values ('e', 1, 2, 'causes', 'explicit');`
	for _, test := range []struct {
		name, script, shell string
		query               string
		want                string
	}{
		{"a time without a next one", `insert into memories (id, title, created_at) values ('m', 'A', '9999-12-31T23:59:59.999Z')`,
			`update memories set title = 'B' where id = 'm'`, `select group_concat(field) from stamps where id = 'm'`, "title"},
		{"an edge of a time without a next one", `insert into memories (key, id, title) values (1, 'a', 'A'), (2, 'b', 'B');
insert into edges (id, from_key, to_key, kind, created_at) values ('e', 1, 2, 'causes', '9999-12-31T23:59:59.999Z');`,
			`update edges set weight = 0.5; update edges set basis = 'x'; update edges set basis = 'y'`, `select count(*) > 0 from stamps where id = 'e'`, "1"},
		{"a title that is not UTF-8", `insert into memories (id, title) values ('m', 'A')`,
			`update memories set title = cast(x'41ff42' as text) where id = 'm'`, `select count(*) from folded_titles where folded is null`, "0"},
		{"an emptied journal", `insert into memories (id, title) values ('m', 'A'), ('n', 'A')`,
			`delete from journal`, `select group_concat(past) from stamps where id = 'm'`, `["=A"]`},
		{"an edge that is left to notes", edge, `update edges set declared = 'site'`, `select group_concat(from_id || kind || to_id) from unlinked`, "acausesb"},
		{"an edge that is gone", edge, `delete from edges`, `select group_concat(from_id || kind || to_id) from unlinked`, "acausesb"},
		{"an edge that came again, and then rests on another text", edge + `delete from edges;`,
			`insert into edges (id, from_key, to_key, kind, declared, created_at, basis) values ('e', 1, 2, 'causes', 'explicit', '2001-01-01T00:00:00.000Z', 'x'); update edges set basis = 'y'`,
			`select (select count(*) from unlinked) || (select group_concat(field) from (select field from stamps where id = 'e' order by 1))`, "1basis,said"},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := dbtest.New(t)
			dbtest.Script(t, d.Path(), test.script)
			if _, err := d.Write(t.Context(), "someone", db.Now()); err != nil {
				t.Fatal(err)
			}
			dbtest.Script(t, d.Path(), test.shell)
			if _, err := d.Write(t.Context(), "someone", db.Now(), db.S(`update memories set title = 'Z' where id = 'm' and title = 'A'`)); err != nil {
				t.Fatalf("a write after the shell's: %v", err)
			}
			wantKeptUp(t, d, test.query, test.want)
		})
	}
}

// wantKeptUp fails if a query has another answer, or if upkeep still waits.
func wantKeptUp(t *testing.T, d *db.DB, query, want string) {
	t.Helper()
	if got := dbtest.Texts(t, d, `select cast((`+query+`) as text)`); got[0] != want {
		t.Errorf("%s: %q, want %q", query, got[0], want)
	}
	batch := dbtest.Count(t, d, `select batch from writer`)
	if err := d.KeepUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	if again := dbtest.Count(t, d, `select batch from writer`); again != batch {
		t.Error("the upkeep is done again")
	}
}

// Upkeep may wait, but a process that opens a store to read it does not wait for another's long transaction; the first
// write does.
func TestOpenDoesNotWaitToKeepUp(t *testing.T) {
	dbtest.SkipOnCluster(t, "edits by hand are refused there")
	d := dbtest.New(t)
	dbtest.Script(t, d.Path(), `insert into memories (id, title) values ('m', 'Ærø')`)
	release := dbtest.HoldWriter(t, d.Path())
	opened, long := make(chan error, 1), time.Hour
	var again *db.DB
	go func() {
		var err error
		again, err = db.Open(t.Context(), d.Path(), db.Options{Wait: long})
		opened <- err
	}()
	select {
	case err := <-opened:
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(time.Minute):
		t.Fatal("it waits for the other process")
	}
	defer again.Close()
	if n := dbtest.Count(t, again, `select count(*) from folded_titles where folded is null`); n != 1 {
		t.Fatalf("%d titles wait, want 1", n)
	}
	time.AfterFunc(100*time.Millisecond, release)
	if _, err := again.Write(t.Context(), "tester", db.Now(), db.S(`update memories set pinned = 1`)); err != nil {
		t.Errorf("a write does not wait: %v", err)
	}
	if n := dbtest.Count(t, again, `select count(*) from folded_titles where folded is null`); n != 0 {
		t.Errorf("%d titles wait after a write", n)
	}
}

// A text that the shell wrote has a hash that no text has, so that what rests on it is stale, until the upkeep
// hashes it. What rested on another text stays stale; what was linked to this text does not become so.
func TestTheUpkeepHashesTexts(t *testing.T) {
	dbtest.SkipOnCluster(t, "the store of a cluster is not written from the shell")
	for name, test := range map[string]struct {
		shell, query, want string
		write              string // a statement of the batch that does the upkeep
	}{
		"a verification of it": {`insert into memories (key, title) values (9, 'N'); update memories set content = 'x' where key = 1`, `select evidence from verifications`, db.Hash("x"),
			`insert into verifications (memory, because, reason, evidence, at) select 9, 1, 'changed', content_hash, '2026-01-01T00:00:00.000Z' from memories where key = 1`},
		"a confirmation":               {`update memories set content = 'x'`, `select confirmed from memories`, db.Hash("x") + " A", `update memories set confirmed = content_hash || ' ' || title`},
		"a confirmation is one change": {`update memories set content = 'x'`, `select count(*) from journal where before like '%confirmed%'`, "1", `update memories set confirmed = content_hash || ' ' || title`},
		"no stamp of a verification":   {shell: `update memories set content = 'x'; insert into memories (key, title) values (9, 'N'); insert into edges (from_key, to_key, kind) values (9, 1, 'depends-on')`, query: `select count(*) from stamps where field = 'basis'`, want: "0"},
		"a stamp of a verification": {`insert into memories (key, title) values (9, 'N'); insert into edges (from_key, to_key, kind) values (9, 1, 'depends-on'); update memories set content = 'x' where key = 1`, `select (select count(*) from stamps where field = 'basis') || (select basis from edges)`, "1" + db.Hash("x"),
			`update edges set basis = (select content_hash from memories where key = 1)`},
		"an edit and a new namespace": {shell: `update memories set content = 'x', namespace = 'other'`, query: `select m.content_hash from memories m join sections s on s.memory = m.key join section_ranges r on r.namespace = 'other' and s.key between r.first and r.last`, want: db.Hash("x")},
		"an edit":                     {shell: `update memories set content = 'x'`, query: `select content_hash from memories`, want: db.Hash("x")},
		"two edits":                   {shell: `update memories set content = 'y'; update memories set content = 'x'`, query: `select content_hash from memories`, want: db.Hash("x")},
		"a new memory":                {shell: `insert into memories (title, content) values ('N', 'ä' || char(10))`, query: `select content_hash from memories where title = 'N'`, want: db.Hash("ä\n")},
		"a memory without a text":     {shell: `insert into memories (title) values ('N')`, query: `select content_hash from memories where title = 'N'`, want: db.Hash("")},
		"a note":                      {shell: `insert into memories (title, content, uri, kind, origin) values ('N', 'x', 'obsidian-fs://v/N.md', 'note', 'vault')`, query: `select content_hash from memories where title = 'N'`, want: db.Hash("x")},
		"what a new edge rests on":    {shell: `update memories set content = 'x'; insert into memories (key, title) values (9, 'N'); insert into edges (from_key, to_key, kind) values (9, 1, 'depends-on')`, query: `select basis from edges where from_key = 9`, want: db.Hash("x")},
		"what rests on an old text":   {shell: `insert into memories (key, title) values (9, 'N'); insert into edges (from_key, to_key, kind) values (9, 1, 'depends-on'); update memories set content = 'x' where key = 1`, query: `select title || ' ' || reason from stale`, want: "N changed"},
		"what rests on a new text":    {shell: `update memories set content = 'x'; insert into memories (key, title) values (9, 'N'); insert into edges (from_key, to_key, kind) values (9, 1, 'depends-on')`, query: `select count(*) from stale`, want: "0"},
		"a symbol, by its tokens":     {shell: `insert into memories (title, content, uri, kind, origin) values ('N', 'x', 'code://r/N', 'code', 'code')`, query: `select content_hash like 'unhashed-%' from memories where title = 'N'`, want: "1"},
		"a picture, by its bytes":     {shell: `insert into memories (title, uri, kind, origin) values ('N', 'obsidian-fs://v/N.png', 'file', 'vault')`, query: `select content_hash like 'unhashed-%' from memories where title = 'N'`, want: "1"},
	} {
		t.Run(name, func(t *testing.T) {
			d := dbtest.New(t)
			if _, err := d.Write(t.Context(), "someone", db.Now(), db.S(`insert into memories (key, title, content, content_hash) values (1, 'A', 'a', ?)`, db.Hash("a"))); err != nil {
				t.Fatal(err)
			}
			dbtest.Script(t, d.Path(), test.shell)
			statements := []db.Stmt{}
			if test.write != "" {
				statements = append(statements, db.S(test.write))
			}
			if _, err := d.Write(t.Context(), "someone", db.Now(), statements...); err != nil {
				t.Fatal(err)
			}
			wantKeptUp(t, d, test.query, test.want)
		})
	}
}
