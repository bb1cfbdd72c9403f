package db_test

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"hence"
	"hence/internal/db"
)

// The sqlite3 program of the system: Debian has 3.40.
func TestSqlite3Program(t *testing.T) {
	program, err := exec.LookPath("sqlite3")
	if err != nil {
		t.Skip("there is no sqlite3 program on this machine's PATH")
	}
	run := func(path, script string) (string, error) {
		c := exec.Command(program, "-batch", "-bail", path)
		c.Stdin = strings.NewReader(script)
		out, err := c.CombinedOutput()
		return strings.TrimSpace(string(out)), err
	}
	s := newShell(t)
	content, _ := json.Marshal(strings.Repeat("ferry ", 100))
	s.do(t, memories("a", "b", "c")+edge("b", "supersedes", "a")+edge("c", "depends-on", "a")+
		site("c", "", 1)+`update memories set content = '`+string(content)+`' where id = 'b'; delete from memories where id = 'a';`+edge("b", "depends-on", "c"))
	for _, c := range []struct {
		name, script, want string
		refused            bool
	}{
		{"Integrity", `pragma integrity_check; pragma foreign_key_check;`, "ok", false},
		{"View", `select from_title, kind, to_title from edge_list limit 5;`, "Title b|depends-on|Title c", false},
		{"EveryView", `
.output /dev/null
select * from memory_list; select * from edge_list; select * from lineage; select * from stale; select * from dangling_links; select * from journal_list; select * from orphans;
.output
select 'read';`, "read", false},
		{"Search", `select count(*) from section_search where section_search match 'ferry';`, "1", false},
		{"Edit", `update memories set title = 'By hand' where id = 'b'; select revision from memories where id = 'b';`, "3", false},
		{"Insert", `insert into memories (title) values ('New'); select status, length(id) from memories where title = 'New';`, "current|36", false},
		{"Namespace", `update memories set namespace = 'another' where title = 'New'; select s.key >> 32 from sections s join memories m on m.key = s.memory where m.title = 'New';`, "1", false},
		{"Section", `insert into sections (memory, ordinal, body) select key, 1, 'in its range' from memories where title = 'By hand'; select key >> 32 from sections where body = 'in its range';`, "0", false},
		{"Link", edge("b", "supersedes", "c") + `select status from memories where id = 'c';`, "superseded", false},
		{"Cycle", edge("c", "depends-on", "b"), "cycle", true},
		{"SecondSuccessor", memories("d") + edge("d", "supersedes", "c"), "the memory already has a successor", true},
		{"Replace", `insert or replace into memories (id, title) values ('c', 'New');`, "rows_are_updated_not_replaced", true},
		{"Dump", `.dump`, "PRAGMA foreign_keys=OFF", false},
		{"StillSound", `insert into section_search (section_search, rank) values ('integrity-check', 1); pragma integrity_check; pragma foreign_key_check;`, "ok", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, err := run(s.path, c.script)
			if (err != nil) != c.refused {
				t.Fatalf("%s: %v", out, err)
			}
			if c.refused || c.name == "Dump" {
				if !strings.Contains(out, c.want) {
					t.Errorf("%.200s does not say %q", out, c.want)
				}
			} else if out != c.want {
				t.Errorf("%q, want %q", out, c.want)
			}
		})
	}
	fresh := filepath.Join(t.TempDir(), "fresh.db")
	if out, err := run(fresh, hence.Schema+`select count(*) from edge_list;`); err != nil || out != "0" {
		t.Errorf("schema.sql in the program: %s, %v", out, err)
	}
	d, err := db.Open(t.Context(), fresh, db.Options{})
	if err != nil {
		t.Fatalf("a file made by the program: %v", err)
	}
	d.Close()
}
