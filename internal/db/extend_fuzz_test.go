package db

import (
	"bytes"
	"database/sql"
	"strings"
	"testing"
)

// rawEngine opens a database in memory with our functions, as a hostile file might have it: with a
// table of lists, and one for the full-text search.
func rawEngine(t testing.TB, script string) *sql.DB {
	t.Helper()
	d, err := sql.Open(driver, ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	d.SetMaxOpenConns(1)
	if _, err := d.Exec(`select begin_bm25(); ` + script); err != nil {
		t.Fatal(err)
	}
	return d
}

// FuzzEngine calls our functions in C with any arguments; make test-sanitized does so under the
// sanitizers of addresses and of undefined behaviour.
func FuzzEngine(f *testing.F) {
	f.Add([]byte(`[7, "zaaaaaaaaa"]`), "@3 0.5 ? 1e9", int64(3), 0.5, uint16(3))
	f.Add(bytes.Repeat([]byte{0x80}, 40), "", int64(-1), -1.5, uint16(0))
	f.Add([]byte{32, 2, 255, 255, 255, 255}, "@", int64(1<<62), 1e300, uint16(900))
	f.Add([]byte{}, "?", int64(0), 0.0, uint16(513))
	d := rawEngine(f, `
create virtual table words using fts5(title, body);
insert into words values ('job queue', 'a cache of the job queue'), ('cache', 'job job job'), ('', 'x');
create table lists (list blob)`)
	f.Fuzz(func(t *testing.T, list []byte, text string, number int64, real float64, arguments uint16) {
		many := strings.TrimSuffix(strings.Repeat("?1, ", int(arguments)%1000), ", ")
		if _, err := d.Exec(`delete from lists; insert into lists values (?), (?), (x'')`, list, list[:len(list)/2]); err != nil {
			t.Fatal(err)
		}
		for _, query := range []string{
			`select number_of(?1, ?3), number_of(?2, 0)`,
			`select signs_apart(?1, ?1), signs_apart(?1, ?2), signs_apart(?1, b.list), signs_apart(b.list, ?3) from lists b`,
			`select length(pack(` + many + `)) from lists`,
			`select bm25_of(words, ?2, ?3, ?4, 1.0), often_of(words, ?4), tokens_of(words, ?3) from words where words match 'job OR cache OR x'`,
			`select bm25_of(words, ?2, 1) from words where words match 'job queue' order by rank`,
		} {
			rows, err := d.Query(query, list, text, number, real)
			if err != nil {
				continue // a list that is none, a key of another length
			}
			for rows.Next() {
			}
			rows.Close()
		}
	})
}

// A file from elsewhere may bring triggers and views. They reach none of our functions, nor what the
// engine lets only a trusted schema do, and nobody writes the tables behind the full-text index.
func TestASchemaOfAStrangerReachesNothing(t *testing.T) {
	d := rawEngine(t, `
create table things (b);
create table got (b);
create virtual table words using fts5(body);
create view taken as select keep_log();
create view vector as select vec_length('[1]') as n;
create trigger zz after insert on things begin insert into got select number_of(b, 0) from things; end;
create trigger packs after update on things begin insert into got select pack(1); end;
create trigger prints after delete on things begin insert into got select number_of(x'', 0); end;`)
	for _, statement := range []string{
		`insert into things values (x'')`,
		`select * from taken`,
		`insert into words_data values (7, x'00')`,
		`delete from words_content`,
		`pragma writable_schema = on; delete from sqlite_master`,
	} {
		if _, err := d.Exec(statement); err == nil {
			t.Errorf("%s: is not refused", statement)
		}
	}
	for _, statement := range []string{`update things set b = 1`, `delete from things`} {
		if _, err := d.Exec(`drop trigger zz; insert into things values (1); create trigger zz after insert on things begin select 1; end`); err != nil {
			t.Fatal(err)
		}
		if _, err := d.Exec(statement); err == nil || !strings.Contains(err.Error(), "unsafe use") {
			t.Errorf("%s: %v, want that the function is refused", statement, err)
		}
	}
}

func TestNumbersOfArguments(t *testing.T) {
	d := rawEngine(t, ``)
	var n int
	for count := 500; count <= 1000; count += 100 {
		query := `select length(pack(` + strings.TrimSuffix(strings.Repeat("1, ", count), ", ") + `)) from (select 1 union all select 2)`
		if err := d.QueryRow(query).Scan(&n); err != nil || n != 2*8*count {
			t.Errorf("pack of %d numbers: %d bytes, %v", count, n, err)
		}
	}
}
