package db

import (
	"bufio"
	"context"
	"database/sql"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence"
	"hence/internal/fault"
)

// released are the versions of the schema that people have files of. Of each
// there is testdata/version-N.sql, which is schema.sql as it was, and
// testdata/version-N.rows.sql, which puts rows into every table. A new version
// adds a line here, and its two files.
var released = []struct {
	version int
	// replaced names the tables, and the columns ("usage.micros"), that a later
	// version drops or fills anew. All else is to be there as it was.
	replaced []string
}{
	{version: 1},
	{version: 2},
	{version: 3},
}

func TestEveryReleasedVersionIsStored(t *testing.T) {
	if last := released[len(released)-1].version; last != len(released) || last != len(migrations)+1 {
		t.Errorf("%d versions are stored up to %d, and the current one is %d", len(released), last, len(migrations)+1)
	}
}

// A file of any version becomes what a new file is, with all that it held.
// Of the current version that says that schema.sql has not changed since.
func TestAFileOfAnyVersionBecomesACurrentOne(t *testing.T) {
	fresh := filepath.Join(t.TempDir(), "fresh.db")
	if err := openAt(t, fresh).Close(); err != nil {
		t.Fatal(err)
	}
	for _, r := range released {
		t.Run(fmt.Sprint(r.version), func(t *testing.T) {
			path := storedFile(t, r.version)
			before := rowsOf(t, path)
			for table, all := range before {
				if len(all) == 0 && table != "expectation" && table != "replacement" {
					t.Errorf("the stored file has no row in %s", table)
				}
			}
			if err := openAt(t, path).Close(); err != nil {
				t.Fatal(err)
			}
			sameSchema(t, fresh, path)
			sameRows(t, before, rowsOf(t, path), r.replaced)
			isWhole(t, path)
		})
	}
}

// A process of the version before that has the file open goes on, with the
// schema as it has read it.
func TestAProcessThatHasAnOldFileOpenGoesOn(t *testing.T) {
	for _, r := range released[:len(released)-1] {
		path := storedFile(t, r.version)
		old := bare(t, path)
		write := func() {
			t.Helper()
			_, err := old.Write(t.Context(), "old", Now(),
				S(`insert into memories (id, title) values ('a' || random(), 'one'), ('b' || random(), 'another')`),
				S(`insert into edges (from_key, to_key, kind) select max(key), max(key) - 1, 'causes' from memories`))
			if err != nil {
				t.Error(err)
			}
		}
		write()
		if err := openAt(t, path).Close(); err != nil {
			t.Fatal(err)
		}
		write()
		if err := old.Close(); err != nil {
			t.Fatal(err)
		}
		isWhole(t, path)
	}
}

// steps are migrations as a later version may bring them, each of another
// sort: a column, a table made anew, a rule, an index.
func steps() []string {
	v := len(migrations) + 2
	return append(slices.Clone(migrations),
		fmt.Sprintf(`
alter table usage add column host text not null default '';
create index usage_by_tool on usage (tool);
pragma user_version = %d;`, v),
		fmt.Sprintf(`
create table verifications_new (
  memory  integer not null references memories (key),
  because integer not null references memories (key),
  reason  text not null,
  mark    text not null,
  at      text not null,
  by_whom text not null default '',
  primary key (memory, because, reason, mark)
) strict, without rowid;
insert into verifications_new (memory, because, reason, mark, at)
select memory, because, reason, mark, '' from verifications;
pragma legacy_alter_table = on; -- triggers name the table
drop table verifications;
alter table verifications_new rename to verifications;
pragma legacy_alter_table = off;
drop trigger memory_keeps_its_id;
create trigger memory_keeps_its_id before update of key, id on memories
when new.key <> old.key or new.id <> old.id
begin
  select raise(abort, 'a memory keeps its id');
end;
pragma user_version = %d;`, v+1))
}

// A chain of migrations that this test makes up leads to the schema that their
// author would have written.
func TestAChainOfMigrationsLeadsToTheSchemaOfItsLast(t *testing.T) {
	schema := hence.Schema
	for _, change := range [][2]string{
		{"  outcome   text not null  ", "  outcome   text not null, -- ok, or a code\n  host text not null default ''"},
		{"  reason  text not null check (reason in ('superseded', 'forgotten', 'contradicted', 'changed')),", "  reason text not null,"},
		{"  at      text not null,\n  primary key (memory, because", "  at      text not null,\n  by_whom text not null default '',\n  primary key (memory, because"},
		{"when (new.key, new.id) is not (old.key, old.id)", "when new.key <> old.key or new.id <> old.id"},
	} {
		if strings.Count(schema, change[0]) != 1 {
			t.Fatalf("schema.sql does not say %q once", change[0])
		}
		schema = strings.Replace(schema, change[0], change[1], 1)
	}
	fresh := filepath.Join(t.TempDir(), "fresh.db")
	script(t, fresh, schema+"create index usage_by_tool on usage (tool);")

	for _, r := range released {
		path := storedFile(t, r.version)
		before := rowsOf(t, path)
		migrateAll(t, path, steps())
		sameSchema(t, fresh, path)
		sameRows(t, before, rowsOf(t, path), append(r.replaced, "verifications.at"))
		isWhole(t, path)
	}
}

func TestAMigrationThatFailsLeavesTheVersionBefore(t *testing.T) {
	for name, mistake := range map[string]string{
		"AtItsEnd":      `update usage set micros = 0; drop view stale; insert into nowhere values (1);`,
		"ByAConstraint": `update usage set micros = 0; update memories set importance = 7;`,
		"BySyntax":      `update usage set micros = 0; creat table x (a);`,
	} {
		t.Run(name, func(t *testing.T) {
			path := storedFile(t, 1)
			all := steps()
			good := all[:len(all)-1]
			migrateAll(t, path, good)
			before, made := rowsOf(t, path), objectsOf(t, path)
			d := bare(t, path)
			err := d.migrate(t.Context(), append(slices.Clone(good), mistake))
			if want := fmt.Sprintf("migrate from schema version %d", len(good)+1); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("migrate: %v, want one that says %q", err, want)
			}
			if version, err := d.version(t.Context()); err != nil || version != len(good)+1 {
				t.Errorf("the version is %d, %v; want %d", version, err, len(good)+1)
			}
			if err := d.Close(); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(made, objectsOf(t, path)); diff != "" {
				t.Errorf("the schema has changed (-before +after):\n%s", diff)
			}
			sameRows(t, before, rowsOf(t, path), nil)
			isWhole(t, path)
			migrateAll(t, path, all) // a version that can goes on from there
		})
	}
}

func TestANewerFileIsRefusedInAPlainSentence(t *testing.T) {
	path := storedFile(t, 1)
	migrateAll(t, path, steps())
	_, err := Open(t.Context(), path, Options{})
	want := fmt.Sprintf("open %s: it was made by a newer Hence (schema %d, this one knows %d); update hence", path, len(steps())+1, len(migrations)+1)
	if fault.CodeOf(err) != fault.InvalidArgument || err.Error() != want {
		t.Errorf("Open: %v, want %s", err, want)
	}
	isWhole(t, path)
}

// openedBy is how TestProcessesThatOpenAnOldFileWait starts this program again.
const openedBy = "HENCE_TEST_MIGRATES"

// Processes that open an old file at once find the write lock taken, wait, and
// one of them migrates.
func TestProcessesThatOpenAnOldFileWait(t *testing.T) {
	if path := os.Getenv(openedBy); path != "" {
		d := bare(t, path)
		defer d.Close()
		fmt.Println("opening")
		if err := d.migrate(t.Context(), steps()); err != nil {
			t.Fatal(err)
		}
		return
	}
	path := storedFile(t, 1)
	before := rowsOf(t, path)
	holder := bare(t, path)
	defer holder.Close()
	others := []*exec.Cmd{}
	err := holder.writer.with(t.Context(), func(*conn) error {
		for range 3 {
			c := exec.Command(os.Args[0], "-test.run=^TestProcessesThatOpenAnOldFileWait$", "-test.v")
			c.Env = append(os.Environ(), openedBy+"="+path)
			c.Stderr = os.Stderr
			out, err := c.StdoutPipe()
			if err != nil {
				return err
			}
			if err := c.Start(); err != nil {
				return err
			}
			others = append(others, c)
			lines := bufio.NewReader(out)
			for line := ""; line != "opening\n"; {
				if line, err = lines.ReadString('\n'); err != nil {
					return err
				}
			}
			go io.Copy(io.Discard, lines) //nolint:errcheck // until the process ends
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range others {
		if err := c.Wait(); err != nil {
			t.Errorf("a process that opened the file: %v", err)
		}
	}
	sameRows(t, before, rowsOf(t, path), []string{"verifications.at"})
	isWhole(t, path)
}

// storedFile makes a file of a version, as the sqlite3 shell would.
func storedFile(t *testing.T, version int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "stored.db")
	for _, name := range []string{"version-%d.sql", "version-%d.rows.sql"} {
		text, err := os.ReadFile(filepath.Join("testdata", fmt.Sprintf(name, version)))
		if err != nil {
			t.Fatal(err)
		}
		script(t, path, string(text))
	}
	return path
}

func script(t *testing.T, path, text string) {
	t.Helper()
	shell, err := sql.Open("sqlite3", path)
	if err != nil {
		t.Fatal(err)
	}
	defer shell.Close()
	if _, err := shell.Exec(text); err != nil {
		t.Fatal(err)
	}
}

// bare is a file that is open and not migrated.
func bare(t *testing.T, path string) *DB {
	t.Helper()
	d, err := unmigrated(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func migrateAll(t *testing.T, path string, all []string) {
	t.Helper()
	d := bare(t, path)
	defer d.Close()
	if err := d.migrate(t.Context(), all); err != nil {
		t.Fatal(err)
	}
}

// objectsOf is what a file's schema says, by kind and name, and what its
// full-text index is told.
func objectsOf(t *testing.T, path string) map[string]string {
	t.Helper()
	d := bare(t, path)
	defer d.Close()
	all, err := d.Objects(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	says := map[string]string{}
	for _, o := range all {
		says[o.Kind+" "+o.Name] = o.Plain()
	}
	err = d.Read(t.Context(), func(r *Reader) error {
		for _, one := range rowsIn(t, r, `select k, v from section_search_config`) {
			says["full-text index "+one["k"]] = one["v"]
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return says
}

func sameSchema(t *testing.T, fresh, path string) {
	t.Helper()
	if diff := cmp.Diff(objectsOf(t, fresh), objectsOf(t, path)); diff != "" {
		t.Errorf("the schema is not that of a new file (-new +migrated):\n%s", diff)
	}
}

// row is one by column, each value as SQL has it.
type row map[string]string

// rowsOf reads all ordinary tables of a file, and what the full-text index
// finds.
func rowsOf(t *testing.T, path string) map[string][]row {
	t.Helper()
	d := bare(t, path)
	defer d.Close()
	all := map[string][]row{}
	err := d.Read(t.Context(), func(r *Reader) error {
		tables, err := Select(t.Context(), r, Value[string], `
select name
from pragma_table_list
where type = 'table'
  and name not like 'sqlite_%'
order by name`)
		for _, table := range tables {
			all[table] = rowsIn(t, r, `select * from "`+table+`"`)
		}
		all["section_search (finds)"] = rowsIn(t, r, `select rowid as section from section_search where section_search match 'drain OR sizes OR edited OR 日本語' order by 1`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func rowsIn(t *testing.T, r *Reader, query string) (all []row) {
	t.Helper()
	rows, err := r.c.QueryContext(context.Background(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		values, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		one := row{}
		for i, column := range columns {
			one[column] = fmt.Sprintf("%T %[1]v", values[i])
		}
		all = append(all, one)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// sameRows tells what is not there any more as it was. Tables and columns that
// have come are not looked at.
func sameRows(t *testing.T, before, after map[string][]row, replaced []string) {
	t.Helper()
	for _, table := range slices.Sorted(maps.Keys(before)) {
		if slices.Contains(replaced, table) {
			continue
		}
		known := map[string]bool{}
		for _, one := range before[table] {
			for column := range one {
				known[column] = !slices.Contains(replaced, table+"."+column)
			}
		}
		for _, one := range slices.Concat(before[table], after[table]) {
			maps.DeleteFunc(one, func(column, _ string) bool { return !known[column] })
		}
		if diff := cmp.Diff(before[table], after[table]); diff != "" {
			t.Errorf("%s (-before +after):\n%s", table, diff)
		}
	}
}

// isWhole holds the file and its full-text index to the engine's own checks.
func isWhole(t *testing.T, path string) {
	t.Helper()
	d := bare(t, path)
	defer d.Close()
	if problems, err := d.Check(t.Context()); err != nil || len(problems) > 0 {
		t.Errorf("Check = %q, %v", problems, err)
	}
	if _, err := d.Write(t.Context(), "", Now(), S(`insert into section_search (section_search, rank) values ('integrity-check', 1)`)); err != nil {
		t.Errorf("the full-text index is not that of the text: %v", err)
	}
}
