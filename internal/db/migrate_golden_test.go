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

// madeUp is a history that a later version may have. Its migrations are of several kinds: a
// column, an index, a recreated table, a trigger. There is no release yet, so a file of the
// current schema is the older file that they start from.
func madeUp(t *testing.T) history {
	t.Helper()
	schema := hence.Schema
	for _, change := range [][2]string{
		{"  unique (claim, value)\n", "  host text not null default '',\n  unique (claim, value)\n"},
		{"  reason   text not null check (reason in ('superseded', 'forgotten', 'contradicted', 'changed')),", "  reason text not null,"},
		{"  at       text not null,\n  primary key (memory, because", "  at      text not null,\n  by_whom  text not null default '',\n  primary key (memory, because"},
		{"  where (select at from writer) = ''\n    and exists (select 1 from home);\nend;\n\n-- What tokens", "  where exists (select 1 from home);\nend;\n\n-- What tokens"},
	} {
		if strings.Count(schema, change[0]) != 1 {
			t.Fatalf("schema.sql does not say %q once", change[0])
		}
		schema = strings.Replace(schema, change[0], change[1], 1)
	}
	return newHistory(schema+"create index token_map_by_value on token_map (value);", steps()...)
}

func steps() []string {
	v := current.version() + 1
	return append(slices.Clone(current.migrations),
		fmt.Sprintf(`
alter table token_map add column host text not null default '';
create index token_map_by_value on token_map (value);
pragma user_version = %d;`, v),
		fmt.Sprintf(`
create table verifications_new (
  memory   integer not null references memories (key),
  because  integer not null references memories (key),
  reason   text not null,
  evidence text not null,
  at       text not null,
  by_whom  text not null default '',
  primary key (memory, because, reason, evidence)
) strict, without rowid;
insert into verifications_new (memory, because, reason, evidence, at)
select memory, because, reason, evidence, '' from verifications;
pragma legacy_alter_table = on; -- triggers name the table
drop table verifications;
alter table verifications_new rename to verifications;
pragma legacy_alter_table = off;
create index verifications_because on verifications (because);
drop trigger token_inserting;
create trigger token_inserting before insert on tokens
begin
  select raise(abort, 'the store of a cluster is written only through hence')
  where exists (select 1 from home);
end;
pragma user_version = %d;`, v+1))
}

// Migrations in sequence lead to the same schema as the full schema of the new version.
func TestAChainOfMigrationsLeadsToTheSchemaOfItsLast(t *testing.T) {
	if testing.Short() {
		t.Skip("nothing runs beside it, so that the race detector has nothing to see; make test runs it")
	}
	h := madeUp(t)
	fresh := filepath.Join(t.TempDir(), "fresh.db")
	runShell(t, fresh, h.schema)
	path := olderFile(t)
	before := rowsOf(t, path)
	for table, all := range before {
		if len(all) == 0 && !slices.Contains([]string{"expectation", "home", "landed"}, table) {
			t.Errorf("the older file has no row in %s", table)
		}
	}
	migrateAll(t, path, h)
	sameSchema(t, fresh, path)
	sameRows(t, before, rowsOf(t, path), []string{"verifications.at", "store"})
	isWhole(t, path)
	if got := originOf(t, path); got.schemaHash != h.hash || got.writtenBy == "" {
		t.Errorf("the migrated file says it was written by %q with the schema %s, want %s", got.writtenBy, got.schemaHash, h.hash)
	}
}

// A process of the previous version that has the file open continues, with the schema that it has
// read.
func TestAProcessThatHasAnOldFileOpenGoesOn(t *testing.T) {
	path := olderFile(t)
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
	migrateAll(t, path, madeUp(t))
	write()
	if err := old.Close(); err != nil {
		t.Fatal(err)
	}
	isWhole(t, path)
}

func TestAMigrationThatFailsLeavesTheVersionBefore(t *testing.T) {
	if testing.Short() {
		t.Skip("nothing runs beside it, so that the race detector has nothing to see; make test runs it")
	}
	for name, mistake := range map[string]string{
		"AtItsEnd":      `update token_map set rate = 1; drop view stale; insert into nowhere values (1);`,
		"ByAConstraint": `update token_map set rate = 1; update memories set importance = 7;`,
		"BySyntax":      `update token_map set rate = 1; creat table x (a);`,
	} {
		t.Run(name, func(t *testing.T) {
			path := olderFile(t)
			all := madeUp(t)
			good := newHistory(all.schema, all.migrations[:len(all.migrations)-1]...)
			migrateAll(t, path, good)
			before, made := rowsOf(t, path), objectsOf(t, path)
			d := bare(t, path)
			err := d.migrate(t.Context(), newHistory(all.schema, append(slices.Clone(good.migrations), mistake)...))
			if want := fmt.Sprintf("migrate from schema version %d", good.version()); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("migrate: %v, want one that says %q", err, want)
			}
			if err := d.Close(); err != nil {
				t.Fatal(err)
			}
			if got := originOf(t, path).version; got != good.version() {
				t.Errorf("the version is %d, want %d", got, good.version())
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

func TestAFileOfAnotherHenceIsRefusedInAPlainSentence(t *testing.T) {
	hash := strings.Repeat("0", 64)
	for name, c := range map[string]struct{ script, want string }{
		"Newer": {
			fmt.Sprintf(`update store set written_by = '9.1.0', schema_hash = '%s'; pragma user_version = 9`, hash),
			fmt.Sprintf("made by a newer Hence (9.1.0, schema 9; this one knows %d); update hence", current.version()),
		},
		"UnreleasedOfThisVersion": {
			fmt.Sprintf(`update store set written_by = 'devel (6f93c01)', schema_hash = '%s'`, hash),
			"made by an unreleased Hence, devel (6f93c01); export it with that build, then import",
		},
		"UnreleasedThatDidNotSignItsFiles": {
			`drop trigger store_kept; drop table store; pragma user_version = 3`,
			"made by an unreleased Hence; export it with that build, then import",
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := olderFile(t)
			runShell(t, path, c.script)
			want := "open " + path + ": " + c.want
			if _, err := Open(t.Context(), path, Options{}); fault.CodeOf(err) != fault.InvalidArgument || err.Error() != want {
				t.Errorf("Open: %v, want %s", err, want)
			}
			want = "restore " + path + ": " + c.want
			target := filepath.Join(t.TempDir(), "target.db")
			if _, err := RestoreBackup(t.Context(), path, target, Options{}); fault.CodeOf(err) != fault.InvalidArgument || err.Error() != want {
				t.Errorf("RestoreBackup: %v, want %s", err, want)
			}
			isWhole(t, path)
		})
	}
}

// A build whose schema differs only in comments or line breaks opens the file.
func TestTheHashOfASchemaIsThatOfItsStatements(t *testing.T) {
	if testing.Short() {
		t.Skip("nothing runs beside it, so that the race detector has nothing to see; make test runs it")
	}
	same := newHistory("-- Another comment.\n\n" + strings.ReplaceAll(hence.Schema, "\n  ", "\n\t"))
	if same.hash != current.hash {
		t.Error("a comment or white space changes the hash")
	}
	if other := newHistory(hence.Schema + "create index token_map_by_value on token_map (value);"); other.hash == current.hash {
		t.Error("another index does not change the hash")
	}
}

// openedBy is the variable with which TestProcessesThatOpenAnOldFileWait starts this program again.
const openedBy = "HENCE_TEST_MIGRATES"

// If several processes open an old file at the same time, one of them migrates it, and the others
// wait for the write lock.
func TestProcessesThatOpenAnOldFileWait(t *testing.T) {
	if path := os.Getenv(openedBy); path != "" {
		d := bare(t, path)
		defer d.Close()
		fmt.Println("opening")
		if err := d.migrate(t.Context(), madeUp(t)); err != nil {
			t.Fatal(err)
		}
		return
	}
	path := olderFile(t)
	before := rowsOf(t, path)
	holder := bare(t, path)
	defer holder.Close()
	others := []*exec.Cmd{}
	err := holder.engine.(*file).writing(t.Context(), func(*conn) error {
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
	sameRows(t, before, rowsOf(t, path), []string{"verifications.at", "store"})
	isWhole(t, path)
}

// olderFile creates a file of the current schema, with rows in every table.
func olderFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "older.db")
	if err := openAt(t, path).Close(); err != nil {
		t.Fatal(err)
	}
	rows, err := os.ReadFile("testdata/rows.sql")
	if err != nil {
		t.Fatal(err)
	}
	runShell(t, path, string(rows))
	if err := openAt(t, path).Close(); err != nil { // which does the upkeep
		t.Fatal(err)
	}
	return path
}

func originOf(t *testing.T, path string) origin {
	t.Helper()
	d := bare(t, path)
	defer d.Close()
	file, err := d.engine.origin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func runShell(t *testing.T, path, text string) {
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

// bare opens a file without migrating it.
func bare(t *testing.T, path string) *DB {
	t.Helper()
	d := openAnyVersion(t.Context(), path, Options{})
	return d
}

func migrateAll(t *testing.T, path string, h history) {
	t.Helper()
	d := bare(t, path)
	defer d.Close()
	if err := d.migrate(t.Context(), h); err != nil {
		t.Fatal(err)
	}
}

// objectsOf returns the objects of a file's schema, by kind and name, and the configuration of its
// full-text index.
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

// row has the values of a row by column, each as an SQL literal.
type row map[string]string

// rowsOf returns the rows of all ordinary tables of a file, and the results of its full-text
// index.
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

// sameRows reports rows that are missing or changed. It ignores new tables and columns.
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

// isWhole runs the engine's own checks of the file and its full-text index.
func isWhole(t *testing.T, path string) {
	t.Helper()
	d := bare(t, path)
	defer d.Close()
	if problems, err := d.Check(t.Context()); err != nil || len(problems) > 0 {
		t.Errorf("Check = %q, %v", problems, err)
	}
	if err := d.engine.mend(t.Context(), Stmt{}, S(`insert into section_search (section_search, rank) values ('integrity-check', 1)`)); err != nil {
		t.Errorf("the full-text index is not that of the text: %v", err)
	}
}
