package walk

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"hence/edges"
	"hence/edges/belief"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
)

// TestShapeAgreesWithTransitiveClosure compares components and loops with reachability by
// Warshall's algorithm.
func TestShapeAgreesWithTransitiveClosure(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "members")
		members := make([]member, n)
		for i := range members {
			members[i] = member{key: int64(100 - i), current: true}
		}
		s := newShape(members)
		joined, caused := grid(n), grid(n)
		degree := make([]int, n)
		for range rapid.IntRange(0, 20).Draw(t, "edges") {
			a, b := rapid.IntRange(0, n-1).Draw(t, "a"), rapid.IntRange(0, n-1).Draw(t, "b")
			causal := rapid.Bool().Draw(t, "causal")
			if a == b {
				continue
			}
			s.join(members[a].key, members[b].key, causal)
			joined[a][b], joined[b][a] = true, true
			caused[a][b] = caused[a][b] || causal
			degree[a]++
			degree[b]++
		}
		closure(joined)
		closure(caused)

		pieces, largest := map[int]int{}, 0
		loops := map[int][]int64{}
		orphans := []int64{}
		for i := range n {
			first := i
			for j := n - 1; j >= 0; j-- {
				if joined[i][j] {
					first = min(first, j)
				}
			}
			pieces[first]++
			if degree[i] == 0 {
				orphans = append(orphans, members[i].key)
			}
			if caused[i][i] {
				root := slices.IndexFunc(members, func(m member) bool {
					j := int(100 - m.key)
					return j == i || caused[i][j] && caused[j][i]
				})
				loops[root] = append(loops[root], members[i].key)
			}
		}
		count := 0
		for _, size := range pieces {
			if size > 1 {
				count++
				largest = max(largest, size)
			}
		}
		gotCount, gotLargest := s.components()
		if gotCount != count || gotLargest != largest {
			t.Fatalf("components = %d, the largest %d; want %d, %d", gotCount, gotLargest, count, largest)
		}
		if diff := cmp.Diff(orphans, s.orphans()); diff != "" {
			t.Fatalf("orphans (-want +got):\n%s", diff)
		}
		got := map[int][]int64{}
		for _, loop := range s.loops() {
			got[int(100-loop[0])] = loop
		}
		if diff := cmp.Diff(loops, got); diff != "" {
			t.Fatalf("loops (-want +got):\n%s", diff)
		}
		most := s.mostLinked(n)
		for i, key := range most {
			if s.degree(key) != degree[100-key] || i > 0 && s.degree(most[i-1]) < s.degree(key) {
				t.Fatalf("most linked = %v, degrees %v", most, degree)
			}
		}
	})
}

func grid(n int) [][]bool {
	g := make([][]bool, n)
	for i := range g {
		g[i] = make([]bool, n)
	}
	return g
}

func closure(g [][]bool) {
	for k := range g {
		for i := range g {
			for j := range g {
				g[i][j] = g[i][j] || g[i][k] && g[k][j]
			}
		}
	}
}

func TestOverview(t *testing.T) {
	d := dbtest.New(t)
	dbtest.Script(t, d.Path(), `
insert into memories (id, title, kind, origin) values
  ('a', 'A', 'fact', 'agent'), ('b', 'B', 'fact', 'agent'), ('c', 'C', 'fact', 'person'), ('d', 'D', 'decision', 'person'),
  ('e', 'E', 'fact', 'agent'), ('old', 'Old', 'fact', 'agent');
insert into memories (id, title, namespace) values ('x', 'X', 'elsewhere');
insert into edges (from_key, to_key, kind) values
  (1, 2, 'causes'), (2, 1, 'causes'), (3, 4, 'contradicts'), (4, 6, 'depends-on'), (1, 6, 'supersedes'), (5, 1, 'mentions');
`)
	got, err := Graph{DB: d}.Overview(t.Context(), OverviewArgs{Namespace: "default"})
	if err != nil {
		t.Fatal(err)
	}
	current := func(id, title string) ref.End {
		return ref.End{Named: ref.Named{ID: id, Title: title}, Status: "current"}
	}
	want := OverviewResult{
		Memories:    5,
		ByKind:      []edges.Count{{Name: "fact", Count: 4}, {Name: "decision", Count: 1}},
		ByOrigin:    []edges.Count{{Name: "agent", Count: 3}, {Name: "person", Count: 2}},
		ByStatus:    []edges.Count{{Name: "current", Count: 5}, {Name: "superseded", Count: 1}},
		EdgesByKind: []edges.Count{{Name: "causes", Count: 2}, {Name: "contradicts", Count: 1}, {Name: "depends-on", Count: 1}, {Name: "mentions", Count: 1}, {Name: "supersedes", Count: 1}},
		MostLinked:  []Linked{{ref.Named{ID: "a", Title: "A"}, 3}, {ref.Named{ID: "b", Title: "B"}, 2}, {ref.Named{ID: "d", Title: "D"}, 2}, {ref.Named{ID: "c", Title: "C"}, 1}},
		Orphans:     []ref.End{current("e", "E")}, OrphanCount: 1,
		Stale:      []belief.StaleMemory{{Named: ref.Named{ID: "d", Title: "D"}, Stale: []belief.Doubt{{Named: ref.Named{ID: "old", Title: "Old"}, Reason: "superseded", Successor: &edges.Successor{Named: ref.Named{ID: "a", Title: "A"}}, Route: []string{"d", "old"}}}}},
		StaleCount: 1,
		Conflicts:  []belief.Conflict{{A: current("c", "C"), B: current("d", "D")}}, ConflictCount: 1,
		CausalLoops: []Loop{{Size: 2, Memories: []ref.End{current("a", "A"), current("b", "B")}}}, CausalLoopCount: 1,
		Components: 1, LargestComponent: 5,
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(belief.Conflict{}, belief.Doubt{})); diff != "" {
		t.Errorf("overview (-want +got):\n%s", diff)
	}
}

func TestAConflictThatIsOverIsNotOpen(t *testing.T) {
	d := dbtest.New(t)
	dbtest.Script(t, d.Path(), `
insert into memories (id, title) values ('a', 'A'), ('b', 'B'), ('c', 'C'), ('d', 'D');
insert into edges (from_key, to_key, kind, valid_from, valid_to) values
  (1, 2, 'contradicts', null, '2020-01-01T00:00:00.000Z'),
  (2, 3, 'contradicts', '9000-01-01T00:00:00.000Z', null),
  (3, 4, 'contradicts', '2020-01-01T00:00:00.000Z', '9000-01-01T00:00:00.000Z');
`)
	got, err := Graph{DB: d}.Overview(t.Context(), OverviewArgs{})
	if err != nil || got.ConflictCount != 1 || got.Conflicts[0].A.ID != "c" {
		t.Errorf("%+v, %v; want that of c and d", got.Conflicts, err)
	}
}
