package db_test

import (
	"maps"
	"path/filepath"
	"testing"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
)

func digests(t *testing.T, path string) map[string]string {
	t.Helper()
	all, err := db.ReadDigests(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	return all.Tables
}

// differing returns the names of the tables whose digests differ, as one text.
func differing(one, other map[string]string) (names string) {
	for _, table := range []string{"t", "u", "v"} {
		if one[table] != other[table] {
			names += table
		}
	}
	return names
}

const digested = `
create table writer (batch integer);
insert into writer values (7);
create table t (id integer primary key, a text, b blob, c real, d integer);
create table u (a text, b text, primary key (b, a)) without rowid;
create table v (a);
insert into t values (1, 'one', x'00ff', 1.0, 1), (2, 'two', null, -0.5, 9223372036854775807);
insert into u values ('x', 'y'), ('xy', ''), ('', 'xy');
insert into v values ('1'), (1), (1.5), (x'31');
`

func TestDigestsTellWhichTableDiffers(t *testing.T) {
	folder := dbtest.Folder(t)
	first := filepath.Join(folder, "first.db")
	dbtest.Script(t, first, digested)
	if all, err := db.ReadDigests(t.Context(), first); err != nil || all.Act != 7 {
		t.Errorf("the last transaction is %d, %v; want 7", all.Act, err)
	}
	want := digests(t, first)
	for _, c := range []struct{ name, script, differ string }{
		{"Nothing", ``, ""},
		{"AnotherOrderOfWriting", `delete from u; insert into u values ('', 'xy'), ('x', 'y'), ('xy', ''); vacuum`, ""},
		{"AValue", `update t set a = 'One' where id = 1`, "t"},
		{"AType", `update v set a = 1 where rowid = 1`, "v"},
		{"ABlobForAText", `update v set a = '1' where rowid = 4`, "v"},
		{"NullForNothing", `update t set b = x'' where id = 2`, "t"},
		{"AKey", `update t set id = 3 where id = 2`, "t"},
		{"ARowMoved", `update v set rowid = 9 where rowid = 1`, "v"},
		{"TextMovedToTheNextColumn", `update u set a = 'xyx', b = '' where b = 'y'`, "u"},
		{"ARowLess", `delete from u where a = ''`, "u"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(folder, c.name+".db")
			dbtest.Script(t, path, digested)
			dbtest.Script(t, path, c.script)
			if got := differing(want, digests(t, path)); got != c.differ {
				t.Errorf("the tables %q differ, want %q", got, c.differ)
			}
		})
	}
}

func TestDigestsOfABackupAreThoseOfTheStore(t *testing.T) {
	d := dbtest.New(t)
	dbtest.Script(t, d.Path(), `insert into memories (title, content) values ('a title', 'words of a text')`)
	folder := dbtest.Folder(t)
	one, other := filepath.Join(folder, "one.db"), filepath.Join(folder, "other.db")
	for _, path := range []string{one, other} {
		if err := d.Backup(t.Context(), path); err != nil {
			t.Fatal(err)
		}
	}
	got := digests(t, one)
	for _, table := range []string{"memories", "journal", "section_search_data", "memory_counts"} {
		if got[table] == "" {
			t.Errorf("%s has no digest", table)
		}
	}
	if !maps.Equal(got, digests(t, other)) {
		t.Error("two copies differ")
	}
	dbtest.Script(t, other, `update memories set pinned = 1`)
	if got["memories"] == digests(t, other)["memories"] {
		t.Error("a changed memory has the same digest")
	}
}

func TestDigestsOfWhatIsNotAStore(t *testing.T) {
	if _, err := db.ReadDigests(t.Context(), filepath.Join(t.TempDir(), "none.db")); err == nil || fault.CodeOf(err) == fault.Internal {
		t.Errorf("a missing file: %v", err)
	}
	other := filepath.Join(t.TempDir(), "other.db")
	dbtest.Script(t, other, `create table t (a)`)
	if _, err := db.ReadDigests(t.Context(), other); fault.CodeOf(err) != fault.InvalidArgument {
		t.Errorf("another program's database: %v", err)
	}
	if _, err := db.ReadDigests(t.Context(), "digest_test.go"); fault.CodeOf(err) != fault.InvalidArgument {
		t.Errorf("a file that is not a database: %v", err)
	}
}
