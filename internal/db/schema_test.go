package db_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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

// Whoever reads the file for the first time begins with what other programs may rely on.
func TestTheContractIsFirstInTheFile(t *testing.T) {
	order := []string{"table memories", "table edges", "view help", "view memory_list", "view edge_list", "view lineage", "view stale", "view dangling_links", "view journal_list"}
	found := []string{}
	for line := range strings.Lines(hence.Schema) {
		if words := strings.Fields(line); len(words) > 2 && words[0] == "create" && (words[1] == "table" || words[1] == "view") {
			found = append(found, words[1]+" "+words[2])
		}
	}
	if diff := cmp.Diff(order, found[:len(order)]); diff != "" {
		t.Errorf("the first tables and views (-want +got):\n%s", diff)
	}
}
