package vault_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/internal/db/dbtest"
)

// A heading directly above another one has no text of its own.
func TestASectionWithoutTextIsEmpty(t *testing.T) {
	long := strings.Repeat("A long line about the harbour.\n", 3000)
	for _, test := range []struct {
		name, text string
		found      int // sections with one of two words
		want       []string
	}{
		{"first", "# A\n## B\nferry\n", 1, []string{`["A",""]`, `["B","ferry"]`}},
		{"several", "# A\n## B\n### C\nferry\n# D\n# E\n", 1, []string{`["A",""]`, `["B",""]`, `["C","ferry"]`, `["D",""]`, `["E",""]`}},
		{"only one", "# A\n", 0, []string{`["A",""]`}},
		{"in a long note", "# A\n## B\n" + long + "# C\n# D\nferry\n", 2, []string{`["A",""]`, `["B","A long line about the harbour."]`, `["C",""]`, `["D","ferry"]`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := newFolder(t, map[string]string{"n.md": test.text})
			f.Imports()
			got := dbtest.Texts(t, f.Importer.DB, `
select json_array(t.heading, substr(trim(t.body, char(10)), 1, 30))
from section_text t
join sections s on s.key = t.key
order by s.ordinal`)
			for i := range got { // a section's text has its heading's line, or not
				got[i] = strings.NewReplacer("# ", "", "#", "").Replace(got[i])
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if n := dbtest.Count(t, f.Importer.DB, `select count(*) from section_search where section_search match 'body: (ferry OR harbour)'`); n != test.found {
				t.Errorf("%d sections have the word", n)
			}
		})
	}
}

// A note that the sqlite3 shell has edited keeps the text around its links, when an import
// reads it again for another note's sake.
func TestANoteEditedInTheShellKeepsTheTextAroundItsLinks(t *testing.T) {
	f := newFolder(t, map[string]string{"a.md": "See the crane, near Ferry Dock today. [[b]]\n", "b.md": "b\n"})
	f.Imports()
	dbtest.Script(t, f.Importer.DB.Path(), `update memories set content = 'Ärger, edited by hand. ' || content where title = 'a'`)
	f.Write("Ferry Dock.md", "dock\n")
	f.Imports()
	got := dbtest.Texts(t, f.Importer.DB, `
select json_array(s.target, c.context)
from sites s
join site_contexts c on c.site = s.key
order by s.start_byte`)
	text := "See the crane, near Ferry Dock today. [[b]]"
	if diff := cmp.Diff([]string{`["Ferry Dock","` + text + `"]`, `["b","` + text + `"]`}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// Many links in one line, and many headings without text, take time in proportion to their number.
func TestAHostileNoteIsImported(t *testing.T) {
	f := newFolder(t, map[string]string{"links.md": strings.Repeat("[[a]] ", 40_000), "headings.md": strings.Repeat("# a\n", 20_000)})
	f.Imports()
	if n := dbtest.Count(t, f.Importer.DB, `select sum(length(body)) from section_text`); n > 2_000_000 {
		t.Errorf("sections have %d characters", n)
	}
}
