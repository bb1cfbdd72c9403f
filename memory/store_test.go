package memory_test

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hence/edges"
	"hence/edges/belief"
	"hence/internal/budget"
	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/memory"
)

func newStore(t testing.TB) memory.Store {
	return memory.Store{DB: dbtest.New(t), Caller: ref.Caller{Actor: "tester", Origin: "agent"}}
}

// remember stores a memory whose title and content are one word.
func remember(t testing.TB, s memory.Store, word string, more ...func(*memory.StoreArgs)) memory.Memory {
	t.Helper()
	a := memory.StoreArgs{Title: &word, Content: word}
	for _, change := range more {
		change(&a)
	}
	result, err := s.Remember(t.Context(), a, nil)
	if err != nil {
		t.Fatal(err)
	}
	return result.Memory
}

func pointer[T any](v T) *T { return &v }

func TestRememberKeepsWhatItIsGiven(t *testing.T) {
	s := newStore(t)
	got, err := s.Remember(t.Context(), memory.StoreArgs{
		Content: "# The first line\n\nand more", Kind: "decision", Tags: []string{"#b", "a/c", "b"}, Importance: pointer(0.0),
		Pinned: true, Confidence: pointer(0.25), Properties: db.Properties{"n": int64(1), "list": []any{"x"}},
		ValidFrom: "2026-01-01T01:00:00+01:00", ValidTo: "2026-02-01T00:00:00Z",
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	m := got.Memory
	want := memory.Memory{
		ID: m.ID, Namespace: "default", Kind: "decision", Title: "The first line", Content: "# The first line\n\nand more",
		Aliases: []string{}, Tags: []string{"a/c", "b"}, Properties: db.Properties{"n": int64(1), "list": []any{"x"}},
		Status: memory.Current, Importance: 0, Pinned: true, Confidence: pointer(0.25), Origin: "agent", Actor: "tester",
		ContentHash: db.Hash("# The first line\n\nand more"), Revision: 1, CreatedAt: m.CreatedAt, UpdatedAt: m.CreatedAt,
		ValidFrom: "2026-01-01T00:00:00.000Z", ValidTo: "2026-02-01T00:00:00.000Z",
	}
	if diff := cmp.Diff(want, m, cmp.AllowUnexported(memory.Memory{}), cmp.FilterPath(func(p cmp.Path) bool { return p.String() == "key" }, cmp.Ignore())); diff != "" {
		t.Errorf("memory (-want +got):\n%s", diff)
	}
	if m.CreatedAt == "" || len(m.ID) != 36 || m.ID[14] != '7' {
		t.Errorf("created %q, id %q; want a time and a UUIDv7", m.CreatedAt, m.ID)
	}
}

// nested is a list within lists, of a depth.
func nested(depth int) any {
	value := any("x")
	for range depth {
		value = []any{value}
	}
	return value
}

func TestPropertiesMayBeDeep(t *testing.T) {
	s := newStore(t)
	deep := db.Properties{"k": nested(memory.MaxDepth - 1)}
	m := remember(t, s, "deep", func(a *memory.StoreArgs) { a.Properties = deep })
	if _, err := s.Revise(t.Context(), memory.UpdateArgs{ID: m.ID, Properties: deep}); err != nil {
		t.Error(err)
	}
	if got, err := s.Open(t.Context(), memory.GetArgs{ID: m.ID}); err != nil || !reflect.DeepEqual(got.Memories[0].Properties, deep) {
		t.Errorf("Open: %.200v, %v", got.Memories, err)
	}
}

func TestTitleOfAFirstLineIsShort(t *testing.T) {
	s := newStore(t)
	got, err := s.Remember(t.Context(), memory.StoreArgs{Content: "\n\n" + strings.Repeat("ä", 300)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if n := len([]rune(got.Memory.Title)); n != 120 {
		t.Errorf("the title has %d characters, want 120", n)
	}
}

func manyTags(n int) []string {
	tags := []string{}
	for i := range n {
		tags = append(tags, fmt.Sprint("tag", i))
	}
	return tags
}

func TestTagsAreBounded(t *testing.T) {
	s := newStore(t)
	m := remember(t, s, "a", func(a *memory.StoreArgs) {
		a.Tags = append(manyTags(memory.MaxTags-1), "#tag0", strings.Repeat("ø", memory.MaxTag))
	})
	if len(m.Tags) != memory.MaxTags {
		t.Errorf("%d tags are kept, want %d", len(m.Tags), memory.MaxTags)
	}
	tags := manyTags(memory.MaxTags + 1)
	if _, err := s.Revise(t.Context(), memory.UpdateArgs{ID: m.ID, Tags: &tags}); fault.CodeOf(err) != fault.TooLarge {
		t.Errorf("Revise: %v, want too_large", err)
	}
}

// The rules of the schema refuse such a row. A read that meets one, written
// without the rules, says which it is.
func TestAReadThatMeetsARowThatItCannotReadNamesIt(t *testing.T) {
	for column, value := range map[string]string{"tags": `[1]`, "aliases": `[1,null]`, "properties": `{"a":1e999}`} {
		s := newStore(t)
		remember(t, s, "good")
		bad := remember(t, s, "bad")
		dbtest.Script(t, s.DB.Path(), fmt.Sprintf(`drop trigger memory_is_still_read; update memories set %s = '%s' where id = '%s'`, column, value, bad.ID))
		_, list := s.List(t.Context(), memory.ListArgs{})
		_, open := s.Open(t.Context(), memory.GetArgs{ID: bad.ID})
		for _, err := range []error{list, open} {
			if fault.CodeOf(err) != fault.Unavailable || !strings.Contains(err.Error(), bad.ID) || !strings.Contains(err.Error(), column) {
				t.Errorf("%s: %v, want one that names the memory", column, err)
			}
		}
		if _, err := s.Open(t.Context(), memory.GetArgs{ID: "good"}); err != nil {
			t.Errorf("%s: the other one: %v", column, err)
		}
	}
}

func TestRememberRefuses(t *testing.T) {
	s := newStore(t)
	old := remember(t, s, "old")
	newer := remember(t, s, "newer", func(a *memory.StoreArgs) { a.Supersedes = []string{old.ID} })
	for _, c := range []struct {
		name string
		args memory.StoreArgs
		want fault.Code
	}{
		{"BlankContent", memory.StoreArgs{Content: " \n"}, fault.InvalidArgument},
		{"EmptyTitle", memory.StoreArgs{Content: "x", Title: pointer(" ")}, fault.InvalidArgument},
		{"NUL", memory.StoreArgs{Content: "a\x00b"}, fault.InvalidArgument},
		{"NULInTitle", memory.StoreArgs{Content: "a", Title: pointer("a\x00")}, fault.InvalidArgument},
		{"InvalidUTF8", memory.StoreArgs{Content: "a\xff"}, fault.InvalidArgument},
		{"InvalidUTF8InProperties", memory.StoreArgs{Content: "a", Properties: map[string]any{"k": []any{"\xff"}}}, fault.InvalidArgument},
		{"DeepProperties", memory.StoreArgs{Content: "a", Properties: map[string]any{"k": nested(memory.MaxDepth)}}, fault.InvalidArgument},
		{"TooLong", memory.StoreArgs{Content: strings.Repeat("x", memory.MaxContent+1)}, fault.TooLarge},
		{"ManyTags", memory.StoreArgs{Content: "a", Tags: manyTags(memory.MaxTags + 1)}, fault.TooLarge},
		{"LongTag", memory.StoreArgs{Content: "a", Tags: []string{strings.Repeat("ø", memory.MaxTag+1)}}, fault.TooLarge},
		{"EmptyTag", memory.StoreArgs{Content: "a", Tags: []string{"#"}}, fault.InvalidArgument},
		{"ImportanceAboveOne", memory.StoreArgs{Content: "a", Importance: pointer(1.5)}, fault.InvalidArgument},
		{"Dedup", memory.StoreArgs{Content: "a", Dedup: "maybe"}, fault.InvalidArgument},
		{"ImpossibleDate", memory.StoreArgs{Content: "a", ValidFrom: "2026-02-30T00:00:00Z"}, fault.InvalidArgument},
		{"BareDate", memory.StoreArgs{Content: "a", ValidFrom: "2026-02-03"}, fault.InvalidArgument},
		{"ValidBackwards", memory.StoreArgs{Content: "a", ValidFrom: "2026-02-03T00:00:00Z", ValidTo: "2026-02-03T00:00:00Z"}, fault.InvalidArgument},
		{"UnknownType", memory.StoreArgs{Content: "a", Links: []memory.NewLink{{To: old.ID, Type: "likes"}}}, fault.InvalidArgument},
		{"UnknownEnd", memory.StoreArgs{Content: "a", Links: []memory.NewLink{{To: "nobody", Type: "causes"}}}, fault.NotFound},
		{"LinkWithTwoEnds", memory.StoreArgs{Content: "a", Links: []memory.NewLink{{To: old.ID, From: old.ID, Type: "causes"}}}, fault.InvalidArgument},
		{"WeightZero", memory.StoreArgs{Content: "a", Links: []memory.NewLink{{To: old.ID, Type: "causes", Weight: pointer(0.0)}}}, fault.InvalidArgument},
		{"SecondSuccessor", memory.StoreArgs{Content: "a", Supersedes: []string{old.ID}}, fault.Conflict},
		{"CycleThroughTheNewMemory", memory.StoreArgs{Content: "a", Supersedes: []string{newer.ID}, Links: []memory.NewLink{{From: old.ID, Type: "supersedes"}}}, fault.Cycle},
		{"AnotherNamespace", memory.StoreArgs{Content: "a", Namespace: "elsewhere", Links: []memory.NewLink{{To: old.ID, Type: "causes"}}}, fault.InvalidArgument},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := dbtest.Count(t, s.DB, `select count(*) from journal`)
			_, err := s.Remember(t.Context(), c.args, nil)
			if got := fault.CodeOf(err); got != c.want {
				t.Errorf("Remember: %v, want %s", err, c.want)
			}
			if after := dbtest.Count(t, s.DB, `select count(*) from journal`); after != before {
				t.Errorf("%d changes were kept", after-before)
			}
		})
	}
}

func TestSecondSuccessorIsToldWhoIsCurrent(t *testing.T) {
	s := newStore(t)
	a := remember(t, s, "a")
	b := remember(t, s, "b", func(x *memory.StoreArgs) { x.Supersedes = []string{a.ID} })
	c := remember(t, s, "c", func(x *memory.StoreArgs) { x.Supersedes = []string{b.ID} })
	_, err := s.Remember(t.Context(), memory.StoreArgs{Content: "d", Supersedes: []string{a.ID}}, nil)
	if err == nil || !strings.Contains(err.Error(), c.ID) {
		t.Errorf("Remember: %v, want a conflict that names %s", err, c.ID)
	}
}

func TestAgentsThatSupersedeAtOnceHaveOneWinner(t *testing.T) {
	s := newStore(t)
	old := remember(t, s, "old")
	var wg sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		wg.Go(func() {
			_, errs[i] = s.Remember(context.Background(), memory.StoreArgs{Content: fmt.Sprint(i), Supersedes: []string{old.ID}}, nil)
		})
	}
	wg.Wait()
	won := 0
	for _, err := range errs {
		switch fault.CodeOf(err) {
		case "":
			won++
		case fault.Conflict:
		default:
			t.Errorf("Remember: %v, want a conflict", err)
		}
	}
	if won != 1 {
		t.Errorf("%d agents superseded the memory, want 1", won)
	}
	if n := dbtest.Count(t, s.DB, `select count(*) from memories`); n != 2 {
		t.Errorf("%d memories, want the old one and the winner's", n)
	}
}

func TestDuplicates(t *testing.T) {
	s := newStore(t)
	first := remember(t, s, "same")
	for _, c := range []struct {
		name, dedup string
		supersedes  []string
		found, warn int
		want        fault.Code
	}{
		{"StrictRefuses", "strict", nil, 1, 0, fault.Exists},
		{"WarnReports", "warn", nil, 1, 1, ""},
		{"OffSaysOnlyThatTheTitleIsTaken", "off", nil, 0, 1, ""},
		{"SupersedingItIsNoWarning", "warn", []string{first.ID}, 3, 2, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := s.Remember(t.Context(), memory.StoreArgs{Content: "same", Dedup: c.dedup, Supersedes: c.supersedes}, nil)
			if fault.CodeOf(err) != c.want {
				t.Fatalf("Remember: %v, want %q", err, c.want)
			}
			if len(got.Duplicates) != c.found || len(got.Warnings) != c.warn {
				t.Errorf("%d duplicates and %d warnings, want %d and %d", len(got.Duplicates), len(got.Warnings), c.found, c.warn)
			}
		})
	}
}

func TestReviseChangesWhatIsGivenAndCountsIt(t *testing.T) {
	s := newStore(t)
	m := remember(t, s, "word", func(a *memory.StoreArgs) { a.Properties = map[string]any{"keep": int64(1), "drop": "x"} })
	got, err := s.Revise(t.Context(), memory.UpdateArgs{
		ID: m.ID, Content: pointer("other"), Properties: map[string]any{"drop": nil, "new": true}, ExpectedRevision: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	n := got.Memory
	if n.Title != "word" || n.Content != "other" || n.Revision != 2 || n.ContentHash != db.Hash("other") {
		t.Errorf("memory = %+v", n)
	}
	if diff := cmp.Diff(db.Properties{"keep": int64(1), "new": true}, n.Properties); diff != "" {
		t.Errorf("properties (-want +got):\n%s", diff)
	}
	if _, err := s.Revise(t.Context(), memory.UpdateArgs{ID: m.ID, Pinned: pointer(true), ExpectedRevision: 1}); fault.CodeOf(err) != fault.Conflict {
		t.Errorf("Revise of an old revision: %v, want conflict", err)
	}
	if _, err := s.Revise(t.Context(), memory.UpdateArgs{ID: m.ID, Title: pointer("")}); fault.CodeOf(err) != fault.InvalidArgument {
		t.Errorf("Revise with an empty title: %v, want invalid_argument", err)
	}
	if _, err := s.Revise(t.Context(), memory.UpdateArgs{ID: m.ID, Properties: map[string]any{}}); fault.CodeOf(err) != fault.InvalidArgument {
		t.Errorf("Revise of nothing: %v, want invalid_argument", err)
	}
	for query, want := range map[string]int{"word": 1, "other": 1, "body:word": 0} {
		if n := dbtest.Count(t, s.DB, `select count(*) from section_search where section_search match ?`, query); n != want {
			t.Errorf("the index finds %q %d times, want %d", query, n, want)
		}
	}
}

func TestAPropertyThatIsNullIsNotThere(t *testing.T) {
	for _, c := range []struct {
		name        string
		given, want db.Properties
	}{
		{"Alone", map[string]any{"gone": nil}, map[string]any{}},
		{"AmongOthers", map[string]any{"gone": nil, "kept": 1.5, "text": "null"}, map[string]any{"kept": 1.5, "text": "null"}},
		{"WithinAnObject", map[string]any{"o": map[string]any{"gone": nil, "kept": false}}, map[string]any{"o": map[string]any{"kept": false}}},
		{"InAListItStays", map[string]any{"l": []any{nil, "x", nil}}, map[string]any{"l": []any{nil, "x", nil}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStore(t)
			stored := remember(t, s, "stored", func(a *memory.StoreArgs) { a.Properties = c.given })
			updated, err := s.Revise(t.Context(), memory.UpdateArgs{ID: remember(t, s, "updated").ID, Properties: c.given})
			if err != nil {
				t.Fatal(err)
			}
			for name, m := range map[string]memory.Memory{"stored": stored, "updated": updated.Memory} {
				if diff := cmp.Diff(c.want, m.Properties); diff != "" {
					t.Errorf("properties as %s (-want +got):\n%s", name, diff)
				}
			}
		})
	}
}

func TestForgetIsReversibleAndPurgeIsNot(t *testing.T) {
	s := newStore(t)
	old := remember(t, s, "old")
	newer := remember(t, s, "newer", func(a *memory.StoreArgs) { a.Supersedes = []string{old.ID} })
	for _, m := range []memory.Memory{old, newer} {
		if got, err := s.Forget(t.Context(), memory.ForgetArgs{ID: m.ID, Reason: "wrong"}); err != nil || got.Status != "forgotten" {
			t.Fatalf("Forget = %+v, %v", got, err)
		}
	}
	restored, err := s.Restore(t.Context(), memory.RestoreArgs{ID: old.ID})
	if err != nil || restored.Memory.Status != memory.Superseded || restored.Memory.ForgetReason != "" {
		t.Errorf("Restore = %+v, %v; want it superseded as before", restored.Memory, err)
	}
	if _, err := s.Forget(t.Context(), memory.ForgetArgs{ID: newer.ID, Purge: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Open(t.Context(), memory.GetArgs{ID: newer.ID}); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("Open of what was purged: %v, want not_found", err)
	}
	got, err := s.Open(t.Context(), memory.GetArgs{ID: old.ID})
	if err != nil || got.Memories[0].Status != memory.Current {
		t.Errorf("what the purged memory replaced is %+v, %v; want it current again", got.Memories, err)
	}
}

func TestOpen(t *testing.T) {
	s := newStore(t)
	a := remember(t, s, "a")
	b := remember(t, s, "b", func(x *memory.StoreArgs) {
		x.Supersedes = []string{a.ID}
		x.Links = []memory.NewLink{{From: a.ID, Type: "caused_by", Note: "so it was"}}
	})
	got, err := s.Open(t.Context(), memory.GetArgs{IDs: []string{"a", "nobody", b.ID}})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Memories) != 2 || len(got.Warnings) != 1 || got.Memories[0].SupersededBy == nil || got.Memories[0].SupersededBy.ID != b.ID {
		t.Fatalf("Open = %+v", got)
	}
	lines := []string{}
	for _, e := range got.Memories[1].Edges {
		lines = append(lines, fmt.Sprint(e.Type, " ", e.Direction, " ", e.Other.Title, " ", e.Other.Status))
	}
	if diff := cmp.Diff([]string{"causes out a superseded", "supersedes out a superseded"}, lines); diff != "" {
		t.Errorf("edges (-want +got):\n%s", diff)
	}
}

func TestOpenKeepsWithinItsBudget(t *testing.T) {
	s := newStore(t)
	for i := range 5 {
		remember(t, s, fmt.Sprint("m", i), func(a *memory.StoreArgs) {
			a.Content = strings.Repeat(fmt.Sprintf("näme %d \"quoted\" <b> ", i), 20*i+1)
			a.Properties = map[string]any{"k": strings.Repeat("v", 40*i)}
			if i > 0 {
				a.Links = []memory.NewLink{{To: "m0", Type: "supports"}}
			}
		})
	}
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.IntRange(budget.Min, 3000).Draw(t, "budget")
		names := rapid.SliceOfN(rapid.SampledFrom([]string{"m0", "m1", "m2", "m3", "m4"}), 1, 5).Draw(t, "names")
		got, err := s.Open(context.Background(), memory.GetArgs{IDs: names, TokenBudget: most})
		if err != nil {
			t.Fatal(err)
		}
		if cost, _ := budget.Tokens(got); cost > most {
			t.Fatalf("the answer costs %d tokens of %d", cost, most)
		}
		whole, err := s.Open(context.Background(), memory.GetArgs{IDs: names})
		if err != nil {
			t.Fatal(err)
		}
		if cost, _ := budget.Tokens(whole); got.Truncated != (cost > most) {
			t.Fatalf("truncated = %v where the whole costs %d tokens of %d", got.Truncated, cost, most)
		}
	})
}

func TestListPagesHoldEachMemoryOnce(t *testing.T) {
	s := newStore(t)
	want := map[string]bool{}
	for i := range 23 {
		m := remember(t, s, fmt.Sprint("m", i), func(a *memory.StoreArgs) {
			a.Importance = pointer(float64(i%3) / 2)
			a.Tags = []string{"even/odd"}
		})
		want[m.ID] = true
	}
	remember(t, s, "untagged")
	for _, order := range []string{"recent", "created", "importance"} {
		t.Run(order, func(t *testing.T) {
			seen := map[string]bool{}
			last := 2.0
			for cursor, page := "", 0; page == 0 || cursor != ""; page++ {
				got, err := s.List(t.Context(), memory.ListArgs{Order: order, Tags: []string{"Even"}, Limit: 5, Cursor: cursor})
				if err != nil {
					t.Fatal(err)
				}
				for _, m := range got.Memories {
					if seen[m.ID] {
						t.Errorf("%s is listed twice", m.Title)
					}
					if order == "importance" && m.Importance > last {
						t.Errorf("importance %v comes after %v", m.Importance, last)
					}
					seen[m.ID], last = true, m.Importance
				}
				if got.TotalCount != len(want) || got.Truncated != (len(seen) < len(want)) {
					t.Errorf("page %d: total %d, truncated %v", page, got.TotalCount, got.Truncated)
				}
				cursor = got.Next
			}
			if diff := cmp.Diff(want, seen); diff != "" {
				t.Errorf("listed (-want +got):\n%s", diff)
			}
		})
	}
	if _, err := s.List(t.Context(), memory.ListArgs{Cursor: "nonsense"}); fault.CodeOf(err) != fault.InvalidArgument {
		t.Errorf("List with a made-up cursor: %v, want invalid_argument", err)
	}
}

func TestNamespacesAreKeptApart(t *testing.T) {
	s := newStore(t)
	remember(t, s, "here")
	confined := memory.Store{DB: s.DB, Caller: ref.Caller{Namespace: "team", Confined: true}}
	remember(t, confined, "there")
	if _, err := confined.Open(t.Context(), memory.GetArgs{ID: "here"}); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("Open across namespaces: %v, want not_found", err)
	}
	if got, err := confined.List(t.Context(), memory.ListArgs{}); err != nil || got.TotalCount != 1 {
		t.Errorf("List = %+v, %v; want one memory", got, err)
	}
	if _, err := confined.List(t.Context(), memory.ListArgs{Namespace: "default"}); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("List of another namespace: %v, want not_found", err)
	}
	if got, err := s.List(t.Context(), memory.ListArgs{}); err != nil || got.TotalCount != 2 {
		t.Errorf("List of all = %+v, %v; want both", got, err)
	}
}

func TestUpdateOfANoteIsForItsFile(t *testing.T) {
	s := newStore(t)
	m := remember(t, s, "note")
	dbtest.Script(t, s.DB.Path(), `update memories set uri = 'obsidian-fs://v/note.md', origin = 'vault'`)
	if _, err := s.Revise(t.Context(), memory.UpdateArgs{ID: m.ID, Content: pointer("x")}); fault.CodeOf(err) != fault.InvalidArgument {
		t.Errorf("Revise of a note's text: %v, want invalid_argument", err)
	}
	if got, err := s.Revise(t.Context(), memory.UpdateArgs{ID: m.ID, Pinned: pointer(true)}); err != nil || !got.Memory.Pinned {
		t.Errorf("Revise of a note's pin = %+v, %v", got.Memory, err)
	}
}

func TestSupersessionIsAnEdge(t *testing.T) {
	s := newStore(t)
	old := remember(t, s, "old")
	got, err := s.Remember(t.Context(), memory.StoreArgs{Content: "new", Supersedes: []string{"old"}, Reason: "measured"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Superseded) != 1 || got.Superseded[0] != (edges.End{ID: old.ID, Title: "old", Status: memory.Superseded}) {
		t.Errorf("superseded = %+v", got.Superseded)
	}
	if len(got.Edges) != 1 || got.Edges[0].Type != edges.Supersedes || got.Edges[0].Note != "measured" || got.Edges[0].Actor != "tester" {
		t.Errorf("edges = %+v", got.Edges)
	}
}

func TestATitleThatIsMadeIsOneShortLine(t *testing.T) {
	for content, want := range map[string]string{
		"\n\n" + strings.Repeat("ä", 300):       strings.Repeat("ä", 119) + "…",
		"## The  heading ##\nand text":          "The heading ##",
		"#\n##\n###":                            "# ## ###",
		strings.Repeat("#", 5000):               strings.Repeat("#", 119) + "…",
		"   \n\t\nThe first that is not blank.": "The first that is not blank.",
	} {
		if got := memory.FirstLine(content); got != want {
			t.Errorf("FirstLine(%.20q) = %q, want %q", content, got, want)
		}
	}
}

// Lengths of words are in characters, as in the schema.
func TestKindsAreMeasuredInCharacters(t *testing.T) {
	s := newStore(t)
	for kind, want := range map[string]fault.Code{
		strings.Repeat("日", 64):  "",
		strings.Repeat("日", 65):  fault.TooLarge,
		strings.Repeat("x", 300): fault.TooLarge,
	} {
		_, err := s.Remember(t.Context(), memory.StoreArgs{Content: "x", Kind: kind, Dedup: "off"}, nil)
		if (err != nil) != (want != "") || err != nil && fault.CodeOf(err) != want {
			t.Errorf("%d characters: %v, want %q", len([]rune(kind)), err, want)
		}
	}
}

// A new memory is tied to those of the namespace that it goes to, whatever the
// caller's own is.
func TestALinkIsFoundInTheNamespaceThatIsWritten(t *testing.T) {
	s := newStore(t)
	for _, namespace := range []string{"home", "work"} {
		remember(t, s, "Twin", func(a *memory.StoreArgs) { a.Namespace = namespace })
	}
	only := remember(t, s, "Only", func(a *memory.StoreArgs) { a.Namespace = "work" })
	for _, c := range []struct {
		name, caller, namespace, to string
		want                        fault.Code
	}{
		{"OfTheNamespaceNamed", "home", "work", only.ID, ""},
		{"OfTheCallersOwn", "home", "", "Twin", ""},
		{"NotOfTheCallersOwn", "home", "", only.ID, fault.NotFound},
		{"NoTwinOfElsewhere", "", "work", "Twin", ""},
		{"ToldOfElsewhere", "", "home", only.ID, fault.InvalidArgument},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := s
			in.Caller.Namespace = c.caller
			got, err := in.Remember(t.Context(), memory.StoreArgs{
				Content: c.name, Namespace: c.namespace, Links: []memory.NewLink{{To: c.to, Type: "supports"}},
			}, nil)
			if (err != nil) != (c.want != "") || err != nil && fault.CodeOf(err) != c.want || err == nil && len(got.Edges) != 1 {
				t.Errorf("%+v, %v; want %q", got.Edges, err, c.want)
			}
		})
	}
}

func TestWhatIsStoredIsToldWithAllItsEdges(t *testing.T) {
	s := newStore(t)
	links, replaced := []memory.NewLink{}, []string{}
	for i := range 130 {
		m := remember(t, s, fmt.Sprint("m", i))
		if i < 10 {
			replaced = append(replaced, m.ID)
		} else {
			links = append(links, memory.NewLink{To: m.ID, Type: "supports"})
		}
	}
	got, err := s.Remember(t.Context(), memory.StoreArgs{Content: "all", Links: links, Supersedes: replaced}, nil)
	if err != nil || len(got.Edges) != 130 || len(got.Superseded) != 10 {
		t.Errorf("%d edges, %d superseded, %v; want 130 and 10", len(got.Edges), len(got.Superseded), err)
	}
}

// A warning that a budget has no room for is not dropped in silence.
func TestOpenSaysThatWarningsAreCut(t *testing.T) {
	s := newStore(t)
	m := remember(t, s, "here", func(a *memory.StoreArgs) { a.Content = strings.Repeat("word ", 500) })
	unknown := []string{}
	for i := range 20 {
		unknown = append(unknown, fmt.Sprintf("a rather long name of what is not here, number %d", i))
	}
	for name, c := range map[string]struct {
		ids      []string
		memories int
	}{"Alone": {unknown, 0}, "BesideAMemory": {append([]string{m.ID}, unknown...), 1}} {
		t.Run(name, func(t *testing.T) {
			got, err := s.Open(t.Context(), memory.GetArgs{IDs: c.ids, TokenBudget: 300})
			if err != nil || !got.Truncated || got.Next != "token_budget" || len(got.Memories) != c.memories {
				t.Errorf("%+v, %v; want %d, cut by the budget", got, err, c.memories)
			}
			if c.memories > 0 && len(got.Memories[0].Content) < 400 {
				t.Errorf("%d bytes of content are left, though there is room", len(got.Memories[0].Content))
			}
		})
	}
}

// What to know at the start is what holds.
func TestBriefTellsWhatHoldsNow(t *testing.T) {
	s := newStore(t)
	past, future := pointer("2020-01-01T00:00:00Z"), pointer("9000-01-01T00:00:00Z")
	for title, span := range map[string][2]*string{"over": {nil, past}, "to come": {future, nil}, "holds": {past, future}} {
		remember(t, s, title, func(a *memory.StoreArgs) {
			a.Kind = "decision"
			if span[0] != nil {
				a.ValidFrom = *span[0]
			}
			if span[1] != nil {
				a.ValidTo = *span[1]
			}
		})
	}
	got, err := s.Brief(t.Context(), memory.BriefArgs{})
	if err != nil || len(got.Decisions) != 1 || got.Decisions[0].Title != "holds" || len(got.Recent) != 0 {
		t.Errorf("%+v, %v; want the one that holds", got, err)
	}
}

// What was done to a memory since then counts, though its text is as it was.
func TestListSinceTellsWhatWasSupersededAndVerified(t *testing.T) {
	s := newStore(t)
	for _, word := range []string{"replaced", "given back", "looked at", "rests on it", "untouched", "edited"} {
		remember(t, s, word)
	}
	first := remember(t, s, "first", func(a *memory.StoreArgs) { a.Supersedes = []string{"given back"} })
	dbtest.Script(t, s.DB.Path(), `
update journal set at = '2026-01-01T00:00:00.000Z';
update memories set updated_at = '2026-01-01T00:00:00.000Z'`)
	remember(t, s, "second", func(a *memory.StoreArgs) { a.Supersedes = []string{"replaced"} })
	g := edges.Graph{DB: s.DB, Caller: s.Caller}
	if _, err := g.Unlink(t.Context(), edges.UnlinkArgs{From: first.ID, To: "given back", Type: "supersedes"}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := belief.Graph(g).Verify(t.Context(), belief.VerifyArgs{ID: "looked at"}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Revise(t.Context(), memory.UpdateArgs{ID: "edited", Pinned: pointer(true)}); err != nil {
		t.Fatal(err)
	}
	for since, want := range map[string][]string{
		"2026-01-02T00:00:00Z": {"edited", "given back", "looked at", "replaced", "second"},
		"9000-01-01T00:00:00Z": {},
	} {
		got, err := s.List(t.Context(), memory.ListArgs{Status: "all", Since: since})
		titles := []string{}
		for _, m := range got.Memories {
			titles = append(titles, m.Title)
		}
		slices.Sort(titles)
		if diff := cmp.Diff(want, titles); err != nil || diff != "" || got.TotalCount != len(want) {
			t.Errorf("since %s: %d, %v (-want +got):\n%s", since, got.TotalCount, err, diff)
		}
	}
}
