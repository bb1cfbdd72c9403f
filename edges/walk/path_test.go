package walk_test

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"hence/edges"
	"hence/edges/graphtest"
	"hence/edges/walk"
	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
)

// way is a path of the naive reference: all strides between each memory and the next, in order.
type way struct {
	mems     []int
	strides  [][]graphtest.Stride
	strength *big.Rat // product of the strongest weights, exactly
}

// ways returns every path without a repeated memory, the best first.
func (w *world) ways(from, to, limit int, p graphtest.Pass, weighted bool) []way {
	all := []way{}
	var visit func(at way)
	visit = func(at way) {
		here := at.mems[len(at.mems)-1]
		if here == to {
			all = append(all, at)
			return
		}
		if len(at.strides) == limit {
			return
		}
		together := map[int][]graphtest.Stride{}
		for _, s := range w.Strides(here, p) {
			together[s.To] = append(together[s.To], s)
		}
		for next, strides := range together {
			if slices.Contains(at.mems, next) {
				continue
			}
			slices.SortFunc(strides, w.CompareStrides)
			strongest := 0.0
			for _, s := range strides {
				strongest = max(strongest, s.Tie.Weight)
			}
			visit(way{
				mems:     append(slices.Clone(at.mems), next),
				strides:  append(slices.Clone(at.strides), strides),
				strength: new(big.Rat).Mul(at.strength, new(big.Rat).SetFloat64(strongest)),
			})
		}
	}
	visit(way{mems: []int{from}, strength: big.NewRat(1, 1)})
	slices.SortFunc(all, func(a, b way) int {
		byStrength := 0
		if weighted {
			byStrength = b.strength.Cmp(a.strength)
		}
		if c := cmp.Or(byStrength, cmp.Compare(len(a.mems), len(b.mems))); c != 0 {
			return c
		}
		for i := range a.strides {
			if c := w.CompareStrides(a.strides[i][0], b.strides[i][0]); c != 0 {
				return c
			}
		}
		return 0
	})
	return all
}

// drawn returns a path as the result must have it.
func (w *world) drawn(a way, asked graphtest.Times) []edges.Hop {
	hops := []edges.Hop{}
	for i, at := range a.mems {
		h := edges.Hop{End: w.End(at, asked)}
		if i < len(a.strides) {
			first := a.strides[i][0]
			h.Type, h.Direction = first.Tie.Kind, graphtest.Direction(first.Out)
			for _, s := range a.strides[i] {
				h.Edges = append(h.Edges, edges.Parallel{
					ID: s.Tie.ID, Type: s.Tie.Kind, Rel: s.Tie.Rel, Direction: graphtest.Direction(s.Out), Weight: s.Tie.Weight,
					Ended: graphtest.EndedByNow(s.Tie.ValidTo),
				})
			}
		}
		hops = append(hops, h)
	}
	return hops
}

// checkPaths compares a result with the naive one, hop by hop.
func checkPaths(t tb, w *world, a walk.PathArgs, got walk.PathResult, all []way) {
	t.Helper()
	wanted := [][]edges.Hop{}
	for _, one := range all[:min(len(all), max(1, a.Alternatives))] {
		wanted = append(wanted, w.drawn(one, graphtest.Times{AsOf: a.AsOf, KnownAt: a.KnownAt}))
	}
	given := [][]edges.Hop{}
	if got.Found {
		given = append([][]edges.Hop{got.Path}, got.Alternatives...)
	}
	if fmt.Sprint(given) != fmt.Sprint(wanted) {
		t.Fatalf("%+v\n got %v\nwant %v", a, given, wanted)
	}
	if got.Found != (got.Message == "") || got.Found && got.Hops != len(got.Path)-1 {
		t.Fatalf("found %v with %d hops, and the message %q", got.Found, got.Hops, got.Message)
	}
	if len(all) > 0 && a.Weighted {
		if want, _ := all[0].strength.Float64(); math.Abs(got.Strength-want) > 1e-9*want {
			t.Fatalf("strength %v, want %v", got.Strength, want)
		}
	}
}

func TestPathIsTheFirstOfAllPaths(t *testing.T) {
	dbtest.CheckTimes(t, 20)
	for name, s := range map[string]graphtest.Shape{
		"SomeHidden": {Mems: 7, Ties: 16, Hide: true},
		"FewKinds":   {Mems: 6, Ties: 14, Kinds: []edges.Kind{edges.Causes, edges.RelatesTo}},
		"OneTie":     {Mems: 7, Ties: 18, Kinds: []edges.Kind{edges.LinksTo}},
	} {
		t.Run(name, func(t *testing.T) {
			d := dbtest.New(t)
			rapid.Check(t, func(t *rapid.T) {
				w := draw(t, s)
				mems, ties := graphtest.DrawOrder(t, w.World)
				w.Store(t, d, mems, ties)
				for range 3 {
					a, from, to, p := graphtest.DrawPathArgs(t, w.World)
					got, err := w.graph(d).Path(ctx, a)
					if err != nil {
						t.Fatal(err)
					}
					checkPaths(t, w, a, got, w.ways(from, to, a.MaxHops, p, a.Weighted))
				}
			})
		})
	}
}

// Paths with both times, and with neither, agree with a naive check of every row.
func TestPathAtTimes(t *testing.T) {
	d := dbtest.New(t)
	rapid.Check(t, func(t *rapid.T) {
		w := draw(t, graphtest.Shape{Mems: 6, Ties: 14, Hide: true, Times: true})
		w.Store(t, d, nil, nil)
		for range 4 {
			a, from, to, p := graphtest.DrawPathArgs(t, w.World)
			p.Times = graphtest.DrawTimes(t)
			a.AsOf, a.KnownAt, a.IncludeEnded = p.Times.AsOf, p.Times.KnownAt, p.Times.IncludeEnded
			got, err := w.graph(d).Path(ctx, a)
			if err != nil {
				t.Fatal(err)
			}
			checkPaths(t, w, a, got, w.ways(from, to, a.MaxHops, p, a.Weighted))
		}
	})
}

func TestPathDistanceOnLargerGraphs(t *testing.T) {
	d := dbtest.New(t)
	rapid.Check(t, func(t *rapid.T) {
		w := draw(t, graphtest.Shape{Mems: 40, Ties: 60, Hide: true})
		w.Store(t, d, nil, nil)
		for range 3 {
			a, from, to, p := graphtest.DrawPathArgs(t, w.World)
			a.Weighted, a.Alternatives, a.MaxHops = false, 1, rapid.IntRange(1, 10).Draw(t, "hops")
			got, err := w.graph(d).Path(ctx, a)
			if err != nil {
				t.Fatal(err)
			}
			want, reached := w.Distances([]int{from}, p, func(int) bool { return true })[to]
			if want > a.MaxHops {
				reached = false
			}
			if got.Found != reached || reached && got.Hops != want {
				t.Fatalf("%+v: found %v, %d hops; want %v, %d", a, got.Found, got.Hops, reached, want)
			}
		}
	})
}

// routes returns the names of the memories of each path.
func routes(w *world, p walk.PathResult) []string {
	all := []string{}
	for _, path := range append([][]edges.Hop{p.Path}, p.Alternatives...) {
		ids := []string{}
		for _, h := range path {
			ids = append(ids, h.ID)
		}
		all = append(all, fmt.Sprint(w.Short(ids)))
	}
	return all
}

func TestPath(t *testing.T) {
	for _, c := range []struct {
		name  string
		build func(w *world)
		args  walk.PathArgs // from and to are short ids
		want  []string      // none: not found
	}{
		{"FromIsToWithNoHops", func(w *world) { w.Tie("a", edges.Causes, "b") },
			walk.PathArgs{From: "a", To: "a", Alternatives: 3}, []string{"[a]"}},
		{"Neighbours", func(w *world) { w.Tie("a", edges.Causes, "b") },
			walk.PathArgs{From: "a", To: "b"}, []string{"[a b]"}},
		{"NotBackwardUnderForward", func(w *world) { w.Tie("a", edges.Causes, "b") },
			walk.PathArgs{From: "b", To: "a", Direction: "forward"}, nil},
		{"BackwardAgainstTheArrow", func(w *world) { w.Tie("a", edges.Causes, "b") },
			walk.PathArgs{From: "b", To: "a", Direction: "backward"}, []string{"[b a]"}},
		{"SymmetricBothWays", func(w *world) { w.Tie("a", edges.Contradicts, "b"); w.Tie("c", edges.RelatesTo, "b") },
			walk.PathArgs{From: "c", To: "a", Direction: "backward"}, []string{"[c b a]"}},
		{"OfMaxHops", func(w *world) {
			w.Tie("a", edges.Causes, "b")
			w.Tie("b", edges.Causes, "c")
			w.Tie("c", edges.Causes, "d")
		}, walk.PathArgs{From: "a", To: "d", MaxHops: 3}, []string{"[a b c d]"}},
		{"OfMoreThanMaxHops", func(w *world) {
			w.Tie("a", edges.Causes, "b")
			w.Tie("b", edges.Causes, "c")
			w.Tie("c", edges.Causes, "d")
		}, walk.PathArgs{From: "a", To: "d", MaxHops: 2}, nil},
		{"JoinedByAThirdThatLinksToBoth", func(w *world) { w.Tie("c", edges.LinksTo, "a"); w.Tie("c", edges.LinksTo, "b") },
			walk.PathArgs{From: "a", To: "b"}, []string{"[a c b]"}},
		{"MentionsOnlyWhenAsked", func(w *world) { w.Tie("a", edges.Mentions, "b") },
			walk.PathArgs{From: "a", To: "b"}, nil},
		{"MentionsWhenAsked", func(w *world) { w.Tie("a", edges.Mentions, "b") },
			walk.PathArgs{From: "a", To: "b", EdgeTypes: []string{"MENTIONS"}}, []string{"[a b]"}},
		{"TypeByAnInverseWord", func(w *world) { w.Tie("a", edges.Causes, "b") },
			walk.PathArgs{From: "a", To: "b", EdgeTypes: []string{"caused_by"}}, []string{"[a b]"}},
		{"EmptyTypesAreAllDeclared", func(w *world) { w.Tie("a", edges.PartOf, "b") },
			walk.PathArgs{From: "a", To: "b", EdgeTypes: []string{}}, []string{"[a b]"}},
		{"NotThroughTheForgotten", func(w *world) {
			w.Tie("a", edges.Causes, "b")
			w.Tie("b", edges.Causes, "c")
			w.Mems[w.Find("b")].Forgotten = graphtest.Ptr(graphtest.Day(2))
		}, walk.PathArgs{From: "a", To: "c"}, nil},
		{"ForgottenAndSupersededEndsAreFoundWhenNamed", func(w *world) {
			w.Tie("a", edges.Causes, "b")
			w.Tie("c", edges.Supersedes, "b")
			w.Mems[w.Find("a")].Forgotten = graphtest.Ptr(graphtest.Day(2))
		}, walk.PathArgs{From: "a", To: "b", IncludeSuperseded: graphtest.Ptr(false)}, []string{"[a b]"}},
		{"ThroughTheSupersededUnlessToldNot", func(w *world) { w.Tie("c", edges.Supersedes, "b"); w.Tie("b", edges.Supersedes, "a") },
			walk.PathArgs{From: "a", To: "c"}, []string{"[a b c]"}},
		{"NotThroughTheSuperseded", func(w *world) { w.Tie("c", edges.Supersedes, "b"); w.Tie("b", edges.Supersedes, "a") },
			walk.PathArgs{From: "a", To: "c", IncludeSuperseded: graphtest.Ptr(false)}, nil},
		{"WeightedGoesRoundAWeakEdge", func(w *world) {
			w.Tie("a", edges.Causes, "c").Weight = 0.1
			w.Tie("a", edges.Causes, "b").Weight = 0.9
			w.Tie("b", edges.Causes, "c").Weight = 0.9
		}, walk.PathArgs{From: "a", To: "c", Weighted: true, Alternatives: 2}, []string{"[a b c]", "[a c]"}},
		{"WeightedTakesTheStrongestOfParallelEdges", func(w *world) {
			w.Tie("a", edges.Causes, "c").Weight = 0.1
			w.Tie("a", edges.Supports, "c").Weight = 0.95
			w.Tie("a", edges.Causes, "b").Weight = 0.9
			w.Tie("b", edges.Causes, "c")
		}, walk.PathArgs{From: "a", To: "c", Weighted: true, Alternatives: 2}, []string{"[a c]", "[a b c]"}},
		{"WeightedAmongEqualsTheShorter", func(w *world) {
			w.Tie("a", edges.Causes, "b").Weight = 0.5
			w.Tie("b", edges.Causes, "c").Weight = 0.25
			w.Tie("a", edges.Supports, "c").Weight = 0.125
		}, walk.PathArgs{From: "a", To: "c", Weighted: true, Alternatives: 2}, []string{"[a c]", "[a b c]"}},
		{"WeightedKeepsToMaxHops", func(w *world) {
			w.Tie("a", edges.Causes, "b")
			w.Tie("b", edges.Causes, "c")
			w.Tie("c", edges.Causes, "d")
			w.Tie("a", edges.Causes, "d").Weight = 0.01
		}, walk.PathArgs{From: "a", To: "d", MaxHops: 2, Weighted: true}, []string{"[a d]"}},
		// -log of a weight so close to 1 is lost in a sum with that of a small weight.
		{"WeightedWithAWeightNextToOne", func(w *world) {
			w.Tie("a", edges.Causes, "b").Weight = 0.001
			w.Tie("b", edges.Causes, "d").Weight = 1 - 1e-12
			w.Tie("b", edges.Causes, "c")
			w.Tie("c", edges.Causes, "d")
		}, walk.PathArgs{From: "a", To: "d", Weighted: true}, []string{"[a b c d]"}},
		// In floating point, 0.9·0.7·0.3 depends on the order of the factors.
		{"WeightedEqualProductsInAnyOrder", func(w *world) {
			for i, way := range [][]float64{{0.3, 0.7, 0.9}, {0.9, 0.7, 0.3}, {0.7, 0.3, 0.9}, {0.9, 0.3, 0.7}} {
				b, c := fmt.Sprintf("b%d", i), fmt.Sprintf("c%d", i)
				w.Tie("a", edges.Causes, b).Weight = way[0]
				w.Tie(b, edges.Causes, c).Weight = way[1]
				w.Tie(c, edges.Causes, "d").Weight = way[2]
			}
		}, walk.PathArgs{From: "a", To: "d", Weighted: true, Alternatives: 5},
			[]string{"[a b0 c0 d]", "[a b1 c1 d]", "[a b2 c2 d]", "[a b3 c3 d]"}},
		{"AlternativesHaveNoMemoryTwice", func(w *world) {
			w.Tie("a", edges.Causes, "b")
			w.Tie("b", edges.Causes, "c")
			w.Tie("b", edges.Supports, "d")
			w.Tie("d", edges.Supports, "a")
			w.Tie("d", edges.Supports, "c")
		}, walk.PathArgs{From: "a", To: "c", Alternatives: 5},
			[]string{"[a b c]", "[a d c]", "[a b d c]", "[a d b c]"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			c.build(w)
			d := dbtest.New(t)
			w.Store(t, d, nil, nil)
			c.args.From, c.args.To = w.ID(c.args.From), w.ID(c.args.To)
			got, err := w.graph(d).Path(t.Context(), c.args)
			if err != nil {
				t.Fatal(err)
			}
			if !got.Found {
				if len(c.want) > 0 || len(got.Path) > 0 || got.Message == "" {
					t.Errorf("not found: %+v, want %v", got, c.want)
				}
				return
			}
			if fmt.Sprint(routes(w, got)) != fmt.Sprint(c.want) {
				t.Errorf("paths %v, want %v", routes(w, got), c.want)
			}
		})
	}
}

func TestPathAtTheEndsOfATimeOfValidity(t *testing.T) {
	d := dbtest.New(t)
	for _, c := range []struct {
		name string
		args func(e *graphtest.Tie, b *graphtest.Mem)
		asOf string
		want bool
	}{
		{"EdgeAtItsFrom", func(e *graphtest.Tie, _ *graphtest.Mem) { e.ValidFrom = graphtest.Ptr(graphtest.Day(3)) }, graphtest.Day(3), true},
		{"EdgeJustBeforeItsFrom", func(e *graphtest.Tie, _ *graphtest.Mem) { e.ValidFrom = graphtest.Ptr(graphtest.Day(3)) }, "2026-01-02T23:59:59.999Z", false},
		{"EdgeJustBeforeItsTo", func(e *graphtest.Tie, _ *graphtest.Mem) { e.ValidTo = graphtest.Ptr(graphtest.Day(3)) }, "2026-01-02T23:59:59.999Z", true},
		{"EdgeAtItsTo", func(e *graphtest.Tie, _ *graphtest.Mem) { e.ValidTo = graphtest.Ptr(graphtest.Day(3)) }, graphtest.Day(3), false},
		{"EdgeWhenMade", func(e *graphtest.Tie, _ *graphtest.Mem) { e.Created = graphtest.Day(3) }, graphtest.Day(3), true},
		{"EdgeBeforeItWasMade", func(e *graphtest.Tie, _ *graphtest.Mem) { e.Created = graphtest.Day(3) }, "2026-01-02T23:59:59.999Z", false},
		{"MemoryAtItsFrom", func(_ *graphtest.Tie, m *graphtest.Mem) { m.ValidFrom = graphtest.Ptr(graphtest.Day(3)) }, graphtest.Day(3), true},
		{"MemoryAtItsTo", func(_ *graphtest.Tie, m *graphtest.Mem) { m.ValidTo = graphtest.Ptr(graphtest.Day(3)) }, graphtest.Day(3), false},
		{"MemoryBeforeItWasMade", func(_ *graphtest.Tie, m *graphtest.Mem) { m.Created = graphtest.Day(3) }, graphtest.Day(2), false},
		{"EdgeStoredLaterForThen", func(e *graphtest.Tie, _ *graphtest.Mem) {
			e.Created, e.ValidFrom = graphtest.Day(9), graphtest.Ptr(graphtest.Day(2))
		}, graphtest.Day(3), true},
		{"MemoryStoredLaterForThen", func(_ *graphtest.Tie, m *graphtest.Mem) {
			m.Created, m.ValidFrom = graphtest.Day(9), graphtest.Ptr(graphtest.Day(2))
		}, graphtest.Day(3), true},
		{"MemoryForgottenSince", func(_ *graphtest.Tie, m *graphtest.Mem) { m.Forgotten = graphtest.Ptr(graphtest.Day(3)) }, graphtest.Day(2), false},
		{"AnotherOffset", func(e *graphtest.Tie, _ *graphtest.Mem) { e.ValidFrom = graphtest.Ptr(graphtest.Day(3)) }, "2026-01-03T02:00:00+02:00", true},
		{"AnotherOffsetTooEarly", func(e *graphtest.Tie, _ *graphtest.Mem) { e.ValidFrom = graphtest.Ptr(graphtest.Day(3)) }, "2026-01-03T01:59:00+02:00", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld()
			w.Tie("a", edges.Causes, "b")
			w.Tie("b", edges.Causes, "c")
			c.args(&w.Ties[0], &w.Mems[w.Find("b")])
			w.Store(t, d, nil, nil)
			got, err := w.graph(d).Path(t.Context(), walk.PathArgs{From: w.ID("a"), To: w.ID("c"), AsOf: c.asOf})
			if err != nil || got.Found != c.want {
				t.Errorf("found %v, %v; want %v", got.Found, err, c.want)
			}
		})
	}
}

func TestPathAsOfBeforeASupersession(t *testing.T) {
	d := dbtest.New(t)
	for _, c := range []struct {
		name      string
		validFrom *string
		first     int // day on which the old one is superseded
	}{
		{"FromWhenItWasMade", nil, 4},
		{"FromLaterOn", graphtest.Ptr(graphtest.Day(6)), 6},
		{"FromEarlierOn", graphtest.Ptr(graphtest.Day(2)), 2},
		{"FromWhenTheSuccessorBegan", nil, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld()
			w.Tie("a", edges.Causes, "b")
			w.Tie("b", edges.Causes, "c")
			e := w.Tie("new", edges.Supersedes, "b")
			e.Created, e.ValidFrom = graphtest.Day(4), c.validFrom
			successor := &w.Mems[w.Find("new")]
			if successor.Created = graphtest.Day(4); c.first == 3 {
				successor.ValidFrom = graphtest.Ptr(graphtest.Day(3))
			}
			w.Store(t, d, nil, nil)
			for at := 1; at < 8; at++ {
				got, err := w.graph(d).Path(t.Context(), walk.PathArgs{From: w.ID("a"), To: w.ID("c"), AsOf: graphtest.Day(at), IncludeSuperseded: graphtest.Ptr(false)})
				if want := at < c.first; err != nil || got.Found != want {
					t.Errorf("on day %d: found %v, %v; want %v", at, got.Found, err, want)
				}
			}
		})
	}
}

// The message names the restrictions of the search, and does not suggest anything that the call
// has already done.
func TestPathSaysWhatRestrictsIt(t *testing.T) {
	d := dbtest.New(t)
	w := build([3]string{"a", "causes", "b"}, [3]string{"c", "causes", "d"})
	w.Store(t, d, nil, nil)
	all := []string{}
	for _, k := range edges.Kinds() {
		all = append(all, string(k))
	}
	no := false
	for _, c := range []struct {
		name string
		args walk.PathArgs
		want string
	}{
		{"Nothing", walk.PathArgs{}, "no path of at most 4 hops, along declared edges; allow more hops (max_hops, at most 10), or mentions too (edge_types)"},
		{"MostHops", walk.PathArgs{MaxHops: 10}, "no path of at most 10 hops, along declared edges; allow mentions too (edge_types)"},
		{"Types", walk.PathArgs{MaxHops: 10, EdgeTypes: []string{"caused-by", "supports"}}, "no path of at most 10 hops, along causes, supports only; allow other edge_types"},
		{"Direction", walk.PathArgs{MaxHops: 10, EdgeTypes: all, Direction: "forward"}, "no path of at most 10 hops, forward only; allow direction any"},
		{"Time", walk.PathArgs{MaxHops: 10, EdgeTypes: all, AsOf: "2026-03-01T00:00:00Z"}, "no path of at most 10 hops, as of 2026-03-01T00:00:00Z; allow another as_of"},
		{"Superseded", walk.PathArgs{MaxHops: 10, EdgeTypes: all, IncludeSuperseded: &no}, "no path of at most 10 hops, around superseded memories; allow include_superseded"},
		{"AllAtOnce", walk.PathArgs{EdgeTypes: []string{"causes"}, Direction: "backward", AsOf: "2026-03-01T00:00:00Z", IncludeSuperseded: &no},
			"no path of at most 4 hops, along causes only, backward only, as of 2026-03-01T00:00:00Z, around superseded memories; allow more hops (max_hops, at most 10), or other edge_types, or direction any, or another as_of, or include_superseded"},
		{"NothingToLift", walk.PathArgs{MaxHops: 10, EdgeTypes: all}, "no path of at most 10 hops; nothing else restricts the search"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.args.From, c.args.To = w.ID("a"), w.ID("c")
			got, err := w.graph(d).Path(t.Context(), c.args)
			if err != nil || got.Found || got.Message != c.want {
				t.Errorf("%v, %q\nwant %q", err, got.Message, c.want)
			}
		})
	}
	if _, err := w.graph(d).Path(t.Context(), walk.PathArgs{From: "a", To: "c", MaxHops: 11}); fault.CodeOf(err) != fault.InvalidArgument {
		t.Errorf("11 hops: %v, want invalid_argument: the message says that 10 is the most", err)
	}
}

func TestPathRefuses(t *testing.T) {
	d := dbtest.New(t)
	w := newWorld()
	w.Tie("a", edges.Causes, "b")
	w.Store(t, d, nil, nil)
	for _, c := range []struct {
		name string
		args walk.PathArgs
		want fault.Code
	}{
		{"UnknownFrom", walk.PathArgs{From: "nothing", To: w.ID("b")}, fault.NotFound},
		{"UnknownTo", walk.PathArgs{From: w.ID("a"), To: "nothing"}, fault.NotFound},
		{"UnknownBoth", walk.PathArgs{From: "nothing", To: "nothing"}, fault.NotFound},
		{"NoFrom", walk.PathArgs{To: w.ID("b")}, fault.InvalidArgument},
		{"UnknownType", walk.PathArgs{From: w.ID("a"), To: w.ID("b"), EdgeTypes: []string{"causes", "likes"}}, fault.InvalidArgument},
		{"UnknownDirection", walk.PathArgs{From: w.ID("a"), To: w.ID("b"), Direction: "sideways"}, fault.InvalidArgument},
		{"TooManyHops", walk.PathArgs{From: w.ID("a"), To: w.ID("b"), MaxHops: 11}, fault.InvalidArgument},
		{"NegativeHops", walk.PathArgs{From: w.ID("a"), To: w.ID("b"), MaxHops: -1}, fault.InvalidArgument},
		{"TooManyAlternatives", walk.PathArgs{From: w.ID("a"), To: w.ID("b"), Alternatives: 6}, fault.InvalidArgument},
		{"NoSuchDate", walk.PathArgs{From: w.ID("a"), To: w.ID("b"), AsOf: "2026-02-30"}, fault.InvalidArgument},
		{"ADayThatIsNone", walk.PathArgs{From: w.ID("a"), To: w.ID("b"), AsOf: "2026-02-30T00:00:00Z"}, fault.InvalidArgument},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := w.graph(d).Path(t.Context(), c.args)
			graphtest.MustFail(t, err, c.want)
		})
	}
}

func TestArrowsAreDrawnAsStored(t *testing.T) {
	d := dbtest.New(t)
	w := newWorld()
	w.Tie("a", edges.Causes, "b")
	w.Tie("c", edges.DependsOn, "b")
	w.Tie("c", edges.Contradicts, "d")
	for i, title := range []string{"A", "B", "C", "D"} {
		w.Mems[i].Title = title
	}
	w.Store(t, d, nil, nil)
	there, err := w.graph(d).Path(t.Context(), walk.PathArgs{From: "A", To: "D"})
	if want := "A —causes→ B ←depends-on— C —contradicts— D"; err != nil || edges.Arrows(there.Path) != want {
		t.Errorf("%q, %v; want %q", edges.Arrows(there.Path), err, want)
	}
	back, err := w.graph(d).Path(t.Context(), walk.PathArgs{From: "D", To: "A"})
	if want := "D —contradicts— C —depends-on→ B ←causes— A"; err != nil || edges.Arrows(back.Path) != want {
		t.Errorf("%q, %v; want %q", edges.Arrows(back.Path), err, want)
	}
}

// star stores a hub with edges to many leaves, and returns the world.
func star(t testing.TB, d *db.DB, leaves int) *world {
	t.Helper()
	w := newWorld()
	hub := w.Add("hub")
	for i := range leaves {
		w.AddEdge(hub, edges.LinksTo, w.Add(fmt.Sprintf("%06d", (i*7919)%leaves)))
	}
	w.Store(t, d, nil, nil)
	return w
}
