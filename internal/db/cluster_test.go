package db_test

import (
	"errors"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
)

// insertNamed returns a statement that inserts a memory with all values that a node of a cluster
// must not generate.
func insertNamed(id, title, content string) db.Stmt {
	return db.S(`
insert into memories (id, title, content, content_hash, created_at, updated_at)
values (?1, ?2, ?3, ?4, ?5, ?5)`, id, title, content, db.Hash(content), "2026-01-01T00:00:00.000Z")
}

// onFake opens an empty store of a fake cluster.
func onFake(t *testing.T) (*db.DB, *dbtest.Fake) {
	t.Helper()
	f := dbtest.NewFake(t)
	d, err := db.Open(t.Context(), f.Name(), db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	c := d.Cluster()
	c.Try, c.Patience, c.Settle = 20*time.Second, time.Minute, time.Minute
	return d, f
}

// onNode opens an empty store of a real node if there is a program for it, else of a fake cluster.
func onNode(t *testing.T) *db.DB {
	t.Helper()
	if dbtest.OnCluster() {
		return dbtest.New(t)
	}
	d, _ := onFake(t)
	return d
}

func store(t *testing.T, d *db.DB, id string) ([]int64, error) {
	t.Helper()
	return d.Write(t.Context(), "tester", db.Now(), insertNamed(id, "title of "+id, "text"),
		db.S(`update memories set importance = 0.7 where id = ?`, id), db.S(`delete from memories where id = 'nobody'`))
}

func TestAClusterTakesABatchOnceWhateverHappensToTheAnswer(t *testing.T) {
	for name, c := range map[string]struct {
		meet  func(request int, body string) dbtest.Mishap
		lands bool
		code  fault.Code
	}{
		"Answered": {nil, true, ""},
		"AnswerLost": {func(n int, _ string) dbtest.Mishap {
			return []dbtest.Mishap{dbtest.LostAfter, dbtest.None}[min(n-1, 1)]
		}, true, ""},
		"RequestLost": {func(n int, _ string) dbtest.Mishap {
			return []dbtest.Mishap{dbtest.LostFirst, dbtest.None}[min(n-1, 1)]
		}, true, ""},
		"LeadershipLost":          {func(n int, _ string) dbtest.Mishap { return []dbtest.Mishap{dbtest.Unsure, dbtest.None}[min(n-1, 1)] }, true, ""},
		"NoLeaderForAWhile":       {func(n int, _ string) dbtest.Mishap { return map[bool]dbtest.Mishap{true: dbtest.NoLeader}[n < 4] }, true, ""},
		"CarriedOutLater":         {func(n int, _ string) dbtest.Mishap { return map[bool]dbtest.Mishap{true: dbtest.Later}[n == 1] }, true, ""},
		"EachSecondAnswerLost":    {func(n int, _ string) dbtest.Mishap { return map[bool]dbtest.Mishap{true: dbtest.LostAfter}[n%2 == 1] }, true, ""},
		"NoLeaderAtAll":           {func(int, string) dbtest.Mishap { return dbtest.NoLeader }, false, fault.Unavailable},
		"NoAnswerAndCarriedOut":   {func(int, string) dbtest.Mishap { return dbtest.LostAfter }, true, ""},
		"NoAnswerNotCarriedOut":   {func(int, string) dbtest.Mishap { return dbtest.LostFirst }, false, fault.OutcomeUnknown},
		"NoAnswerThenMadeVoid":    {onlyVoid(0), false, fault.Unavailable},
		"NoAnswerThenVoidUnheard": {onlyVoid(1), false, fault.Unavailable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, f := onFake(t)
			switch {
			case name == "CarriedOutLater":
				d.Cluster().Try = time.Second
			case c.code == fault.OutcomeUnknown, name == "NoAnswerAndCarriedOut": // it waits to the end of both
				d.Cluster().Patience, d.Cluster().Settle = time.Second, time.Second
			case c.code == fault.Unavailable:
				d.Cluster().Patience = time.Second
			}
			requests := atomic.Int64{}
			f.Reset(func(n int, body string) dbtest.Mishap {
				requests.Store(int64(n))
				if c.meet == nil {
					return dbtest.None
				}
				return c.meet(n, body)
			})
			changed, err := store(t, d, "one")
			if n := requests.Load(); n > 100 {
				t.Errorf("%d requests, which leave the node no rest", n)
			}
			if fault.CodeOf(err) != c.code {
				t.Fatalf("%v, want the code %q", err, c.code)
			}
			if err == nil && (len(changed) != 3 || changed[0] != 1 || changed[1] != 1 || changed[2] != 0) {
				t.Errorf("the statements changed %v, want 1, 1 and 0 rows", changed)
			}
			f.Reset(nil)
			want := map[bool]int{true: 1}[c.lands]
			if got := dbtest.Count(t, d, `select count(*) from journal where action = 'store' and id = 'one'`); got != want {
				t.Errorf("it landed %d times, want %d", got, want)
			}
			if _, err := store(t, d, "two"); err != nil {
				t.Errorf("the next batch: %v", err)
			}
			f.Replay(t)
		})
	}
}

// onlyVoid returns mishaps that lose every request except those that make a batch void, and the
// answers to the given number of these.
func onlyVoid(unheard int) func(int, string) dbtest.Mishap {
	return func(_ int, body string) dbtest.Mishap {
		switch {
		case strings.Contains(body, "insert into memories"):
			return dbtest.LostFirst
		case unheard > 0:
			unheard--
			return dbtest.LostAfter
		}
		return dbtest.None
	}
}

// A statement may read what the previous one changed, as the last statements of a batch do.
func TestAStatementOnAClusterSeesWhatTheOneBeforeItChanged(t *testing.T) {
	d, f := onFake(t)
	f.Reset(func(n int, _ string) dbtest.Mishap { return map[bool]dbtest.Mishap{true: dbtest.LostAfter}[n == 1] })
	changed, err := d.Write(t.Context(), "tester", db.Now(), insertNamed("one", "one", ""), insertNamed("two", "two", ""),
		db.S(`update memories set importance = 0.25`),
		db.S(`update memories set importance = changes() / 8.0 where id = 'one'`),
		db.S(`update memories set pinned = 1`))
	if err != nil || len(changed) != 5 || changed[3] != 1 || changed[4] != 2 {
		t.Fatalf("%v, %v", changed, err)
	}
	if got := dbtest.Texts(t, d, `select importance from memories where id = 'one'`); got[0] != "0.25" {
		t.Errorf("it saw %s eighths, want 2", got)
	}
}

func TestAClusterRefusesInTheWordsOfAPlainStore(t *testing.T) {
	cluster, _ := onFake(t)
	plain, err := db.Open(t.Context(), dbtest.Folder(t)+"/plain.db", db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = plain.Close() })
	for _, d := range []*db.DB{plain, cluster} {
		if _, err := d.Write(t.Context(), "tester", db.Now(), insertNamed("one", "first", "")); err != nil {
			t.Fatal(err)
		}
	}
	own := fault.New(fault.Exists, "there is one")
	for name, statement := range map[string]db.Stmt{
		"AConstraintWithAnError": insertNamed("one", "again", "").Or(own),
		"AConstraint":            insertNamed("one", "again", ""),
		"ATrigger":               db.S(`update memories set id = 'other' where id = 'one'`),
		"ATriggerWithAnError":    db.S(`update memories set id = 'other' where id = 'one'`).Or(own),
		"ACondition":             db.Expect(`false`, own),
		"AType":                  db.S(`update memories set title = x'00' where id = 'one'`),
		"AnotherError":           db.S(`insert into nowhere values (1)`).Or(own),
		"AReference":             db.S(`insert into opened (memory, at) values (77, '2026-01-01T00:00:00.000Z')`),
	} {
		t.Run(name, func(t *testing.T) {
			said := map[bool]string{}
			for isPlain, d := range map[bool]*db.DB{true: plain, false: cluster} {
				before := dbtest.Count(t, d, `select count(*) from journal`)
				_, err := d.Write(t.Context(), "tester", db.Now(), insertNamed("new", "new", ""), statement)
				if err == nil {
					t.Fatal("it is not refused")
				}
				said[isPlain] = strings.ReplaceAll(string(fault.CodeOf(err))+": "+err.Error(), d.Path(), "FILE")
				if is := dbtest.Count(t, d, `select count(*) from journal`); is != before {
					t.Error("something was written")
				}
			}
			if said[true] != said[false] {
				t.Errorf("on a cluster:\n%s\nwant\n%s", said[false], said[true])
			}
		})
	}
}

func TestEveryRefusalOfTheSchemaIsKnownByItsWords(t *testing.T) {
	text, err := os.ReadFile("../../schema.sql")
	if err != nil {
		t.Fatal(err)
	}
	if known, n := len(db.Raised()), strings.Count(string(text), "raise(abort, '"); n != known {
		t.Errorf("%d refusals are known of %d in schema.sql", known, n)
	}
}

func TestAClustersStoreTakesNothingThatANodeWouldMakeUp(t *testing.T) {
	d, f := onFake(t)
	if _, err := store(t, d, "one"); err != nil {
		t.Fatal(err)
	}
	t.Run("InABatch", func(t *testing.T) {
		for _, text := range []string{
			`insert into memories (title) values ('x')`,
			`insert or ignore into memories (id, title, content_hash, created_at) values ('x', 'x', 'x', '')`,
			`insert into edges (from_key, to_key, kind) values (1, 2, 'causes')`,
			`insert into tokens (name, hash) values ('x', 'x')`,
			`update memories set content_hash = hex(randomblob(8))`,
			`update memories set verified_at = strftime('%Y', 'now')`,
			`update memories set verified_at = current_timestamp`,
		} {
			if _, err := d.Write(t.Context(), "tester", db.Now(), db.S(text)); fault.CodeOf(err) != fault.Internal {
				t.Errorf("%s: %v, want an error of code internal", text, err)
			}
		}
	})
	t.Run("ByHand", func(t *testing.T) {
		for _, text := range []string{
			`insert into memories (title) values ('by default')`,
			`update memories set content = 'by hand'`,
			`update memories set title = 'by hand'`,
			`delete from memories`,
			`insert into tokens (name, hash) values ('x', '0123456789012345678901234567890123456789012345678901234567890123')`,
			`delete from home`,
		} {
			if err := f.Run(text); err == nil {
				t.Errorf("%s is not refused", text)
			}
		}
	})
	t.Run("TextWithoutItsHash", func(t *testing.T) {
		if _, err := d.Write(t.Context(), "tester", db.Now(), db.S(`update memories set content = 'other'`)); fault.CodeOf(err) != fault.Conflict {
			t.Errorf("%v, want a refusal", err)
		}
	})
}

func TestANodesFileIsOnlyReadByItsPath(t *testing.T) {
	d, f := onFake(t)
	if _, err := store(t, d, "one"); err != nil {
		t.Fatal(err)
	}
	byPath, err := db.Open(t.Context(), f.File, db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if n := dbtest.Count(t, byPath, `select count(*) from memories`); n != 1 || !byPath.ReadOnly() {
		t.Errorf("%d memories, read-only: %v", n, byPath.ReadOnly())
	}
	_, err = byPath.Write(t.Context(), "tester", db.Now(), insertNamed("two", "two", ""))
	if fault.CodeOf(err) != fault.ReadOnly || !strings.Contains(err.Error(), "a cluster's node") {
		t.Errorf("%v, want read_only for a node's file", err)
	}
	if _, _, err := byPath.Vacuum(t.Context()); fault.CodeOf(err) != fault.ReadOnly {
		t.Errorf("vacuum: %v", err)
	}
	if err := byPath.MendWriter(t.Context()); fault.CodeOf(err) != fault.ReadOnly {
		t.Errorf("mend: %v", err)
	}
	if _, err := db.RestoreBackup(t.Context(), backup(t, d), f.File, db.Options{}); fault.CodeOf(err) != fault.ReadOnly {
		t.Errorf("restore: %v", err)
	}
	if err := f.Restart(0); err != nil {
		t.Fatal(err)
	}
	if _, err := store(t, d, "two"); err != nil {
		t.Errorf("the cluster afterwards: %v", err)
	}
	if n := dbtest.Count(t, byPath, `select count(*) from memories`); n != 2 {
		t.Errorf("%d memories by its path after the node was started again", n)
	}
	if err := byPath.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := store(t, d, "three"); err != nil {
		t.Errorf("the cluster without the reader by its path: %v", err)
	}
}

func backup(t *testing.T, d *db.DB) string {
	t.Helper()
	path := dbtest.Folder(t) + "/backup.db"
	if err := d.Backup(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestABackupOfAClusterIsAPlainStoreAndComesBack(t *testing.T) {
	d, f := onFake(t)
	if _, err := store(t, d, "one"); err != nil {
		t.Fatal(err)
	}
	path := backup(t, d)
	if _, err := store(t, d, "two"); err != nil {
		t.Fatal(err)
	}
	plain, err := db.Open(t.Context(), path, db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	dbtest.Script(t, path, `insert into memories (title) values ('by hand')`)
	if n := dbtest.Count(t, plain, `select count(*) from memories`); n != 2 || dbtest.Count(t, plain, `select count(*) from home, landed`) != 0 {
		t.Errorf("the backup has %d memories", n)
	}
	if err := plain.Close(); err != nil {
		t.Fatal(err)
	}
	before, err := d.Act(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	saved, err := db.RestoreBackup(t.Context(), path, f.Name(), db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(saved); err != nil {
		t.Error(err)
	}
	// Also in the open store, which must open the new file.
	if texts := dbtest.Texts(t, d, `select title from memories order by key`); strings.Join(texts, ",") != "title of one,by hand" {
		t.Errorf("the store has %v", texts)
	}
	if after, err := d.Act(t.Context()); err != nil || after <= before {
		t.Errorf("the number went from %d to %d, %v", before, after, err)
	}
	if _, err := store(t, d, "three"); err != nil {
		t.Error(err)
	}
}

// Two servers that open an empty cluster at the same time create one store.
func TestServersThatOpenAnEmptyClusterAtOnceMakeOneStore(t *testing.T) {
	f := dbtest.NewFake(t)
	failed := make(chan error)
	const servers = 4
	for range servers {
		go func() {
			d, err := db.Open(t.Context(), f.Name(), db.Options{})
			if err == nil {
				_, err = d.Write(t.Context(), "tester", db.Now(), insertNamed(db.NewID(), "one", ""))
				err = errors.Join(err, d.Close())
			}
			failed <- err
		}()
	}
	for range servers {
		if err := <-failed; err != nil {
			t.Error(err)
		}
	}
	d, err := db.Open(t.Context(), f.Name(), db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if n := dbtest.Count(t, d, `select count(*) from memories`); n != servers {
		t.Errorf("%d memories, want %d", n, servers)
	}
	if n := dbtest.Count(t, d, `select count(*) from home`); n != 1 {
		t.Errorf("%d rows in home", n)
	}
	f.Replay(t)
}

func TestAClustersStoreIsSavedBeforeItsMigration(t *testing.T) {
	d, f := onFake(t)
	if _, err := store(t, d, "one"); err != nil {
		t.Fatal(err)
	}
	reported := []db.Migration{}
	if err := db.MigrateCluster(t.Context(), f.Name(), func(m db.Migration) { reported = append(reported, m) }); err != nil {
		t.Fatal(err)
	}
	if len(reported) != 1 || !strings.HasPrefix(reported[0].Saved, f.File+".before-schema-") {
		t.Fatalf("reported %+v", reported)
	}
	saved, err := db.Open(t.Context(), reported[0].Saved, db.Options{}) // a plain store of this version
	if err != nil {
		t.Fatal(err)
	}
	defer saved.Close()
	if n := dbtest.Count(t, saved, `select count(*) from memories where id = 'one'`); n != 1 {
		t.Errorf("%d memories in the copy", n)
	}
	if _, err := db.Open(t.Context(), f.Name(), db.Options{}); fault.CodeOf(err) != fault.InvalidArgument || !strings.Contains(err.Error(), "made by a newer Hence") {
		t.Errorf("this version opens what the newer one migrated: %v", err)
	}
	f.Replay(t)
}

// probe creates a table for values of every type, passed as an argument and in a list.
const probe = `
create table if not exists probe (
  key  integer primary key,
  text text, whole integer, real real, bytes blob,
  text_of_list text, whole_of_list integer, real_of_list real
) strict`
