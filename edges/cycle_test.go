package edges_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"hence/edges"
	"hence/edges/graphtest"
	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/internal/lineartest"
)

func TestCycleIsRefusedAndShown(t *testing.T) {
	for _, c := range []struct {
		kind string
		want string // from the new edge's end back to its start
	}{{"depends-on", "w —depends-on→ x —depends-on→ y —depends-on→ z"}, {"supersedes", "w —supersedes→ x —supersedes→ y —supersedes→ z"}} {
		t.Run(c.kind, func(t *testing.T) {
			w, g := room(t, "wxyz")
			w.link(t, g, "w", c.kind, "x")
			w.link(t, g, "x", c.kind, "y")
			w.link(t, g, "y", c.kind, "z")
			_, err := g.Link(t.Context(), edges.LinkArgs{From: w.ID("z"), To: w.ID("w"), Type: c.kind})
			details := graphtest.MustFail(t, err, fault.Cycle)
			path, _ := details["path"].([]edges.Hop)
			if got := strings.ReplaceAll(edges.Arrows(path), w.Namespace+" ", ""); got != c.want {
				t.Errorf("details.path = %q, want %q", got, c.want)
			}
			if n := dbtest.Count(t, g.DB, `select count(*) from edges`); n != 3 {
				t.Errorf("%d edges, want 3", n)
			}
			if got := status(t, g, w.ID("w")); got != "current" {
				t.Errorf("the refused edge left w %s", got)
			}
		})
	}
}

func TestCycleIsShownHoweverLongAndThroughTheForgotten(t *testing.T) {
	w, g := room(t, "abcdefghijklmno")
	const names = "abcdefghijklmno"
	for i := range len(names) - 1 {
		w.link(t, g, names[i:i+1], "depends-on", names[i+1:i+2])
	}
	if _, err := g.DB.Write(t.Context(), "test", db.Now(), db.S(`
update memories
set status = 'forgotten', forgotten_at = ?
where id = ?`, graphtest.Day(2), w.ID("h"))); err != nil {
		t.Fatal(err)
	}
	_, err := g.Link(t.Context(), edges.LinkArgs{From: w.ID("o"), To: w.ID("a"), Type: "depends-on"})
	details := graphtest.MustFail(t, err, fault.Cycle)
	if path, _ := details["path"].([]edges.Hop); len(path) != len(names) {
		t.Errorf("details.path has %d memories, want %d", len(path), len(names))
	}
}

func TestOtherKindsMayHaveCycles(t *testing.T) {
	for _, kind := range edges.Kinds() {
		if kind.Acyclic() || kind.Symmetric() {
			continue
		}
		w, g := room(t, "abc")
		w.link(t, g, "a", string(kind), "b")
		w.link(t, g, "b", string(kind), "c")
		w.link(t, g, "c", string(kind), "a")
	}
}

// Each memory rests on the one before it, as those of a long conversation do: to add one takes no walk over all of them.
func TestAChainGrowsInLinearTime(t *testing.T) {
	dbtest.SkipUnderRace(t)
	dbtest.SkipOnCluster(t, "the node does the work")
	for _, kind := range []edges.Kind{edges.Supersedes, edges.DependsOn} {
		lineartest.Check(t, 4000, func(size int) func() {
			d := dbtest.New(t)
			dbtest.Fill(t, d, db.S(`
insert into memories (id, title, sectioned)
with recursive n (i) as (select 1 union all select i + 1 from n where i < ?)
select printf('m%05d', i), printf('m%05d', i), 1 from n`, size))
			return func() {
				dbtest.Fill(t, d, db.S(`
insert into edges (id, from_key, to_key, kind)
with recursive n (i) as (select 1 union all select i + 1 from n where i < ? - 1)
select printf('e%05d', i), (select key from memories where id = printf('m%05d', i + 1)), (select key from memories where id = printf('m%05d', i)), ?
from n`, size, string(kind)))
			}
		})
	}
}

// After any calls, the graph is acyclic and each memory has at most one successor, and exactly
// the calls that would violate this are refused.
func TestAcyclicKindsHaveNoCycles(t *testing.T) {
	d := dbtest.New(t)
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld()
		n := rapid.IntRange(2, 6).Draw(t, "memories")
		for i := range n {
			w.Add(fmt.Sprint(i))
		}
		w.Store(t, d, nil, nil)
		g := w.graph(d)
		kind := rapid.SampledFrom([]edges.Kind{edges.Supersedes, edges.DependsOn}).Draw(t, "kind")
		onto := map[int]map[int]bool{} // what each memory leads to
		var leads func(from, to int) bool
		leads = func(from, to int) bool {
			for next := range onto[from] {
				if next == to || leads(next, to) {
					return true
				}
			}
			return from == to
		}
		for range rapid.IntRange(1, 12).Draw(t, "links") {
			from, to := rapid.IntRange(0, n-1).Draw(t, "from"), rapid.IntRange(0, n-1).Draw(t, "to")
			if from == to {
				continue
			}
			if onto[from][to] && rapid.Bool().Draw(t, "unlink") {
				if _, err := g.Unlink(ctx, edges.UnlinkArgs{From: w.Mems[from].ID, To: w.Mems[to].ID, Type: string(kind)}); err != nil {
					t.Fatal(err)
				}
				delete(onto[from], to)
				continue
			}
			want := fault.Code("")
			for other := range n {
				if kind == edges.Supersedes && other != from && onto[other][to] {
					want = fault.Conflict
				}
			}
			if want == "" && leads(to, from) {
				want = fault.Cycle
			}
			_, err := g.Link(ctx, edges.LinkArgs{From: w.Mems[from].ID, To: w.Mems[to].ID, Type: string(kind)})
			if got := fault.CodeOf(err); got != want {
				t.Fatalf("%d %s %d after %v: %v, want code %q", from, kind, to, onto, err, want)
			}
			if err == nil {
				if onto[from] == nil {
					onto[from] = map[int]bool{}
				}
				onto[from][to] = true
			}
		}
		err := d.Read(ctx, func(r *db.Reader) error {
			for i, m := range w.Mems {
				want := "current"
				for other := range n {
					if kind == edges.Supersedes && onto[other][i] {
						want = "superseded"
					}
				}
				got, _, err := db.One[string](ctx, r, `select status from memories where id = ?`, m.ID)
				if err != nil || got != want {
					t.Fatalf("%d is %s, %v; want %s after %v", i, got, err, want, onto)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}
