package explore

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hence/edges"
	"hence/edges/graphtest"
	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/internal/ref"
)

// pagesOf reads all pages of a list, and checks each page against its own counts.
func pagesOf[T any](t tb, limit int, page func(cursor string) (rows []T, total, returned int, truncated bool, next string)) []T {
	t.Helper()
	all, cursor := []T{}, ""
	for {
		rows, total, returned, truncated, next := page(cursor)
		all = append(all, rows...)
		switch {
		case returned != len(rows) || truncated != (next != "") || truncated && returned != limit:
			t.Fatalf("a page of %d: %d rows, returned %d, truncated %v, next %q", limit, len(rows), returned, truncated, next)
		case !truncated && total != len(all):
			t.Fatalf("%d in all, and the pages hold %d", total, len(all))
		case !truncated:
			return all
		}
		cursor = next
	}
}

// TestEdgesAgreeWithTheWorld pages through the edges of a memory of a random world, and
// compares them and their order with the world.
func TestEdgesAgreeWithTheWorld(t *testing.T) {
	d := dbtest.New(t)
	rapid.Check(t, func(t *rapid.T) {
		w := draw(t, graphtest.Shape{Mems: 8, Ties: 30, Hide: true})
		mems, ties := graphtest.DrawOrder(t, w.World)
		w.Store(t, d, mems, ties)
		self := rapid.IntRange(0, len(w.Mems)-1).Draw(t, "memory")
		a := EdgesArgs{
			ID:        w.Mems[self].ID,
			Type:      rapid.SampledFrom([]string{"", "", "causes", "depends_on", "mentions"}).Draw(t, "type"),
			Direction: rapid.SampledFrom([]string{"", "out", "in"}).Draw(t, "direction"),
			Limit:     rapid.IntRange(1, 10).Draw(t, "limit"),
		}
		var counts []TypeCount
		got := pagesOf(t, a.Limit, func(cursor string) ([]ListedEdge, int, int, bool, string) {
			a.Cursor = cursor
			r, err := w.reader(d).Edges(ctx, a)
			if err != nil || r.Memory != (ref.Named{ID: w.Mems[self].ID, Title: w.Mems[self].Title}) {
				t.Fatalf("%+v, %v", r.Memory, err)
			}
			counts = r.Counts
			return r.Edges, r.TotalCount, r.ReturnedCount, r.Truncated, r.Next
		})
		wantCounts, want := w.expectedEdges(t, self, a)
		if diff := gocmp.Diff(want, linesOf(got)); diff != "" {
			t.Fatalf("%+v (-world +store):\n%s", a, diff)
		}
		if diff := gocmp.Diff(wantCounts, counts); diff != "" {
			t.Fatalf("counts (-world +store):\n%s", diff)
		}
	})
}

// expectedEdges returns the expected answer of Edges: the counts of all edges of a memory, and a
// line for each requested edge.
func (w *world) expectedEdges(t tb, self int, a EdgesArgs) (counts []TypeCount, lines []string) {
	kinds := edges.Kinds()
	if a.Type != "" {
		kinds = graphtest.ReadKinds(t, []string{a.Type})
	}
	counts, lines = []TypeCount{}, []string{}
	for _, kind := range edges.Kinds() {
		for _, way := range []string{"out", "in"} {
			ties := []graphtest.Tie{}
			for _, e := range w.Ties {
				if e.Kind == kind && (way == "out" && e.From == self || way == "in" && e.To == self) {
					ties = append(ties, e)
				}
			}
			if len(ties) == 0 {
				continue
			}
			counts = append(counts, TypeCount{Type: kind, Direction: way, Count: len(ties)})
			other := func(e graphtest.Tie) graphtest.Mem { return w.Mems[e.From+e.To-self] }
			slices.SortFunc(ties, func(a, b graphtest.Tie) int {
				return cmp.Or(cmp.Compare(other(a).Title, other(b).Title), cmp.Compare(a.ID, b.ID))
			})
			for _, e := range ties {
				if slices.Contains(kinds, kind) && (a.Direction == "" || a.Direction == way) {
					o := other(e)
					lines = append(lines, fmt.Sprint(e.ID, kind, e.Rel, way, e.Weight, o.ID, o.Title, o.Status, w.Kind(e.From+e.To-self)))
				}
			}
		}
	}
	return counts, lines
}

func linesOf(listed []ListedEdge) []string {
	lines := []string{}
	for _, e := range listed {
		lines = append(lines, fmt.Sprint(e.ID, e.Type, e.Rel, e.Direction, e.Weight, e.Other.ID, e.Other.Title, e.Other.Status, e.Other.Kind))
	}
	return lines
}

// TestCandidatesAgreesWithTheWorld pages through the mentions of a random world without a
// declared edge.
func TestCandidatesAgreesWithTheWorld(t *testing.T) {
	d := dbtest.New(t)
	rapid.Check(t, func(t *rapid.T) {
		w := draw(t, graphtest.Shape{Mems: 6, Ties: 20, Hide: true, Kinds: []edges.Kind{edges.Mentions, edges.Mentions, edges.Supersedes, edges.LinksTo}})
		mems, ties := graphtest.DrawOrder(t, w.World)
		w.Store(t, d, mems, ties)
		pair := func(e graphtest.Tie) [2]int { return [2]int{min(e.From, e.To), max(e.From, e.To)} }
		declared, want := map[[2]int]bool{}, []Candidate{}
		for _, e := range w.Ties {
			declared[pair(e)] = declared[pair(e)] || e.Kind != edges.Mentions
		}
		for _, e := range w.Ties {
			from, to := w.Mems[e.From], w.Mems[e.To]
			if e.Kind == edges.Mentions && !declared[pair(e)] && from.Status == "current" && to.Status == "current" {
				want = append(want, Candidate{ID: e.ID, From: ref.Named{ID: from.ID, Title: from.Title}, To: ref.Named{ID: to.ID, Title: to.Title}, Sites: []Site{}})
			}
		}
		slices.SortFunc(want, func(a, b Candidate) int {
			return cmp.Or(cmp.Compare(a.From.Title, b.From.Title), cmp.Compare(a.To.Title, b.To.Title), cmp.Compare(a.ID, b.ID))
		})
		a := edges.PageArgs{Limit: rapid.IntRange(1, 5).Draw(t, "limit")}
		got := pagesOf(t, a.Limit, func(cursor string) ([]Candidate, int, int, bool, string) {
			a.Cursor = cursor
			r, err := w.reader(d).Candidates(ctx, a)
			if err != nil {
				t.Fatal(err)
			}
			return r.Candidates, r.TotalCount, r.ReturnedCount, r.Truncated, r.Next
		})
		if diff := gocmp.Diff(want, got, gocmp.FilterPath(func(p gocmp.Path) bool { return p.Last().String() == ".key" }, gocmp.Ignore())); diff != "" {
			t.Fatalf("(-world +store):\n%s", diff)
		}
	})
}

// An edge is shown with the places that declare it; of many places only the first ones.
func TestEdgesShowSites(t *testing.T) {
	d := dbtest.New(t)
	w := newWorld()
	w.Tie("a", edges.LinksTo, "b")
	w.Tie("a", edges.Mentions, "c")
	w.Store(t, d, nil, nil)
	batch := []db.Stmt{
		db.S(`insert into mirrors (key, name, root, extraction, imported_at) values (1, 'v', '/v', 1, '')`),
		db.S(`insert into files (memory, mirror, path, size, modified, file_hash) select key, 1, 'notes/a.md', 1, 1, '' from memories where id = ?`, w.ID("a")),
	}
	site := func(edge string, line int) {
		batch = append(batch, db.S(`
insert into sites (note, edge, kind, origin, target, target_key, anchor, line, start_byte, end_byte, context)
select from_key, key, kind, 'wikilink', 'b', 'b', '#H', ?2, ?2 * 10, ?2 * 10 + 5, 'line ' || ?2
from edges
where id = ?1`, edge, line))
	}
	for line := 23; line > 0; line-- {
		site(w.Ties[0].ID, line)
	}
	site(w.Ties[1].ID, 7)
	batch = append(batch, db.S(`update sites set target = 'b c' where edge = (select key from edges where id = ?1)`, w.Ties[1].ID))
	if _, err := d.Write(ctx, "test", db.Now(), batch...); err != nil {
		t.Fatal(err)
	}
	r, err := w.reader(d).Edges(ctx, EdgesArgs{ID: w.ID("a")})
	if err != nil || len(r.Edges) != 2 {
		t.Fatalf("%+v, %v", r, err)
	}
	many, one := r.Edges[0], r.Edges[1]
	if len(many.Sites) != 20 || many.MoreSites != 3 || many.Sites[19].Line != 20 {
		t.Errorf("%d places and %d more: %+v", len(many.Sites), many.MoreSites, many.Sites)
	}
	if want := (Site{Path: "notes/a.md", Line: 1, Anchor: "#H", Context: "line 1"}); many.Sites[0] != want {
		t.Errorf("the first is %+v, want %+v", many.Sites[0], want)
	}
	if len(one.Sites) != 1 || one.MoreSites != 0 || one.Sites[0].Line != 7 {
		t.Errorf("%+v", one)
	}
	candidates, err := w.reader(d).Candidates(ctx, edges.PageArgs{})
	if err != nil || len(candidates.Candidates) != 1 || len(candidates.Candidates[0].Sites) != 1 || candidates.Candidates[0].Sites[0].Context != "line 7" {
		t.Errorf("%+v, %v", candidates, err)
	}
}

// A common word that happens to be a note's name is not a candidate.
func TestCandidatesTellANameFromAWord(t *testing.T) {
	d := dbtest.New(t)
	w := newWorld()
	cases := []struct {
		name, context string
		want          bool
	}{
		{"run", "we run it", false},
		{"Run", "Run it twice", false},
		{"Run", "- Run it", false},
		{"Run", "12. **Run** it", false},
		{"Run", "It works. Run it", false},
		{"Run", "He said: Run it", false},
		{"Run", "(It works.) Run it", false},
		{"Run", "| Run |", false},
		{"Run", "the Run of today", true},
		{"Run", "asked, Run said", true},
		{"Run", "It works. The Run is on", true},
		{"job queue", "the job queue", true},
		{"Job Queue", "Job Queue stands", true},
		{"GitHub", "GitHub has it", true},
		{"RSS", "RSS is read", true},
		{"Øst", "mot Øst", true},
		{"Øst", "Øst er her", false},
		{"東京", "東京へ", true},
		{"ภาษา", "ภาษาไทย", true},
	}
	for i := range cases {
		w.Tie(fmt.Sprint("f", i), edges.Mentions, fmt.Sprint("t", i))
	}
	w.Store(t, d, nil, nil)
	var batch []db.Stmt
	for i, c := range cases {
		batch = append(batch, db.S(`
insert into sites (note, edge, kind, origin, target, target_key, line, start_byte, end_byte, context)
select from_key, key, kind, 'mention', ?2, ?2, 1, 0, 0, ?3
from edges
where id = ?1`, w.Ties[i].ID, c.name, c.context))
	}
	if _, err := d.Write(ctx, "test", db.Now(), batch...); err != nil {
		t.Fatal(err)
	}
	r, err := w.reader(d).Candidates(ctx, edges.PageArgs{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range cases {
		if got := slices.ContainsFunc(r.Candidates, func(found Candidate) bool { return found.ID == w.Ties[i].ID }); got != c.want {
			t.Errorf("%q in %q: a candidate: %v, want %v", c.name, c.context, got, c.want)
		}
	}
}

func TestListsRefuse(t *testing.T) {
	d := dbtest.New(t)
	w := newWorld()
	w.Tie("a", edges.Causes, "b")
	w.Store(t, d, nil, nil)
	q := w.reader(d)
	list := func(a EdgesArgs) error { _, err := q.Edges(ctx, a); return err }
	candidates := func(a edges.PageArgs) error { _, err := q.Candidates(ctx, a); return err }
	for _, c := range []struct {
		name string
		err  error
		want fault.Code
	}{
		{"NoMemory", list(EdgesArgs{ID: "nobody"}), fault.NotFound},
		{"NoID", list(EdgesArgs{}), fault.InvalidArgument},
		{"NoType", list(EdgesArgs{ID: w.ID("a"), Type: "hates"}), fault.InvalidArgument},
		{"NoDirection", list(EdgesArgs{ID: w.ID("a"), Direction: "up"}), fault.InvalidArgument},
		{"OverTheLimit", list(EdgesArgs{ID: w.ID("a"), Limit: 501}), fault.InvalidArgument},
		{"CursorNotBase64", list(EdgesArgs{ID: w.ID("a"), Cursor: "%"}), fault.InvalidArgument},
		{"CursorNotJSON", list(EdgesArgs{ID: w.ID("a"), Cursor: "e30x"}), fault.InvalidArgument},
		{"CursorOfCandidates", candidates(edges.PageArgs{Cursor: "!"}), fault.InvalidArgument},
	} {
		if fault.CodeOf(c.err) != c.want {
			t.Errorf("%s: %v, want %s", c.name, c.err, c.want)
		} else if strings.Contains(c.err.Error(), "json") {
			t.Errorf("%s says %v", c.name, c.err)
		}
	}
}
