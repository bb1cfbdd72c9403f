package walk_test

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hence/edges"
	"hence/edges/graphtest"
	"hence/edges/walk"
	"hence/internal/db"
	"hence/internal/db/dbtest"
)

// reasons has, for each kind that a trace follows, whether the from of the edge depends on its to.
var reasons = map[edges.Kind]bool{
	edges.DependsOn: true, edges.DerivedFrom: true, edges.Causes: false, edges.Supports: false,
	edges.Calls: true, edges.Imports: true, edges.Implements: true,
}

// TestTraceIsTheNaiveWalk compares both directions of a trace with a walk over pairs of a memory
// and one that it depends on.
func TestTraceIsTheNaiveWalk(t *testing.T) {
	d := dbtest.New(t)
	round := 0
	rapid.Check(t, func(t *rapid.T) {
		round++
		n := rapid.IntRange(2, 8).Draw(t, "memories")
		id := func(i int) string { return fmt.Sprintf("t%04d-%02d", round, i) }
		statements := []db.Stmt{}
		for i := range n {
			statements = append(statements, db.S(`insert into memories (id, title) values (?, ?)`, id(i), id(i)))
		}
		rests := map[int][]int{}
		for e := range rapid.IntRange(0, 16).Draw(t, "edges") {
			kind := rapid.SampledFrom(edges.Kinds()).Draw(t, "kind")
			a, b := rapid.IntRange(0, n-1).Draw(t, "from"), rapid.IntRange(0, n-1).Draw(t, "to")
			if a == b || kind == edges.Supersedes || kind == edges.DependsOn && a < b || kind.Symmetric() {
				continue
			}
			origin := rapid.SampledFrom([]string{"agent", "code"}).Draw(t, "origin")
			statements = append(statements, db.S(`
insert or ignore into edges (id, from_key, to_key, kind, rel, origin)
select ?1, f.key, t.key, ?4, ?5, ?5
from memories f, memories t
where f.id = ?2 and t.id = ?3`, fmt.Sprintf("%s-e%d", id(a), e), id(a), id(b), kind, origin))
			if fromOnTo, ok := reasons[kind]; ok && fromOnTo || kind == edges.RefersTo && origin == "code" {
				rests[a] = append(rests[a], b)
			} else if ok {
				rests[b] = append(rests[b], a)
			}
		}
		dbtest.Fill(t, d, statements...)
		start, hops := rapid.IntRange(0, n-1).Draw(t, "start"), rapid.IntRange(1, 5).Draw(t, "hops")
		for direction, next := range map[string]map[int][]int{"upstream": rests, "downstream": turned(rests)} {
			want := map[string]int{}
			distance := map[int]int{start: 0}
			for queue := []int{start}; len(queue) > 0; queue = queue[1:] {
				at := queue[0]
				if at != start {
					want[id(at)] = distance[at]
				}
				for _, to := range next[at] {
					if _, seen := distance[to]; !seen && distance[at] < hops {
						distance[to] = distance[at] + 1
						queue = append(queue, to)
					}
				}
			}
			got, err := walk.Graph{DB: d}.Trace(ctx, walk.TraceArgs{ID: id(start), Direction: direction, MaxHops: hops})
			if err != nil {
				t.Fatal(err)
			}
			reached := map[string]int{}
			for _, r := range got.Results {
				reached[r.ID] = r.Via.Hop
				if len(r.Route) != r.Via.Hop+1 || r.Route[0] != id(start) || r.Route[len(r.Route)-1] != r.ID || r.Route[len(r.Route)-2] != r.Via.From {
					t.Fatalf("the route to %s is %v", r.ID, r.Route)
				}
			}
			if diff := gocmp.Diff(want, reached); diff != "" {
				t.Fatalf("%s of %s (-want +got):\n%s", direction, id(start), diff)
			}
			if !slices.IsSortedFunc(got.Results, func(a, b walk.Traced) int { return cmp.Compare(a.Via.Hop, b.Via.Hop) }) {
				t.Fatalf("the nearest is not first: %+v", got.Results)
			}
		}
	})
}

func turned(rests map[int][]int) map[int][]int {
	back := map[int][]int{}
	for a, all := range rests {
		for _, b := range all {
			back[b] = append(back[b], a)
		}
	}
	return back
}

// TestTraceTellsWhatIsStaleAndWhy traces downstream from a decision that was replaced: the
// memories that depend on it are stale, each with a route.
func TestTraceTellsWhatIsStaleAndWhy(t *testing.T) {
	d := dbtest.New(t)
	dbtest.Script(t, d.Path(), `
insert into memories (id, title) values ('old', 'Old plan'), ('new', 'New plan'), ('a', 'A'), ('b', 'B'), ('c', 'C');
insert into edges (from_key, to_key, kind) values (3, 1, 'depends-on'), (4, 3, 'derived-from'), (5, 4, 'relates-to'), (2, 1, 'supersedes');`)
	got, err := walk.Graph{DB: d}.Trace(t.Context(), walk.TraceArgs{ID: "Old plan", Direction: "downstream"})
	if err != nil {
		t.Fatal(err)
	}
	lines := []string{}
	for _, r := range got.Results {
		for _, s := range r.Stale {
			lines = append(lines, fmt.Sprint(r.ID, " ", s.Reason, " ", s.ID, " ", s.Route))
		}
	}
	want := []string{"a superseded old [a old]", "b superseded old [b a old]"}
	if diff := gocmp.Diff(want, lines); diff != "" || got.StaleCount != 2 {
		t.Errorf("%d stale (-want +got):\n%s", got.StaleCount, diff)
	}
}

// TestDeepWalkAcross50000EdgesKeepsItsLimits walks five hops over a graph of
// 50,000 edges. The limits are loose: they detect a walk that reads columns that it does not
// return for each memory, or that reads the whole graph node by node.
func TestDeepWalkAcross50000EdgesKeepsItsLimits(t *testing.T) {
	dbtest.SkipUnderRace(t)
	d := dbtest.New(t)
	dbtest.Fill(t, d,
		db.S(`
insert into memories (id, title, sectioned)
with recursive n (i) as (select 0 union all select i + 1 from n where i < 9999)
select printf('m%05d', i), printf('m%05d', i), 1 from n`),
		db.S(`
insert or ignore into edges (id, from_key, to_key, kind)
with recursive n (i) as (select 0 union all select i + 1 from n where i < 49999)
select printf('e%06d', i), 1 + i / 5, 1 + (i / 5 * 7919 + i % 5 * 104729 + 1) % 10000, 'causes'
from n
where 1 + i / 5 <> 1 + (i / 5 * 7919 + i % 5 * 104729 + 1) % 10000`))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	got, err := walk.Graph{DB: d}.Expand(t.Context(), walk.ExpandArgs{Seeds: []string{"m00000"}, Hops: 5, Direction: "outgoing", Limit: 500})
	if err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if got.ReturnedCount != 500 || !got.Truncated {
		t.Errorf("%d results, truncated %v; want 500 of more", got.ReturnedCount, got.Truncated)
	}
	if spent := time.Since(start); spent > 20*time.Second {
		t.Errorf("the walk took %v", spent)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 3<<20 {
		t.Errorf("the walk took %d KB", used>>10)
	}
}

// TestTraceAtTimes compares a trace at given times with the naive walk over every row.
func TestTraceAtTimes(t *testing.T) {
	d := dbtest.New(t)
	rapid.Check(t, func(t *rapid.T) {
		w := draw(t, graphtest.Shape{Mems: 9, Ties: 24, Hide: true, Times: true, Kinds: []edges.Kind{edges.DependsOn, edges.DerivedFrom, edges.Supersedes}})
		w.Store(t, d, nil, nil)
		for range 4 {
			start, hops := rapid.IntRange(0, len(w.Mems)-1).Draw(t, "start"), rapid.IntRange(1, 5).Draw(t, "hops")
			p := graphtest.Pass{
				Kinds: []edges.Kind{edges.DependsOn, edges.DerivedFrom}, Direction: walk.Forward,
				IncludeSuperseded: true, IncludeForgotten: true, Times: graphtest.DrawTimes(t),
			}
			got, err := w.graph(d).Trace(ctx, walk.TraceArgs{
				ID: w.Mems[start].ID, Direction: "upstream", MaxHops: hops,
				AsOf: p.Times.AsOf, KnownAt: p.Times.KnownAt, IncludeEnded: p.Times.IncludeEnded,
			})
			if err != nil {
				t.Fatal(err)
			}
			want, reached := map[string]int{}, map[string]int{}
			for i, hop := range w.Distances([]int{start}, p, func(int) bool { return true }) {
				if i != start && hop <= hops {
					want[w.Mems[i].ID] = hop
				}
			}
			for _, r := range got.Results {
				reached[r.ID] = r.Via.Hop
				if i := slices.IndexFunc(w.Mems, func(m graphtest.Mem) bool { return m.ID == r.ID }); r.Aging != w.Aging(i, p.Times) {
					t.Fatalf("%s is marked %+v, want %+v", r.ID, r.Aging, w.Aging(i, p.Times))
				}
			}
			if diff := gocmp.Diff(want, reached); diff != "" {
				t.Fatalf("%+v of %s (-want +got):\n%s", p.Times, w.Mems[start].ID, diff)
			}
		}
	})
}
