package recall_test

import (
	"fmt"
	"slices"
	"testing"

	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/memory/recall"
)

// The project's memories come before others that are equally good, those of other projects
// after them. A memory that is far better stays first, and nothing is filtered.
func TestSearchPutsTheProjectFirst(t *testing.T) {
	d := dbtest.New(t)
	script := `
insert into memories (id, title, content, tags) values
  ('other', 'Port of the service', 'The port is 8080.', '["project/beta"]'),
  ('none', 'Port of the proxy', 'The port is 8081.', '["ops"]'),
  ('ours', 'Port of the backend', 'The port is 8082.', '["Project/ALPHA/api"]'),
  ('answer', 'The birthday of Ines', 'The birthday of Ines is in May.', '[]');`
	for i := range 30 {
		script += fmt.Sprintf(`
insert into memories (id, title, content, tags) values ('f%02d', 'Note %d', 'about the birthday', '["project/alpha"]');`, i, i)
	}
	dbtest.Script(t, d.Path(), script)
	for _, c := range []struct {
		project, query string
		want           []string
	}{
		{"alpha", "port", []string{"ours", "none", "other"}},
		{"beta", "port", []string{"other", "none", "ours"}},
		{"alpha", "tag:ops", []string{"none"}},
		{"beta", "tag:project", []string{"other", "ours"}},
		{"alpha", "birthday Ines", []string{"answer"}},
	} {
		r, err := recall.Searcher{DB: d, Caller: ref.Caller{Project: c.project}}.Search(t.Context(), recall.SearchArgs{Query: c.query, Limit: 50})
		if err != nil {
			t.Fatal(err)
		}
		got := []string{}
		for _, f := range r.Results {
			if f.ID[0] != 'f' || len(c.want) == 1 {
				got = append(got, f.ID)
			}
			if ours := f.ID == "ours" || f.ID[0] == 'f'; c.project == "alpha" && c.query != "tag:ops" && f.Why.Project != ours {
				t.Errorf("%s: why %+v", f.ID, f.Why)
			}
		}
		if !slices.Equal(got[:len(c.want)], c.want) {
			t.Errorf("%s in %s: %q, want %q first", c.query, c.project, got, c.want)
		}
	}
}
