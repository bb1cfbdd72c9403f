package explore

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
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

// titlesOf returns the titles of all dots of a map.
func titlesOf(t rapidOrTest, q reader, a Atlas) []string {
	titles := []string{}
	for start := 0; start < a.Dots; start += maxNamed {
		dots := []int{}
		for i := start; i < min(a.Dots, start+maxNamed); i++ {
			dots = append(dots, i)
		}
		result, err := q.AtlasNames(ctx, AtlasNamesArgs{Version: a.Version, Dots: dots})
		if err != nil {
			t.Fatalf("%v", err)
		}
		for _, m := range result.Memories {
			titles = append(titles, m.Title)
		}
	}
	return titles
}

type rapidOrTest interface{ Fatalf(string, ...any) }

// TestAtlasAgreesWithTheWorld compares the maps of random worlds with the memories that
// were stored.
func TestAtlasAgreesWithTheWorld(t *testing.T) {
	d := dbtest.New(t)
	rapid.Check(t, func(t *rapid.T) {
		w := draw(t, graphtest.Shape{Mems: 12, Ties: 30, Hide: true})
		w.Store(t, d, nil, nil)
		q := w.reader(d)
		a, err := q.Atlas(ctx, AtlasArgs{})
		if err != nil || a.Rest != 0 {
			t.Fatalf("%d left out, %v", a.Rest, err)
		}
		status, degree := map[string]string{}, map[string]int{}
		want := []string{}
		for _, m := range w.Mems {
			want = append(want, m.Title)
			status[m.Title] = m.Status
		}
		ids := map[string]string{}
		for _, m := range w.Mems {
			ids[m.ID] = m.Title
		}
		for _, e := range w.Ties {
			if e.Kind != edges.Mentions {
				degree[ids[e.FromID]]++
				degree[ids[e.ToID]]++
			}
		}
		got := titlesOf(t, q, a)
		for i, title := range got {
			if s := []string{"current", "superseded", "forgotten"}[a.Status[i]]; s != status[title] {
				t.Fatalf("%s is %s, and drawn as %s", title, status[title], s)
			}
			if n := int(binary.LittleEndian.Uint16(a.Degree[2*i:])); n != degree[title] {
				t.Fatalf("%s has %d edges, and is drawn with %d", title, degree[title], n)
			}
			area := a.Areas[binary.LittleEndian.Uint32(a.Area[4*i:])]
			x, y := math.Float32frombits(binary.LittleEndian.Uint32(a.X[4*i:])), math.Float32frombits(binary.LittleEndian.Uint32(a.Y[4*i:]))
			if i < area.Start || i >= area.End || math.Hypot(float64(x-area.X), float64(y-area.Y)) > float64(area.R) {
				t.Fatalf("%s is not in its area %+v", title, area)
			}
		}
		sorted := slices.Sorted(slices.Values(got))
		slices.Sort(want)
		if diff := gocmp.Diff(want, sorted); diff != "" {
			t.Fatalf("(-world +map):\n%s", diff)
		}
		pairs := map[string]int{} // by what is joined how
		es, err := q.AtlasEdges(ctx, AtlasEdgesArgs{Version: a.Version})
		if err != nil {
			t.Fatal(err)
		}
		for i, kind := range es.Type {
			from, to := binary.LittleEndian.Uint32(es.From[4*i:]), binary.LittleEndian.Uint32(es.To[4*i:])
			pairs[fmt.Sprint(got[from], a.Types[kind], got[to])]++
		}
		for _, e := range w.Ties {
			if e.Kind != edges.Mentions {
				pairs[fmt.Sprint(ids[e.FromID], e.Kind, ids[e.ToID])]--
			}
		}
		for pair, n := range pairs {
			if n != 0 {
				t.Fatalf("%s: %d too many", pair, n)
			}
		}
		between := 0
		for _, tie := range a.Ties {
			if tie[0] >= tie[1] || a.Areas[tie[0]].Parent != a.Areas[tie[1]].Parent || tie[3] < 1 {
				t.Fatalf("tie %v", tie)
			}
			between += tie[3]
		}
		if all := len(w.Ties); between > all {
			t.Fatalf("%d of %d edges join areas", between, all)
		}
	})
}

func TestAtlasIsKeptUntilTheJournalMoves(t *testing.T) {
	d := dbtest.New(t)
	w := newWorld()
	w.Tie("a", edges.Causes, "b")
	w.Store(t, d, nil, nil)
	q := reader{DB: d, Caller: person}
	kept := func() *cachedAtlas {
		t.Helper()
		m, err := q.atlas(ctx, "memories")
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	first := kept()
	if kept() != first {
		t.Error("it is made twice")
	}
	version := first.atlas.Version
	if _, err := d.Write(ctx, "t", db.Now(), db.S(`insert into memories (namespace, title) values ('far', 'far away')`)); err != nil {
		t.Fatal(err)
	}
	if kept() == first {
		t.Error("it is kept though the store has changed")
	}
	if _, err := q.AtlasNames(ctx, AtlasNamesArgs{Version: version, Dots: []int{0}}); fault.CodeOf(err) != fault.Conflict {
		t.Errorf("dots of an older map: %v", err)
	}
	if _, err := q.AtlasEdges(ctx, AtlasEdgesArgs{Version: version}); fault.CodeOf(err) != fault.Conflict {
		t.Errorf("edges of an older map: %v", err)
	}
	version = kept().atlas.Version
	if _, err := d.Write(ctx, "t", db.Now(), db.S(`update memories set kind = 'decision'`)); err != nil {
		t.Fatal(err)
	}
	if kept().atlas.Version == version {
		t.Error("all memories have another kind, and the map has the same version")
	}
	if _, err := q.AtlasNames(ctx, AtlasNamesArgs{Version: kept().atlas.Version, Dots: []int{9}}); fault.CodeOf(err) != fault.InvalidArgument {
		t.Errorf("a dot that is not there: %v", err)
	}
	if _, err := q.AtlasNames(ctx, AtlasNamesArgs{Dots: make([]int, maxNamed+1)}); fault.CodeOf(err) != fault.TooLarge {
		t.Errorf("too many dots: %v", err)
	}
}

// The version of the map of a confined caller stays the same while others write.
func TestAtlasOfANamespaceTellsNothingOfOthers(t *testing.T) {
	d := dbtest.New(t)
	dbtest.Script(t, d.Path(), `insert into memories (namespace, title) values ('ours', 'One'), ('theirs', 'Two')`)
	q := reader{DB: d, Caller: ref.Caller{Namespace: "ours", Confined: true}}
	before, err := q.Atlas(ctx, AtlasArgs{})
	if err != nil || before.Dots != 1 {
		t.Fatalf("%d dots, %v", before.Dots, err)
	}
	dbtest.Script(t, d.Path(), `insert into memories (namespace, title, kind, tags) values ('theirs', 'Three', 'zebra', '["zebra"]')`)
	after, err := q.Atlas(ctx, AtlasArgs{})
	if diff := gocmp.Diff(before, after); diff != "" || err != nil {
		t.Errorf("%v (-before +after):\n%s", err, diff)
	}
}

func TestAtlasTimes(t *testing.T) {
	d := dbtest.New(t)
	dbtest.Script(t, d.Path(), `
insert into memories (title, created_at, valid_from, valid_to, kind, tags, uri) values
  ('Old', '2026-01-01T00:00:00.000Z', null, null, 'fact', '[]', null),
  ('New', '2026-02-01T00:00:00.000Z', '2026-01-15T00:00:00.000Z', null, 'fact', '["b","a"]', 'obsidian-fs://v/deep/New.md'),
  ('Over', '2026-03-01T00:00:00.000Z', null, '2026-04-01T00:00:00.000Z', 'decision', '[]', null);
insert into edges (from_key, to_key, kind, created_at)
select n.key, o.key, 'supersedes', '2026-02-02T00:00:00.000Z' from memories n join memories o on o.title = 'Old' where n.title = 'New'`)
	q := reader{DB: d, Caller: person}
	a, err := q.Atlas(ctx, AtlasArgs{})
	if err != nil {
		t.Fatal(err)
	}
	minute := func(day string) int { return int(minuteOf(day + "T00:00")) }
	got := map[string][5]int{}
	for i, title := range titlesOf(t, q, a) {
		got[title] = [5]int{int(binary.LittleEndian.Uint32(a.Stored[4*i:]))}
		for _, s := range a.Spans {
			if s[0] == i {
				got[title] = [5]int{got[title][0], s[1], s[2], s[3], s[4]}
			}
		}
		if title == "New" && a.Folders[binary.LittleEndian.Uint16(a.Folder[2*i:])] != "v/deep" {
			t.Errorf("New is in %q", a.Folders)
		}
	}
	want := map[string][5]int{
		"Old":  {minute("2026-01-01"), minute("2026-02-02"), 0, minute("2026-01-15"), 0},
		"New":  {minute("2026-02-01"), 0, minute("2026-01-15"), 0, 0},
		"Over": {minute("2026-03-01"), 0, 0, minute("2026-04-01"), 1},
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	es, err := q.AtlasEdges(ctx, AtlasEdgesArgs{Version: a.Version})
	if err != nil || len(es.Type) != 1 || int(binary.LittleEndian.Uint32(es.Stored)) != minute("2026-02-02") {
		t.Errorf("%+v, %v", es, err)
	}
	if diff := gocmp.Diff([][3]int{{0, minute("2026-01-15"), 0}}, es.Spans); diff != "" {
		t.Errorf("edges (-want +got):\n%s", diff)
	}
	if code, err := q.Atlas(ctx, AtlasArgs{Of: "code"}); err != nil || code.Dots != 0 {
		t.Errorf("%d symbols, %v", code.Dots, err)
	}
}

// Ties leave out edges and memories that are forgotten or over.
func TestTiesOfTheAtlasAreOfWhatStands(t *testing.T) {
	d := dbtest.New(t)
	w := newWorld()
	for _, side := range []string{"l", "r"} {
		for _, pair := range []string{"12", "13", "23"} {
			w.Tie(side+pair[:1], edges.RelatesTo, side+pair[1:])
		}
	}
	for _, n := range []string{"1", "2", "3"} {
		w.Tie("l"+n, edges.Causes, "r"+n)
	}
	w.Store(t, d, nil, nil)
	q := reader{DB: d, Caller: person}
	count := func() (n int) {
		t.Helper()
		a, err := q.Atlas(ctx, AtlasArgs{})
		if err != nil {
			t.Fatal(err)
		}
		for _, tie := range a.Ties {
			n += tie[3]
		}
		return n
	}
	if n := count(); n != 3 {
		t.Fatalf("%d edges join two areas", n)
	}
	for i, change := range []string{
		`update edges set valid_to = '2026-01-02T00:00:00.000Z', valid_from = '2026-01-01T00:00:00.000Z' where kind = 'causes' and from_key = (select key from memories where title like '% l1')`,
		`update memories set status = 'forgotten', forgotten_at = '2026-01-02T00:00:00.000Z' where title like '% l2'`,
		`update memories set valid_to = '2026-01-02T00:00:00.000Z' where title like '% r3'`,
	} {
		dbtest.Script(t, d.Path(), change)
		if n := count(); n != 2-i {
			t.Errorf("after %s there are %d", change, n)
		}
	}
}

func TestTagsAreReadFromWhatTheStoreHas(t *testing.T) {
	for list, want := range map[string][]string{
		``: nil, `["a"]`: {"a"}, `["a","b c"]`: {"a", "b c"}, `["a\"b","c"]`: {`a"b`, "c"}, `["\u00e9"]`: {"é"},
	} {
		if diff := gocmp.Diff(want, tagsOf(list)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", list, diff)
		}
	}
}

// BenchmarkAtlas makes the map of 100,000 memories and 500,000 edges.
func BenchmarkAtlas(b *testing.B) {
	d := dbtest.New(b)
	fill := []db.Stmt{db.S(`
insert into memories (title, kind, sectioned)
with n (i) as (select 1 union all select i + 1 from n where i < 100000)
select 'Memory ' || i, iif(i % 3, 'fact', 'decision'), 1 from n`), db.S(`
insert or ignore into edges (from_key, to_key, kind)
with n (i) as (select 1 union all select i + 1 from n where i < 500000)
select 1 + i * 7919 % 100000, 1 + (i * 7919 % 100000 / 50 * 50 + i * i % 50) % 100000, 'causes' from n where 1 + i * 7919 % 100000 <> 1 + (i * 7919 % 100000 / 50 * 50 + i * i % 50) % 100000`)}
	if _, err := d.Write(b.Context(), "bench", db.Now(), fill...); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		err := d.Read(b.Context(), func(r *db.Reader) error {
			_, err := makeAtlas(b.Context(), r, "memories", "")
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}
