package db_test

import (
	"errors"
	"slices"
	"testing"

	"hence/internal/db"
	"hence/internal/db/dbtest"
)

func TestJournalHasARowForEachChange(t *testing.T) {
	for _, c := range []struct {
		name, before, script string
		want                 []string // actor|action|thing|id|before
	}{
		{"Store", "", memories("a"), []string{"sqlite3|store|memory|a|"}},
		{"Title", memories("a"), `update memories set title = 'New'`, []string{`sqlite3|update|memory|a|{"title":"Title a"}`}},
		{"SeveralAtOnce", memories("a"), `update memories set kind = 'decision', tags = '["x"]', pinned = 1, confidence = 0.5`,
			[]string{`sqlite3|update|memory|a|{"kind":"fact","tags":[],"pinned":0,"confidence":null}`}},
		{"PropertiesAsJSON", memories("a") + `update memories set properties = '{"n":[1]}';`, `update memories set properties = '{}'`,
			[]string{`sqlite3|update|memory|a|{"properties":{"n":[1]}}`}},
		{"NothingChanged", memories("a"), `update memories set title = title, status = status`, nil},
		{"TwoRows", memories("a", "b"), `update memories set importance = 1`,
			[]string{`sqlite3|update|memory|a|{"importance":0.5}`, `sqlite3|update|memory|b|{"importance":0.5}`}},
		{"Forget", memories("a"), `update memories set status = 'forgotten', forgotten_at = '2026-01-01T00:00:00.000Z', forget_reason = 'old'`,
			[]string{`sqlite3|forget|memory|a|{"status":"current","forgotten_at":null,"forget_reason":null}`}},
		{"Restore", memories("a") + `update memories set status = 'forgotten', forgotten_at = '2026-01-01T00:00:00.000Z', forget_reason = 'old';`,
			`update memories set status = 'current', forgotten_at = null, forget_reason = null`,
			[]string{`sqlite3|restore|memory|a|{"status":"forgotten","forgotten_at":"2026-01-01T00:00:00.000Z","forget_reason":"old"}`}},
		{"Verify", memories("a"), `update memories set verified_at = '2026-01-01T00:00:00.000Z'`,
			[]string{`sqlite3|verify|memory|a|{"verified_at":null}`}},
		{"Namespace", memories("a"), `update memories set namespace = 'other'`, []string{`sqlite3|update|memory|a|{"namespace":"default"}`}},
		{"Supersede", memories("a", "b"), edge("b", "supersedes", "a"),
			[]string{"sqlite3|link|edge|b-supersedes-a|", `sqlite3|supersede|memory|a|{"status":"current"}`}},
		{"Reinstate", memories("a", "b") + edge("b", "supersedes", "a") + `update edges set created_at = '2026-01-01T00:00:00.000Z';`, `delete from edges`, []string{
			`sqlite3|unlink|edge|b-supersedes-a|{"from":"b","to":"a","kind":"supersedes","rel":"","weight":1.0,"origin":"person","actor":"","note":"","declared":"explicit","basis":null,"valid_from":null,"valid_to":null,"created_at":"2026-01-01T00:00:00.000Z"}`,
			`sqlite3|reinstate|memory|a|{"status":"superseded"}`}},
		{"Relink", memories("a", "b") + edge("a", "causes", "b"), `update edges set weight = 0.5, note = 'less sure'`, []string{
			`sqlite3|relink|edge|a-causes-b|{"from":"a","to":"b","rel":"","weight":1.0,"note":"","valid_from":null,"valid_to":null,"declared":"explicit"}`}},
		{"Purge", memories("a"), `delete from memories`, []string{"sqlite3|purge|memory|a|"}},
		{"NamedWriter", memories("a") + `update writer set actor = 'ada', at = '2026-01-01T00:00:00.000Z';`, `update memories set title = 'New'`,
			[]string{`ada|update|memory|a|{"title":"Title a"}`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newShell(t)
			s.do(t, c.before+`delete from journal;`)
			s.do(t, c.script)
			s.want(t, `select actor, action, thing, id, before from journal order by seq`, c.want...)
			if c.name == "NamedWriter" {
				s.want(t, `select at from journal`, "2026-01-01T00:00:00.000Z")
			}
		})
	}
}

func TestBatchIsWrittenInItsOwnersName(t *testing.T) {
	d := dbtest.New(t)
	if _, err := d.Write(t.Context(), "ada", "2026-01-01T00:00:00.000Z", db.S(`insert into memories (title) values ('x')`)); err != nil {
		t.Fatal(err)
	}
	if n := dbtest.Count(t, d, `select count(*) from journal where actor = 'ada' and at = '2026-01-01T00:00:00.000Z'`); n != 1 {
		t.Errorf("%d rows in ada's name, want 1", n)
	}
	dbtest.Script(t, d.Path(), `insert into memories (title) values ('y')`)
	if n := dbtest.Count(t, d, `select count(*) from journal where actor = 'sqlite3' and at > '2026-01-02'`); n != 1 {
		t.Errorf("%d rows in the shell's name, want 1", n)
	}
}

func TestTheTimeOfABatchIsNeverBeforeThatOfTheBatchBefore(t *testing.T) {
	d := dbtest.New(t)
	for _, now := range []string{"2026-03-01T00:00:00.000Z", "2026-02-01T00:00:00.000Z", "2026-04-01T00:00:00.000Z", "2026-03-31T23:59:59.999Z"} {
		if _, err := d.Write(t.Context(), "ada", now, db.S(`insert into memories (title) values (?)`, now)); err != nil {
			t.Fatal(err)
		}
		// Rows that are written by hand, or pretend to be, must not matter.
		dbtest.Script(t, d.Path(), `
insert into journal (batch, at, actor, action, thing, id) values (null, '2099-01-01T00:00:00.000Z', '', 'store', 'memory', 'x');
insert into journal (batch, at, actor, action, thing, id) values (9, '2099-01-01T00:00:00.000Z', '', 'store', 'memory', 'x')`)
	}
	got := dbtest.Texts(t, d, `select at from journal where id <> 'x' order by seq`)
	want := []string{"2026-03-01T00:00:00.000Z", "2026-03-01T00:00:00.000Z", "2026-04-01T00:00:00.000Z", "2026-04-01T00:00:00.000Z"}
	if !slices.Equal(got, want) {
		t.Errorf("the journal says %q, want %q", got, want)
	}
}

func TestNothingIsWrittenWithoutTheRowOfTheWriter(t *testing.T) {
	d := dbtest.New(t)
	if _, err := d.Write(t.Context(), "ada", "2026-01-01T00:00:00.000Z", db.S(`insert into memories (title) values ('x')`)); err != nil {
		t.Fatal(err)
	}
	dbtest.Script(t, d.Path(), `drop trigger writer_stays; delete from writer`)
	if _, err := d.Write(t.Context(), "ada", "2026-01-02T00:00:00.000Z", db.S(`insert into memories (title) values ('y')`)); !errors.Is(err, db.ErrNoWriter) {
		t.Errorf("Write: %v, want %v", err, db.ErrNoWriter)
	}
	if n := dbtest.Count(t, d, `select count(*) from memories`); n != 1 {
		t.Errorf("%d memories, want 1", n)
	}
	for range 2 {
		if err := d.MendWriter(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := d.Write(t.Context(), "ada", "2025-01-01T00:00:00.000Z", db.S(`insert into memories (title) values ('y')`)); err != nil {
		t.Fatal(err)
	}
	if got := dbtest.Texts(t, d, `select batch || ' ' || at from journal order by seq`); !slices.Equal(got, []string{"1 2026-01-01T00:00:00.000Z", "2 2026-01-01T00:00:00.000Z"}) {
		t.Errorf("the journal says %q", got)
	}
}
