package edges_test

import (
	"strings"
	"testing"

	"hence/edges"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
)

// The words of a proposal name the end that is more trusted, whichever it is.
func TestProposalsNameTheMoreTrustedEnd(t *testing.T) {
	d := dbtest.New(t)
	dbtest.Script(t, d.Path(), `
insert into memories (id, title, content, origin, source) values
  ('p1', 'Ours', 'a', 'person', null), ('p2', 'Other', 'b', 'person', null), ('a1', 'Claim', 'c', 'agent', null),
  ('w1', 'Page', 'd', 'agent', 'web'), ('n1', 'Paper', 'e', 'vault', null);`)
	g := edges.Graph{DB: d, Caller: ref.Caller{Actor: "bot", Origin: "agent"}}
	for _, c := range []struct{ from, kind, to, want string }{
		{"a1", "contradicts", "p1", `the edge contradicts to "Ours" (p1) is kept as a proposal, because that is more trusted`},
		{"p2", "contradicts", "a1", `the edge contradicts to "Claim" (a1) is kept as a proposal, because "Other" (p2) is more trusted`},
		{"n1", "contradicts", "w1", `because "Paper" (n1) is more trusted`},
		{"w1", "contradicts", "p2", `because that is more trusted`},
		{"a1", "supersedes", "n1", `the edge supersedes to "Paper" (n1) is kept as a proposal, because that is more trusted`},
		{"p1", "supersedes", "p2", `the edge supersedes to "Other" (p2) is kept as a proposal, because that is more trusted`},
	} {
		for _, isNew := range []bool{true, false} {
			r, err := g.Link(t.Context(), edges.LinkArgs{From: c.from, To: c.to, Type: c.kind})
			if err != nil {
				t.Fatal(err)
			}
			if said := strings.Join(r.Warnings, "\n"); !strings.Contains(strings.NewReplacer("untrusted: ", "", "web: ", "").Replace(said), c.want) || r.Created != isNew {
				t.Errorf("%s %s %s: created %v, want %v; %s, want %s", c.from, c.kind, c.to, r.Created, isNew, said, c.want)
			}
		}
	}
}
