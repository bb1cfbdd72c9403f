package memory_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/edges"
	"hence/edges/belief"
	"hence/edges/walk"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/journal"
)

// story tells how a memory became stale: title: because reason (by successor), route.
func story(c belief.Consequences) []string {
	told := []string{}
	for _, one := range c.NowStale {
		text := fmt.Sprintf("%s: %s %s", one.Title, one.Because.Title, one.Reason)
		if one.Successor != nil {
			text += " by " + one.Successor.Title
		}
		told = append(told, fmt.Sprintf("%s, %d", text, len(one.Route)))
	}
	for _, one := range c.Conflicts {
		told = append(told, one.A.Title+" contradicts "+one.B.Title)
	}
	slices.Sort(told)
	return told
}

// rests stores ground ← middle ← top, each resting on the one before it.
func rests(t testing.TB) memory.Store {
	s := newStore(t)
	remember(t, s, "ground")
	remember(t, s, "middle", linkTo("ground", "depends-on"))
	remember(t, s, "top", linkTo("middle", "derived-from"))
	return s
}

func linkTo(name, kind string) func(*memory.StoreArgs) {
	return func(a *memory.StoreArgs) { a.Links = append(a.Links, memory.NewLink{To: name, Type: kind}) }
}

var shortIDs = regexp.MustCompile(`\([0-9a-f]{8}\)`)

func TestConsequences(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(t *testing.T, s memory.Store) (belief.Consequences, []string, error)
		want   []string
		warns  string
	}{
		{"Supersede", func(t *testing.T, s memory.Store) (belief.Consequences, []string, error) {
			got, err := s.Remember(t.Context(), memory.StoreArgs{Content: "newer", Supersedes: []string{"ground"}}, nil)
			return got.Consequences, got.Warnings, err
		}, []string{"middle: ground superseded by newer, 2", "top: ground superseded by newer, 3"}, ""},
		{"SupersedeAgain", func(t *testing.T, s memory.Store) (belief.Consequences, []string, error) {
			remember(t, s, "newer", func(a *memory.StoreArgs) { a.Supersedes = []string{"ground"} })
			got, err := s.Remember(t.Context(), memory.StoreArgs{Content: "newest", Supersedes: []string{"newer"}}, nil)
			return got.Consequences, got.Warnings, err
		}, []string{}, ""},
		{"Contradict", func(t *testing.T, s memory.Store) (belief.Consequences, []string, error) {
			got, err := s.Remember(t.Context(), memory.StoreArgs{Content: "no", Links: []memory.NewLink{{To: "middle", Type: "contradicts"}}}, nil)
			return got.Consequences, got.Warnings, err
		}, []string{"no contradicts middle", "top: middle contradicted, 2"}, ""},
		{"Store", func(t *testing.T, s memory.Store) (belief.Consequences, []string, error) {
			got, err := s.Remember(t.Context(), memory.StoreArgs{Content: "more", Links: []memory.NewLink{{To: "middle", Type: "supports"}}}, nil)
			return got.Consequences, got.Warnings, err
		}, []string{}, ""},
		{"StoreOnWhatIsSuperseded", func(t *testing.T, s memory.Store) (belief.Consequences, []string, error) {
			remember(t, s, "newer", func(a *memory.StoreArgs) { a.Supersedes = []string{"ground"} })
			remember(t, s, "newest", func(a *memory.StoreArgs) { a.Supersedes = []string{"newer"} })
			got, err := s.Remember(t.Context(), memory.StoreArgs{Content: "more", Links: []memory.NewLink{{To: "ground", Type: "depends-on"}}}, nil)
			return got.Consequences, got.Warnings, err
		}, []string{}, `"ground" (SHORT) was superseded by "newest" (SHORT); link to that instead`},
		{"TheSuccessorMayLinkToIt", func(t *testing.T, s memory.Store) (belief.Consequences, []string, error) {
			got, err := s.Remember(t.Context(), memory.StoreArgs{Content: "newer", Supersedes: []string{"ground"}, Links: []memory.NewLink{{To: "ground", Type: "relates-to"}}}, nil)
			return got.Consequences, got.Warnings, err
		}, []string{"middle: ground superseded by newer, 2", "top: ground superseded by newer, 3"}, ""},
		{"Update", func(t *testing.T, s memory.Store) (belief.Consequences, []string, error) {
			got, err := s.Revise(t.Context(), memory.UpdateArgs{ID: "middle", Content: pointer("otherwise")})
			return got.Consequences, got.Warnings, err
		}, []string{"top: middle changed, 2"}, ""},
		{"UpdateOfTags", func(t *testing.T, s memory.Store) (belief.Consequences, []string, error) {
			got, err := s.Revise(t.Context(), memory.UpdateArgs{ID: "middle", Tags: &[]string{"x"}})
			return got.Consequences, got.Warnings, err
		}, []string{}, ""},
		{"UpdateOfWhatIsContradicted", func(t *testing.T, s memory.Store) (belief.Consequences, []string, error) {
			remember(t, s, "no", linkTo("ground", "contradicts"))
			got, err := s.Revise(t.Context(), memory.UpdateArgs{ID: "ground", Importance: pointer(0.9)})
			return got.Consequences, got.Warnings, err
		}, []string{"no contradicts ground"}, ""},
		{"WordingOnly", func(t *testing.T, s memory.Store) (belief.Consequences, []string, error) {
			got, err := s.Revise(t.Context(), memory.UpdateArgs{ID: "ground", Content: pointer("the ground"), WordingOnly: true})
			return got.Consequences, got.Warnings, err
		}, []string{}, ""},
		{"Forget", func(t *testing.T, s memory.Store) (belief.Consequences, []string, error) {
			got, err := s.Forget(t.Context(), memory.ForgetArgs{ID: "ground"})
			return got.Consequences, nil, err
		}, []string{"middle: ground forgotten, 2", "top: ground forgotten, 3"}, ""},
		{"Purge", func(t *testing.T, s memory.Store) (belief.Consequences, []string, error) {
			got, err := s.Forget(t.Context(), memory.ForgetArgs{ID: "ground", Purge: true})
			return got.Consequences, nil, err
		}, []string{}, ""},
		{"RestoreOfWhatContradicts", func(t *testing.T, s memory.Store) (belief.Consequences, []string, error) {
			remember(t, s, "no", linkTo("middle", "contradicts"))
			if _, err := s.Forget(t.Context(), memory.ForgetArgs{ID: "no"}); err != nil {
				return belief.Consequences{}, nil, err
			}
			got, err := s.Restore(t.Context(), memory.RestoreArgs{ID: "no"})
			return got.Consequences, nil, err
		}, []string{"no contradicts middle", "top: middle contradicted, 2"}, ""},
		{"RestoreOnWhatWasSuperseded", func(t *testing.T, s memory.Store) (belief.Consequences, []string, error) {
			if _, err := s.Forget(t.Context(), memory.ForgetArgs{ID: "top"}); err != nil {
				return belief.Consequences{}, nil, err
			}
			remember(t, s, "newer", func(a *memory.StoreArgs) { a.Supersedes = []string{"ground"} })
			got, err := s.Restore(t.Context(), memory.RestoreArgs{ID: "top"})
			return got.Consequences, nil, err
		}, []string{"top: ground superseded by newer, 3"}, ""},
		{"RestoreOfTheGround", func(t *testing.T, s memory.Store) (belief.Consequences, []string, error) {
			if _, err := s.Forget(t.Context(), memory.ForgetArgs{ID: "ground"}); err != nil {
				return belief.Consequences{}, nil, err
			}
			got, err := s.Restore(t.Context(), memory.RestoreArgs{ID: "ground"})
			return got.Consequences, nil, err
		}, []string{}, ""},
		{"LinkSupersedes", func(t *testing.T, s memory.Store) (belief.Consequences, []string, error) {
			remember(t, s, "newer")
			got, err := belief.Graph(s).Link(t.Context(), edges.LinkArgs{From: "newer", To: "ground", Type: "supersedes"})
			return got.Consequences, got.Warnings, err
		}, []string{"middle: ground superseded by newer, 2", "top: ground superseded by newer, 3"}, ""},
		{"LinkContradicts", func(t *testing.T, s memory.Store) (belief.Consequences, []string, error) {
			remember(t, s, "no")
			got, err := belief.Graph(s).Link(t.Context(), edges.LinkArgs{From: "no", To: "middle", Type: "contradicts"})
			return got.Consequences, got.Warnings, err
		}, []string{"no contradicts middle", "top: middle contradicted, 2"}, ""},
		{"LinkToWhatIsSuperseded", func(t *testing.T, s memory.Store) (belief.Consequences, []string, error) {
			remember(t, s, "newer", func(a *memory.StoreArgs) { a.Supersedes = []string{"ground"} })
			remember(t, s, "late")
			got, err := belief.Graph(s).Link(t.Context(), edges.LinkArgs{From: "late", To: "ground", Type: "depends-on"})
			return got.Consequences, got.Warnings, err
		}, []string{"late: ground superseded by newer, 2"}, `"ground" (SHORT) was superseded by "newer" (SHORT); link to that instead`},
		{"LinkToWhatIsStale", func(t *testing.T, s memory.Store) (belief.Consequences, []string, error) {
			remember(t, s, "newer", func(a *memory.StoreArgs) { a.Supersedes = []string{"ground"} })
			remember(t, s, "late")
			remember(t, s, "later", linkTo("late", "derived-from"))
			got, err := belief.Graph(s).Link(t.Context(), edges.LinkArgs{From: "late", To: "middle", Type: "depends-on"})
			return got.Consequences, got.Warnings, err
		}, []string{"late: ground superseded by newer, 3", "later: ground superseded by newer, 4"}, ""},
		{"LinkToWhatRestsOnSomethingContradicted", func(t *testing.T, s memory.Store) (belief.Consequences, []string, error) {
			remember(t, s, "no", linkTo("ground", "contradicts"))
			remember(t, s, "late")
			got, err := belief.Graph(s).Link(t.Context(), edges.LinkArgs{From: "late", To: "top", Type: "depends-on"})
			return got.Consequences, got.Warnings, err
		}, []string{"late: ground contradicted, 4"}, ""},
		{"LinkToWhatIsStaleByAnEdgeWithoutDoubt", func(t *testing.T, s memory.Store) (belief.Consequences, []string, error) {
			remember(t, s, "newer", func(a *memory.StoreArgs) { a.Supersedes = []string{"ground"} })
			remember(t, s, "late")
			got, err := belief.Graph(s).Link(t.Context(), edges.LinkArgs{From: "late", To: "middle", Type: "supports"})
			return got.Consequences, got.Warnings, err
		}, []string{}, ""},
		{"StoreBetweenWhatIsStaleAndOthers", func(t *testing.T, s memory.Store) (belief.Consequences, []string, error) {
			remember(t, s, "forgotten")
			remember(t, s, "on it", linkTo("forgotten", "depends-on"))
			if _, err := s.Forget(t.Context(), memory.ForgetArgs{ID: "forgotten"}); err != nil {
				return belief.Consequences{}, nil, err
			}
			got, err := s.Remember(t.Context(), memory.StoreArgs{Content: "base", Links: []memory.NewLink{{From: "ground", Type: "depends-on"}, {To: "on it", Type: "depends-on"}}}, nil)
			return got.Consequences, got.Warnings, err
		}, []string{"base: forgotten forgotten, 3", "ground: forgotten forgotten, 4", "middle: forgotten forgotten, 5", "top: forgotten forgotten, 6"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := rests(t)
			got, warnings, err := c.change(t, s)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, story(got)); diff != "" {
				t.Errorf("consequences (-want +got):\n%s", diff)
			}
			if said := shortIDs.ReplaceAllString(strings.Join(warnings, "; "), "(SHORT)"); said != c.warns {
				t.Errorf("warnings %q, want %q", said, c.warns)
			}
			if got.NowStale == nil || got.Conflicts == nil {
				t.Error("a list is null")
			}
		})
	}
}

// Of many that become stale the nearest ten are listed, with their number.
// A successor that was forgotten holds as little as what it replaced, and wherever it is named it says so.
func TestAForgottenSuccessor_IsNamedAsForgotten(t *testing.T) {
	d := dbtest.New(t)
	s := memory.Store{DB: d}
	store := func(title string, a memory.StoreArgs) memory.StoreResult {
		t.Helper()
		a.Title, a.Content = &title, title+" is a text."
		stored, err := s.Remember(t.Context(), a, nil)
		if err != nil {
			t.Fatal(err)
		}
		return stored
	}
	store("First", memory.StoreArgs{})
	resting := store("Resting", memory.StoreArgs{Links: []memory.NewLink{{Type: "depends-on", To: "First"}}})
	store("Second", memory.StoreArgs{Supersedes: []string{"First"}})
	forgotten, err := s.Forget(t.Context(), memory.ForgetArgs{ID: "Second"})
	if err != nil {
		t.Fatal(err)
	}
	opened, err := s.Open(t.Context(), memory.GetArgs{ID: resting.Memory.ID})
	if err != nil {
		t.Fatal(err)
	}
	linked := store("Linked", memory.StoreArgs{Links: []memory.NewLink{{Type: "depends-on", To: "First"}}})
	title := "Third"
	_, refused := s.Remember(t.Context(), memory.StoreArgs{Title: &title, Content: "A third text.", Supersedes: []string{"First"}}, nil)
	for said, want := range map[string]string{
		strings.Join(forgotten.Warnings, ""):     `nothing holds in its place now`,
		opened.Memories[0].Stale[0].Text():       `by "Second" (` + ref.ShortID(forgotten.ID) + `) [forgotten]`,
		strings.Join(linked.Warnings, ""):        `[forgotten]; restore that, or unlink the two`,
		fmt.Sprint(refused):                      `is forgotten: restore and supersede that, or unlink it first`,
		opened.Memories[0].Stale[0].Successor.ID: forgotten.ID,
	} {
		if !strings.Contains(said, want) {
			t.Errorf("it says %q, want %q", said, want)
		}
	}
	store("Tide", memory.StoreArgs{})
	store("Tide of May", memory.StoreArgs{Supersedes: []string{"Tide"}})
	store("Tide of June", memory.StoreArgs{Supersedes: []string{"Tide of May"}})
	if middle, err := s.Forget(t.Context(), memory.ForgetArgs{ID: "Tide of May"}); err != nil || len(middle.Warnings) > 0 {
		t.Errorf("the one of June holds, and it says %q, %v", middle.Warnings, err)
	}
}

func TestConsequences_OfMany(t *testing.T) {
	s := newStore(t)
	ground := remember(t, s, "ground")
	dbtest.Script(t, s.DB.Path(), `
with recursive n (i) as (select 1 union all select i + 1 from n where i < 70)
insert into memories (id, title) select printf('m%02d', i), 'm' || i from n;
insert into edges (from_key, to_key, kind) select key, (select key from memories where id = '`+ground.ID+`'), 'depends-on' from memories where id like 'm__'`)
	got, err := s.Revise(t.Context(), memory.UpdateArgs{ID: "ground", Content: pointer("other")})
	if err != nil || len(got.NowStale) != 10 || got.NowStaleCount != 70 || got.NowStale[0].ID != "m01" {
		t.Errorf("%+v, %v", got.Consequences, err)
	}
}

// The basis is kept through undo and through undo of the undo, and what was stale
// before stays so.
func TestWordingOnly_KeepsTheBasis(t *testing.T) {
	s := rests(t)
	remember(t, s, "early", linkTo("ground", "depends-on"))
	change := func(a memory.UpdateArgs) {
		t.Helper()
		if _, err := s.Revise(t.Context(), a); err != nil {
			t.Fatal(err)
		}
	}
	change(memory.UpdateArgs{ID: "ground", Content: pointer("other ground")})
	for _, id := range []string{"middle", "top"} {
		if _, err := s.Verify(t.Context(), belief.VerifyArgs{ID: id}); err != nil {
			t.Fatal(err)
		}
	}
	stale := func() int { return dbtest.Count(t, s.DB, `select count(distinct id) from stale`) }
	changed := func() int { return dbtest.Count(t, s.DB, `select count(*) from changed_grounds`) }
	content := func() string {
		got, err := s.Open(t.Context(), memory.GetArgs{ID: "ground"})
		if err != nil {
			t.Fatal(err)
		}
		return got.Memories[0].Content
	}
	check := func(what, want string) {
		t.Helper()
		if got := content(); got != want || stale() != 1 || changed() != 1 {
			t.Errorf("%s: content %q, %d stale, %d edges on another text; want %q and only early", what, got, stale(), changed(), want)
		}
	}
	check("before", "other ground")
	change(memory.UpdateArgs{ID: "ground", Content: pointer("Other ground."), WordingOnly: true})
	check("reworded", "Other ground.")
	j := journal.Journal(s)
	raiser := int64(0)
	for i, want := range []string{"other ground", "Other ground.", "other ground"} {
		undone, err := j.Undo(t.Context(), journal.UndoArgs{Seq: raiser})
		if err != nil {
			t.Fatal(err)
		}
		raiser = undone.By
		check(fmt.Sprint("undo ", i), want)
	}
	if n := dbtest.Count(t, s.DB, `select count(*) from journal_list where what = 'content, wording_only'`); n != 4 {
		t.Errorf("%d rows of the journal say that only the wording changed, want 4", n)
	}
	change(memory.UpdateArgs{ID: "ground", Content: pointer("quite another")})
	if n := stale(); n != 3 {
		t.Errorf("%d are stale after a change of the text, want 3", n)
	}
}

func TestWalks_SayWhatRestsOnWhatWasReplaced(t *testing.T) {
	s := rests(t)
	remember(t, s, "newer", func(a *memory.StoreArgs) { a.Supersedes = []string{"ground"} })
	remember(t, s, "newest", func(a *memory.StoreArgs) { a.Supersedes = []string{"newer"} })
	g := walk.Graph(s)
	for name, want := range map[string]int{"newest": 1, "newer": 1, "ground": 0, "middle": 0} {
		traced, err := g.Trace(t.Context(), walk.TraceArgs{ID: name, Direction: "downstream"})
		if err != nil || traced.OnReplaced != want {
			t.Errorf("trace of %s: %d, %v; want %d", name, traced.OnReplaced, err, want)
		}
		around, err := g.Neighborhood(t.Context(), walk.NeighborhoodArgs{ID: name})
		if err != nil || around.OnReplaced != want {
			t.Errorf("neighbourhood of %s: %d, %v; want %d", name, around.OnReplaced, err, want)
		}
		expanded, err := g.Expand(t.Context(), walk.ExpandArgs{Seeds: []string{name}, Hops: 1})
		if err != nil || expanded.OnReplaced != want {
			t.Errorf("expansion of %s: %d, %v; want %d", name, expanded.OnReplaced, err, want)
		}
	}
}
