package edges_test

import (
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"hence/edges"
	"hence/edges/graphtest"
	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/internal/ref"
)

// room stores memories whose names are single letters and returns their world.
func room(t testing.TB, names string) (*world, edges.Graph) {
	t.Helper()
	w := newWorld()
	for _, name := range names {
		w.Add(string(name))
	}
	d := dbtest.New(t)
	w.Store(t, d, nil, nil)
	return w, w.graph(d)
}

func (w *world) link(t testing.TB, g edges.Graph, from, kind, to string) edges.LinkResult {
	t.Helper()
	r, err := g.Link(t.Context(), edges.LinkArgs{From: w.ID(from), To: w.ID(to), Type: kind})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func status(t testing.TB, g edges.Graph, id string) string {
	t.Helper()
	var s string
	err := g.DB.Read(t.Context(), func(r *db.Reader) (err error) {
		s, _, err = db.One[string](t.Context(), r, `select status from memories where id = ?`, id)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestLinkStoresWhatItIsGiven(t *testing.T) {
	w, g := room(t, "ab")
	got, err := g.Link(t.Context(), edges.LinkArgs{
		From: w.Namespace + " a", To: w.ID("b"), Type: "Depends_On", Rel: "builds on", Weight: graphtest.Ptr(0.25), Note: "measured",
		ValidFrom: "2026-01-01T02:00:00+02:00", ValidTo: "2026-02-01T00:00:00.5Z",
	})
	if err != nil {
		t.Fatal(err)
	}
	end := func(name string) ref.End {
		return ref.End{Named: ref.Named{ID: w.ID(name), Title: w.Namespace + " " + name}, Status: "current"}
	}
	want := edges.LinkResult{Created: true, Warnings: []string{}, Edge: edges.Edge{
		ID: got.Edge.ID, From: end("a"), To: end("b"), Type: edges.DependsOn, Rel: "builds on", Weight: 0.25,
		Origin: "agent", Actor: "test", Note: "measured",
		ValidFrom: "2026-01-01T00:00:00.000Z", ValidTo: "2026-02-01T00:00:00.500Z", CreatedAt: got.Edge.CreatedAt,
	}}
	if diff := gocmp.Diff(want, got); diff != "" || len(got.Edge.ID) != 36 || got.Edge.CreatedAt == "" {
		t.Errorf("id %q, -want +got\n%s", got.Edge.ID, diff)
	}
	if n := dbtest.Count(t, g.DB, `select count(*) from journal where actor = 'test' and action = 'link' and id = ?`, got.Edge.ID); n != 1 {
		t.Errorf("%d rows in the journal, want 1 in the caller's name", n)
	}
}

func TestLinkAgainKeepsWhatIsNotGiven(t *testing.T) {
	w, g := room(t, "ab")
	link := func(a edges.LinkArgs) edges.LinkResult {
		t.Helper()
		a.From, a.To, a.Type = w.ID("a"), w.ID("b"), "causes"
		r, err := g.Link(t.Context(), a)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	first := link(edges.LinkArgs{Weight: graphtest.Ptr(0.5), Note: "why", ValidFrom: graphtest.Day(2), ValidTo: graphtest.Day(9)})
	again := link(edges.LinkArgs{})
	if diff := gocmp.Diff(first.Edge, again.Edge); diff != "" || !first.Created || again.Created {
		t.Errorf("created %v then %v; -first +again\n%s", first.Created, again.Created, diff)
	}
	want := first.Edge
	want.Weight, want.Note, want.ValidTo = 0.75, "better", graphtest.Day(5)
	changed := link(edges.LinkArgs{Weight: graphtest.Ptr(0.75), Note: "better", ValidTo: graphtest.Day(5)})
	if diff := gocmp.Diff(want, changed.Edge); diff != "" || changed.Created {
		t.Errorf("created %v; -want +got\n%s", changed.Created, diff)
	}
	_, err := g.Link(t.Context(), edges.LinkArgs{From: w.ID("a"), To: w.ID("b"), Type: "causes", ValidTo: graphtest.Day(1)})
	graphtest.MustFail(t, err, fault.InvalidArgument)
	if other := link(edges.LinkArgs{Rel: "another word"}); !other.Created || other.Edge.ID == first.Edge.ID {
		t.Error("another rel is another edge")
	}
	if n := dbtest.Count(t, g.DB, `select count(*) from edges`); n != 2 {
		t.Errorf("%d edges, want 2", n)
	}
}

func TestSymmetricKindsAreOneEdgeWhicheverWay(t *testing.T) {
	for _, kind := range []string{"contradicts", "relates-to"} {
		t.Run(kind, func(t *testing.T) {
			w, g := room(t, "ab")
			first := w.link(t, g, "b", kind, "a")
			again := w.link(t, g, "a", kind, "b")
			if diff := gocmp.Diff(first.Edge, again.Edge); diff != "" || !first.Created || again.Created {
				t.Errorf("created %v then %v; -first +again\n%s", first.Created, again.Created, diff)
			}
			removed, err := g.Unlink(t.Context(), edges.UnlinkArgs{From: w.ID("a"), To: w.ID("b"), Type: kind})
			if err != nil || removed.Removed != 1 {
				t.Errorf("removed %d, %v; want 1", removed.Removed, err)
			}
		})
	}
}

func TestDirectedKindsAreAnEdgeEachWay(t *testing.T) {
	w, g := room(t, "ab")
	if !w.link(t, g, "a", "causes", "b").Created || !w.link(t, g, "b", "causes", "a").Created {
		t.Error("one way hides the other")
	}
}

func TestInverseWordsAreTurnedRound(t *testing.T) {
	for _, kind := range edges.Kinds() {
		_, inverse := kind.Words()
		for _, word := range inverse {
			w, g := room(t, "ab")
			got := w.link(t, g, "a", word, "b").Edge
			if got.From.ID != w.ID("b") || got.To.ID != w.ID("a") || got.Type != kind {
				t.Errorf("a %s b is stored as %s %s %s", word, got.From.ID, got.Type, got.To.ID)
			}
			removed, err := g.Unlink(t.Context(), edges.UnlinkArgs{From: w.ID("a"), To: w.ID("b"), Type: word})
			if err != nil || removed.Removed != 1 {
				t.Errorf("unlink %s: removed %d, %v", word, removed.Removed, err)
			}
			break // one is enough: the table's words have a test of their own
		}
	}
}

func TestLinkRefuses(t *testing.T) {
	w, g := room(t, "ab")
	id := w.ID
	for _, c := range []struct {
		name string
		args edges.LinkArgs
		want fault.Code
	}{
		{"SelfEdge", edges.LinkArgs{From: id("a"), To: w.Namespace + " a", Type: "causes"}, fault.InvalidArgument},
		{"UnknownFrom", edges.LinkArgs{From: "nobody", To: id("a"), Type: "causes"}, fault.NotFound},
		{"UnknownTo", edges.LinkArgs{From: id("a"), To: "nobody", Type: "causes"}, fault.NotFound},
		{"NoFrom", edges.LinkArgs{To: id("a"), Type: "causes"}, fault.InvalidArgument},
		{"BlankTo", edges.LinkArgs{From: id("a"), To: "  ", Type: "causes"}, fault.InvalidArgument},
		{"NoType", edges.LinkArgs{From: id("a"), To: id("b")}, fault.InvalidArgument},
		{"UnknownType", edges.LinkArgs{From: id("a"), To: id("b"), Type: "likes"}, fault.InvalidArgument},
		{"NoWeight", edges.LinkArgs{From: id("a"), To: id("b"), Type: "causes", Weight: graphtest.Ptr(0.0)}, fault.InvalidArgument},
		{"NegativeWeight", edges.LinkArgs{From: id("a"), To: id("b"), Type: "causes", Weight: graphtest.Ptr(-0.5)}, fault.InvalidArgument},
		{"WeightOverOne", edges.LinkArgs{From: id("a"), To: id("b"), Type: "causes", Weight: graphtest.Ptr(math.Nextafter(1, 2))}, fault.InvalidArgument},
		{"WeightThatIsNoNumber", edges.LinkArgs{From: id("a"), To: id("b"), Type: "causes", Weight: graphtest.Ptr(math.NaN())}, fault.InvalidArgument},
		{"NoSuchDate", edges.LinkArgs{From: id("a"), To: id("b"), Type: "causes", ValidFrom: "2026-02-30"}, fault.InvalidArgument},
		{"DayThatIsNone", edges.LinkArgs{From: id("a"), To: id("b"), Type: "causes", ValidTo: "2026-02-30T00:00:00Z"}, fault.InvalidArgument},
		{"FromAfterTo", edges.LinkArgs{From: id("a"), To: id("b"), Type: "causes", ValidFrom: graphtest.Day(3), ValidTo: graphtest.Day(2)}, fault.InvalidArgument},
		{"FromEqualsTo", edges.LinkArgs{From: id("a"), To: id("b"), Type: "causes", ValidFrom: "2026-01-01T00:00:00Z", ValidTo: "2026-01-01T01:00:00+01:00"}, fault.InvalidArgument},
		{"YearOver9999", edges.LinkArgs{From: id("a"), To: id("b"), Type: "causes", ValidTo: "9999-12-31T23:59:59-10:00"}, fault.InvalidArgument},
		{"LineEndInRel", edges.LinkArgs{From: id("a"), To: id("b"), Type: "causes", Rel: "a\nb"}, fault.InvalidArgument},
		{"NULInNote", edges.LinkArgs{From: id("a"), To: id("b"), Type: "causes", Note: "a\x00b"}, fault.InvalidArgument},
		{"InvalidUTF8InRel", edges.LinkArgs{From: id("a"), To: id("b"), Type: "causes", Rel: "\xff"}, fault.InvalidArgument},
		{"RelTooLong", edges.LinkArgs{From: id("a"), To: id("b"), Type: "causes", Rel: strings.Repeat("x", 201)}, fault.TooLarge},
		{"NoteTooLong", edges.LinkArgs{From: id("a"), To: id("b"), Type: "causes", Note: strings.Repeat("x", 4001)}, fault.TooLarge},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := g.Link(t.Context(), c.args)
			graphtest.MustFail(t, err, c.want)
		})
	}
	for _, c := range []edges.LinkArgs{
		{From: id("a"), To: id("b"), Type: "causes", Weight: graphtest.Ptr(1.0)},
		{From: id("a"), To: id("b"), Type: "causes", Weight: graphtest.Ptr(math.SmallestNonzeroFloat64)},
		{From: id("a"), To: id("b"), Type: "supports", Rel: strings.Repeat("x", 200), Note: strings.Repeat("x", 4000)},
	} {
		if _, err := g.Link(t.Context(), c); err != nil {
			t.Errorf("at its bound: %v", err)
		}
	}
	if n := dbtest.Count(t, g.DB, `select count(*) from edges`); n != 2 {
		t.Errorf("%d edges, want the 2 that were not refused", n)
	}
}

func TestLinkOfAnUnknownTypeListsTheKnown(t *testing.T) {
	w, g := room(t, "ab")
	_, err := g.Link(t.Context(), edges.LinkArgs{From: w.ID("a"), To: w.ID("b"), Type: "likes"})
	if details := graphtest.MustFail(t, err, fault.InvalidArgument); fmt.Sprint(details["known"]) != fmt.Sprint(edges.Kinds()) {
		t.Errorf("details.known = %v", details["known"])
	}
}

func TestSecondSuccessorIsAConflictThatNamesTheHead(t *testing.T) {
	w, g := room(t, "abcx")
	w.link(t, g, "b", "supersedes", "a")
	w.link(t, g, "c", "supersedes", "b")
	_, err := g.Link(t.Context(), edges.LinkArgs{From: w.ID("x"), To: w.ID("a"), Type: "supersedes"})
	details := graphtest.MustFail(t, err, fault.Conflict)
	if want := (ref.End{Named: ref.Named{ID: w.ID("c"), Title: w.Namespace + " c"}, Status: "current"}); details["current"] != want {
		t.Errorf("details.current = %v, want %v", details["current"], want)
	}
	if again := w.link(t, g, "b", "supersedes", "a"); again.Created {
		t.Error("the first successor linked again is not a second edge")
	}
}

func TestUnlinkReinstatesTheSuperseded(t *testing.T) {
	w, g := room(t, "ab")
	w.link(t, g, "b", "supersedes", "a")
	if got := status(t, g, w.ID("a")); got != "superseded" {
		t.Errorf("a is %s", got)
	}
	if _, err := g.Unlink(t.Context(), edges.UnlinkArgs{From: w.ID("a"), To: w.ID("b"), Type: "replaced by"}); err != nil {
		t.Fatal(err)
	}
	if got := status(t, g, w.ID("a")); got != "current" {
		t.Errorf("a is %s", got)
	}
}

func TestUnlink(t *testing.T) {
	w, g := room(t, "ab")
	for _, rel := range []string{"", "one", "two"} {
		if _, err := g.Link(t.Context(), edges.LinkArgs{From: w.ID("a"), To: w.ID("b"), Type: "causes", Rel: rel}); err != nil {
			t.Fatal(err)
		}
	}
	w.link(t, g, "a", "supports", "b")
	w.link(t, g, "b", "causes", "a")
	for _, c := range []struct {
		name string
		args edges.UnlinkArgs
		want int64
	}{
		{"OneWord", edges.UnlinkArgs{From: w.ID("a"), To: w.ID("b"), Type: "causes", Rel: "one"}, 1},
		{"AWordThatIsNone", edges.UnlinkArgs{From: w.ID("a"), To: w.ID("b"), Type: "causes", Rel: "one"}, 0},
		{"AllOfAType", edges.UnlinkArgs{From: w.ID("a"), To: w.ID("b"), Type: "causes"}, 2},
		{"None", edges.UnlinkArgs{From: w.ID("a"), To: w.ID("b"), Type: "follows"}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := g.Unlink(t.Context(), c.args)
			if err != nil || got.Removed != c.want || got.Warnings == nil || len(got.Warnings) > 0 {
				t.Errorf("%+v, %v; want %d removed", got, err, c.want)
			}
		})
	}
	if n := dbtest.Count(t, g.DB, `select count(*) from edges where kind = 'supports' or kind = 'causes'`); n != 2 {
		t.Errorf("%d edges left, want the other type and the other way", n)
	}
	_, err := g.Unlink(t.Context(), edges.UnlinkArgs{From: w.ID("a"), To: "nobody", Type: "causes"})
	graphtest.MustFail(t, err, fault.NotFound)
	_, err = g.Unlink(t.Context(), edges.UnlinkArgs{From: w.ID("a"), To: w.ID("b"), Type: "likes"})
	graphtest.MustFail(t, err, fault.InvalidArgument)
}

func TestUnlinkOfWhatANoteDeclaresStays(t *testing.T) {
	w := newWorld()
	w.Tie("n", edges.DependsOn, "m")
	w.Note(0)
	d := dbtest.New(t)
	w.Store(t, d, nil, nil)
	g := w.graph(d)
	g.Caller.Origin = "person"
	_, err := d.Write(t.Context(), "vault", db.Now(), db.S(`
insert into sites (note, edge, kind, origin, target, target_key, line, start_byte, end_byte)
select from_key, key, kind, 'frontmatter', 'm', 'm', 3, 0, 1
from edges
where id = ?`, w.Ties[0].ID))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		got, err := g.Unlink(t.Context(), edges.UnlinkArgs{From: w.ID("n"), To: w.ID("m"), Type: "depends-on"})
		if err != nil || got.Removed != 0 || len(got.Warnings) != 1 ||
			!strings.Contains(got.Warnings[0], *w.Mems[0].URI) || !strings.Contains(got.Warnings[0], "line 3") {
			t.Errorf("%+v, %v; want a warning that names the note and the line", got, err)
		}
	}
	if n := dbtest.Count(t, d, `select count(*) from edges where declared = 'site'`); n != 1 {
		t.Errorf("%d edges live by their sites, want 1", n)
	}
	if _, err := d.Write(t.Context(), "vault", db.Now(), db.S(`delete from sites`)); err != nil {
		t.Fatal(err)
	}
	if n := dbtest.Count(t, d, `select count(*) from edges`); n != 0 {
		t.Errorf("%d edges outlive their last site", n)
	}
}

func TestLinkKeepsNamespacesApart(t *testing.T) {
	d := dbtest.New(t)
	one, other := newWorld(), newWorld()
	one.Add("a")
	other.Add("b")
	one.Store(t, d, nil, nil)
	other.Store(t, d, nil, nil)
	all := edges.Graph{DB: d, Caller: ref.Caller{Actor: "test"}}
	_, err := all.Link(t.Context(), edges.LinkArgs{From: one.ID("a"), To: other.ID("b"), Type: "causes"})
	graphtest.MustFail(t, err, fault.InvalidArgument)
	confined := one.graph(d)
	confined.Caller.Confined = true
	_, err = confined.Link(t.Context(), edges.LinkArgs{From: one.ID("a"), To: other.ID("b"), Type: "causes"})
	graphtest.MustFail(t, err, fault.NotFound)
}

func TestLinkByAPersonIsAPersons(t *testing.T) {
	w, g := room(t, "ab")
	g.Caller.Origin = ""
	if got := w.link(t, g, "a", "causes", "b").Edge.Origin; got != "person" {
		t.Errorf("origin is %q", got)
	}
}

// An agent neither changes nor removes an edge that a person declared.
func TestAnAgentLeavesThePersonsEdges(t *testing.T) {
	w, g := room(t, "ab")
	person := g
	person.Caller.Origin = "person"
	w.link(t, person, "a", "supports", "b")
	again, err := g.Link(t.Context(), edges.LinkArgs{From: w.ID("a"), To: w.ID("b"), Type: "supports", Note: "it ended", ValidTo: "2020-01-01"})
	if err != nil || again.Created || again.Edge.Note != "" || again.Edge.ValidTo != "" || len(again.Warnings) != 1 {
		t.Errorf("%+v, %v; want the edge as it was, and a warning", again, err)
	}
	args := edges.UnlinkArgs{From: w.ID("a"), To: w.ID("b"), Type: "supports"}
	_, err = g.Unlink(t.Context(), args)
	graphtest.MustFail(t, err, fault.ReadOnly)
	if again, err := person.Link(t.Context(), edges.LinkArgs{From: w.ID("a"), To: w.ID("b"), Type: "supports", Note: "measured"}); err != nil || again.Edge.Note != "measured" {
		t.Errorf("%+v, %v", again, err)
	}
	if got, err := person.Unlink(t.Context(), args); err != nil || got.Removed != 1 {
		t.Errorf("%+v, %v", got, err)
	}
}

// If an agent declares that a text supersedes or contradicts one that a person wrote, the edge
// is a proposal, even if both are a person's. It is not if an agent reported the other text.
func TestAnAgentProposesBetweenTextsOfAPerson(t *testing.T) {
	for name, c := range map[string]struct {
		from, to, kind string
		isProposal     bool
	}{
		"Written":              {"person", "person", "supersedes", true},
		"WrittenAgainst":       {"person", "person", "contradicts", true},
		"ByAReport":            {"agent", "person", "supersedes", true},
		"OfAReport":            {"person", "agent", "supersedes", false},
		"ReportByReport":       {"agent", "agent", "supersedes", false},
		"ReportAgainstReport":  {"agent", "agent", "contradicts", false},
		"ReportAgainstWritten": {"agent", "person", "contradicts", true},
	} {
		t.Run(name, func(t *testing.T) {
			w, g := room(t, "ab")
			for id, origin := range map[string]string{w.ID("a"): c.from, w.ID("b"): c.to} {
				dbtest.Script(t, g.DB.Path(), `update memories set origin = '`+origin+`', source = 'person' where id = '`+id+`'`)
			}
			got := w.link(t, g, "a", c.kind, "b")
			if isProposal := string(got.Edge.Type) != c.kind; isProposal != c.isProposal || isProposal != (len(got.Warnings) == 1) {
				t.Errorf("%+v", got)
			}
			g.Caller.Origin = "person"
			if got := w.link(t, g, "a", c.kind, "b"); string(got.Edge.Type) != c.kind {
				t.Errorf("by a person: %+v", got)
			}
		})
	}
}

func TestLinkInAReadOnlyStore(t *testing.T) {
	w, g := room(t, "ab")
	d, err := db.Open(t.Context(), g.DB.Path(), db.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	g.DB = d
	_, err = g.Link(t.Context(), edges.LinkArgs{From: w.ID("a"), To: w.ID("b"), Type: "causes"})
	graphtest.MustFail(t, err, fault.ReadOnly)
}

func TestOneOfManyWinsASupersession(t *testing.T) {
	const writers = 12
	w, g := room(t, "abcdefghijklo")
	results := make([]error, writers)
	var wg sync.WaitGroup
	for i := range writers {
		wg.Go(func() {
			_, results[i] = g.Link(ctx, edges.LinkArgs{From: w.ID(string("abcdefghijkl"[i])), To: w.ID("o"), Type: "supersedes"})
		})
	}
	wg.Wait()
	won := ""
	for i, err := range results {
		if err == nil {
			if won != "" {
				t.Error("two successors")
			}
			won = w.ID(string("abcdefghijkl"[i]))
		}
	}
	for _, err := range results {
		if err == nil {
			continue
		}
		if details := graphtest.MustFail(t, err, fault.Conflict); details["current"].(ref.End).ID != won {
			t.Errorf("details.current = %v, want %s", details["current"], won)
		}
	}
	if n := dbtest.Count(t, g.DB, `select count(*) from edges`); n != 1 {
		t.Errorf("%d edges, want 1", n)
	}
}

func TestBetween(t *testing.T) {
	w := newWorld()
	w.Tie("m", edges.Supports, "a")
	w.Tie("m", edges.Causes, "c")
	w.Tie("b", edges.Causes, "m")
	w.Tie("m", edges.Causes, "b")
	w.Tie("a", edges.Causes, "b")
	d := dbtest.New(t)
	w.Tie("a", edges.Mentions, "m")
	w.Store(t, d, []int{3, 1, 0, 2}, []int{4, 0, 5, 1, 3, 2})
	for _, c := range []struct {
		mentions     bool
		limit, total int
		want         string
	}{
		{false, 10, 4, "m→b m→c b→m m→a"}, {false, 2, 4, "m→b m→c"},
		{true, 10, 5, "m→b m→c b→m m→a a→m"}, {true, 4, 5, "m→b m→c b→m m→a"},
	} {
		err := d.Read(t.Context(), func(r *db.Reader) error {
			m, err := w.graph(d).Caller.Find(t.Context(), r, w.ID("m"))
			if err != nil {
				return err
			}
			mentions, total, err := edges.ReadEdges(t.Context(), r, m, c.mentions, c.limit)
			got := []string{}
			for _, e := range mentions {
				got = append(got, strings.Join(w.Short([]string{e.From.ID, e.To.ID}), "→"))
			}
			if strings.Join(got, " ") != c.want || total != c.total {
				t.Errorf("%v of %d, want %s of %d", got, total, c.want, c.total)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
