package doctor_test

import (
	"os"
	"strings"
	"testing"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/memory"
	"hence/memory/doctor"
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
	found := map[string]doctor.Finding{}
	for _, f := range report.Findings {
		found[f.Check] = f
	}
	return found
}

// filled is a store with two memories, one superseded, and a dependent, each
// with a vector.
func filled(t *testing.T) *db.DB {
	d := dbtest.New(t)
	s := memory.Store{DB: d}
	for _, a := range []memory.StoreArgs{
		{Content: "old"}, {Content: "new", Supersedes: []string{"old"}}, {Content: "top", Links: []memory.NewLink{{To: "new", Type: "depends-on"}}},
	} {
		if _, err := s.Remember(t.Context(), a); err != nil {
			t.Fatal(err)
		}
	}
	dbtest.Script(t, d.Path(), `
insert into embedders (key, name, state, dimensions) values (1, 'builtin', 'in force', 4);
insert into vectors (embedder, section, vector)
values
  (1, 1, x'0000803f000000000000000000000000'),
  (1, 2, x'00000000000080bf0000000000000000'),
  (1, 3, x'00000000000000000000000000000000');
insert into vector_codes (embedder, section, code) values (1, 1, x'01'), (1, 2, x'00'), (1, 3, x'00');`)
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
	for _, c := range []struct {
		check, script, mended string // mended is a query that answers yes
		stays                 bool
	}{
		{"rules", `drop trigger edge_closing_circle; drop index edges_to; drop view stale`,
			`select count(*) = 3 from sqlite_master where name in ('edge_closing_circle', 'edges_to', 'stale')`, false},
		{"sections", `delete from sections`,
			`select count(*) = 1 from section_search where section_search match 'top'`, false},
		{"full-text index", `insert into section_search (section_search) values ('delete-all')`,
			`select count(*) = 1 from section_search where section_search match 'top'`, false},
		{"supersession", `drop trigger memory_with_successor_is_superseded; update memories set status = 'current'`,
			`select status = 'superseded' from memories where title = 'old'`, false},
		{"content hashes", `update memories set content_hash = 'x' where title = 'new'`,
			`select content_hash = '` + memory.Hash("new") + `' from memories where title = 'new'`, false},
		{"circles", `drop trigger edge_closing_circle; insert into edges (from_key, to_key, kind) select e.to_key, e.from_key, e.kind from edges e where kind = 'depends-on'`,
			`select count(*) = 2 from edges where kind = 'depends-on'`, true},
		{"vectors", `insert into vectors (embedder, section, vector) values (1, 99, x'0000803f000000000000000000000000')`,
			`select count(*) = 3 from vectors`, false},
		{"vectors", `update embedders set key = 7`,
			`select (select count(*) from vectors) = 0 and (select count(*) from vector_codes) = 0`, false},
		{"vectors", `delete from vectors where section = 2`, `select count(*) = 0 from vector_codes where section = 2`, false},
		{"vectors", `delete from vector_codes where section = 2`, `select count(*) = 0 from vectors where section = 2`, false},
		{"vectors", `update vectors set vector = x'0000803f' where section = 2`, `select count(*) = 0 from vectors where section = 2`, false},
		{"vectors", `update vectors set vector = x'0000003f000000000000000000000000' where section = 2`, `select count(*) = 0 from vectors where section = 2`, false},
		{"vectors", `update vectors set vector = x'0000c07f000000000000000000000000' where section = 2`, `select count(*) = 0 from vectors where section = 2`, false},
		{"vectors", `update vector_codes set code = x'02' where section = 2`, `select count(*) = 2 from vectors`, false},
		{"rules", `drop trigger memory_text_changed; update memories set content = 'other', content_hash = 'x', revision = 2`,
			`select (select count(*) from vectors) = 0 and (select count(*) from sqlite_master where name = 'memory_text_changed') = 1`, false},
		{"rules", `drop index one_successor; drop trigger edge_closing_circle; insert into edges (from_key, to_key, kind) select 3, to_key, kind from edges where kind = 'supersedes'`,
			`select (select count(*) from edges where kind = 'supersedes') = 2 and (select count(*) from sqlite_master where name = 'edge_closing_circle') = 1`, true},
		{"places in notes", `drop trigger edge_undeclared; update edges set declared = 0 where kind = 'depends-on'`,
			`select count(*) = 1 from edges where declared = 0`, true},
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

func TestDoubtStaysWhenAHashIsMended(t *testing.T) {
	d := filled(t)
	dbtest.Script(t, d.Path(), `update memories set content = 'edited' where title = 'new'`)
	examine(t, d, true)
	if n := dbtest.Count(t, d, `select count(*) from stale where title = 'top' and reason = 'changed'`); n != 1 {
		t.Errorf("%d doubts about what rests on an edited text, want 1", n)
	}
}

func TestPermissionsAreMended(t *testing.T) {
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
	if found := examine(t, broken, false)["file"]; found.Healthy {
		t.Error("a file with a corrupt page is well")
	}
	if err := broken.Backup(t.Context(), path+".copy"); fault.CodeOf(err) != fault.Internal {
		t.Errorf("Backup of a damaged store: %v, want an error", err)
	}
	if _, err := os.Stat(path + ".copy"); !os.IsNotExist(err) {
		t.Error("there is a damaged backup")
	}
}
