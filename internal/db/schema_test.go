package db_test

import (
	"strings"
	"testing"

	"hence"
)

func TestEveryTableIsStrictAndCommented(t *testing.T) {
	s := newShell(t)
	s.want(t, `
select name
from pragma_table_list
where schema = 'main' and type = 'table' and not strict and name not like 'sqlite\_%' escape '\'`)
	lines := strings.Split(hence.Schema, "\n")
	tables := 0
	for i, line := range lines {
		if !strings.HasPrefix(line, "create table ") && !strings.HasPrefix(line, "create virtual table ") {
			continue
		}
		tables++
		above := i - 1
		for lines[above] == "" {
			above--
		}
		if !strings.HasPrefix(lines[above], "--") {
			t.Errorf("nothing says what this is for: %s", line)
		}
	}
	if tables < 10 {
		t.Errorf("schema.sql has %d tables, want 10 or more: the test looks for the wrong words", tables)
	}
}
