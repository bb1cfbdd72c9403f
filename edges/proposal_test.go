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

// Who unlinks what was kept as a proposal withdraws the proposal, if it is the caller's own.
func TestUnlinkWithdrawsTheProposal(t *testing.T) {
	for _, c := range []struct {
		actor, origin  string
		from, kind, to string
		want           int64
	}{
		{"bot", "agent", "a1", "supersedes", "p1", 1},
		{"bot", "agent", "p1", "supersedes", "a1", 0},
		{"bot", "agent", "p1", "replaced by", "a1", 1},
		{"bot", "agent", "p2", "contradicts", "a1", 1},
		{"bot", "agent", "a1", "contradicts", "p2", 1},
		{"other", "agent", "a1", "supersedes", "p1", 0},
		{"ada", "person", "a1", "supersedes", "p1", 1},
	} {
		d := dbtest.New(t)
		dbtest.Script(t, d.Path(), `
insert into memories (id, title, content, origin, source) values
  ('p1', 'Ours', 'a', 'person', null), ('p2', 'Other', 'b', 'person', null), ('a1', 'Claim', 'c', 'agent', null);`)
		g := edges.Graph{DB: d, Caller: ref.Caller{Actor: "bot", Origin: "agent"}}
		for _, a := range []edges.LinkArgs{{From: "a1", To: "p1", Type: "supersedes"}, {From: "a1", To: "p2", Type: "contradicts"}} {
			if _, err := g.Link(t.Context(), a); err != nil {
				t.Fatal(err)
			}
		}
		g.Caller.Actor, g.Caller.Origin = c.actor, c.origin
		r, err := g.Unlink(t.Context(), edges.UnlinkArgs{From: c.from, To: c.to, Type: c.kind})
		if left := dbtest.Count(t, d, `select count(*) from edges`); err != nil || r.Removed != c.want || int64(left) != 2-c.want || len(r.CurrentAgain) > 0 {
			t.Errorf("%+v: %+v, %d edges are left, %v", c, r, left, err)
		}
	}
}
