package memory_test

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/edges"
	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/memory"
)

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
	if got.Memory.Content != "" {
		t.Errorf("the answer repeats the content: %q", got.Memory.Content)
	}
	m := stored(t, s, got.Memory.ID)
	want := memory.Memory{
		ID: m.ID, Namespace: "default", Kind: "decision", Title: "The first line", Content: "# The first line\n\nand more",
		Aliases: []string{}, Tags: []string{"a/c", "b"}, Properties: db.Properties{"n": int64(1), "list": []any{"x"}},
		Status: memory.Current, Importance: 0, Pinned: true, Confidence: pointer(0.25), Origin: "agent", Actor: "tester",
		ContentHash: db.Hash("# The first line\n\nand more"), Revision: 1, CreatedAt: m.CreatedAt, UpdatedAt: m.CreatedAt,
		ValidFrom: "2026-01-01T00:00:00.000Z", ValidTo: "2026-02-01T00:00:00.000Z",
	}
	if diff := cmp.Diff(want, m, cmp.FilterPath(func(p cmp.Path) bool { return p.String() == "Key" }, cmp.Ignore())); diff != "" {
		t.Errorf("memory (-want +got):\n%s", diff)
	}
	if m.CreatedAt == "" || len(m.ID) != 36 || m.ID[14] != '7' {
		t.Errorf("created %q, id %q; want a time and a UUIDv7", m.CreatedAt, m.ID)
	}
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
		{"LineEndInTag", memory.StoreArgs{Content: "a", Tags: []string{"a\nb"}}, fault.InvalidArgument},
		{"LineEndInKind", memory.StoreArgs{Content: "a", Kind: "a\u2028b"}, fault.InvalidArgument},
		{"LineEndInNamespace", memory.StoreArgs{Content: "a", Namespace: "a\nb"}, fault.InvalidArgument},
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
		{"NoSuchDate", memory.StoreArgs{Content: "a", ValidFrom: "2026-02-30"}, fault.InvalidArgument},
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

func TestSupersessionIsAnEdge(t *testing.T) {
	s := newStore(t)
	old := remember(t, s, "old")
	got, err := s.Remember(t.Context(), memory.StoreArgs{Content: "new", Supersedes: []string{"old"}, Reason: "measured"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Superseded) != 1 || got.Superseded[0] != (ref.End{Named: ref.Named{ID: old.ID, Title: "old"}, Status: memory.Superseded}) {
		t.Errorf("superseded = %+v", got.Superseded)
	}
	if len(got.Edges) != 1 || got.Edges[0].Type != edges.Supersedes || got.Edges[0].Note != "" || got.Edges[0].Actor != "tester" {
		t.Errorf("edges = %+v, want one without the reason, which the caller has", got.Edges)
	}
	if e := opened(t, s, got.Memory.ID).Edges[0]; e.Note != "measured" {
		t.Errorf("edge = %+v", e)
	}
}

func TestASuccessorThatIsYetToHoldSaysSo(t *testing.T) {
	s := newStore(t)
	old := remember(t, s, "Deploys are on Tuesdays")
	for _, c := range []struct {
		name, from string
		supersedes []string
		want       bool
	}{
		{"it begins later", "2999-03-01", []string{old.ID}, true},
		{"it began", "2020-03-01", []string{remember(t, s, "Another").ID}, false},
		{"it replaces nothing", "2999-03-01", nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := s.Remember(t.Context(), memory.StoreArgs{Content: "Deploys: " + c.name, ValidFrom: c.from, Supersedes: c.supersedes}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Contains(fmt.Sprint(r.Warnings), "holds from 2999-03-01 only"); got != c.want {
				t.Errorf("warnings %q", r.Warnings)
			}
		})
	}
}

func TestATitleThatIsMadeIsOneShortLine(t *testing.T) {
	for content, want := range map[string]string{
		"\n\n" + strings.Repeat("ä", 300):       strings.Repeat("ä", 119) + "…",
		"## The  heading ##\nand text":          "The heading ##",
		"#\n##\n###":                            "# ## ###",
		strings.Repeat("#", 5000):               strings.Repeat("#", 119) + "…",
		"   \n\t\nThe first that is not blank.": "The first that is not blank.",
		strings.Repeat("a word ", 15) + "ghp_" + strings.Repeat("a1B2", 9): strings.Repeat("a word ", 15) + "[secret: githu…", // no part of the key
	} {
		if got := memory.FirstLine(content); got != want {
			t.Errorf("FirstLine(%.20q) = %q, want %q", content, got, want)
		}
	}
}

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
		{"NotOfTheCallersOwn", "home", "", only.ID, fault.InvalidArgument},
		{"NotOfTheCallersOwnByTitle", "home", "", "Only", fault.NotFound},
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

// The answer counts all edges and lists the first twenty.
func TestWhatIsStoredIsToldWithItsFirstEdges(t *testing.T) {
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
	if err != nil || len(got.Edges) != 20 || got.EdgeCount != 130 || len(got.Superseded) != 10 {
		t.Errorf("%d of %d edges, %d superseded, %v; want 20 of 130, and 10", len(got.Edges), got.EdgeCount, len(got.Superseded), err)
	}
}

// A kind that the store knows is the known one in any case, wherever it is given; another is kept
// as it is written.
func TestKindsInAnyCase(t *testing.T) {
	s := newStore(t)
	for given, want := range map[string]string{"Rule": "rule", " DECISION ": "decision", "Preference": "preference", "Recipe": "Recipe"} {
		m := remember(t, s, "stored as "+given, func(a *memory.StoreArgs) { a.Kind = given })
		other := remember(t, s, "updated to "+given)
		updated, err := s.Revise(t.Context(), memory.UpdateArgs{ID: other.ID, Kind: &given})
		if err != nil {
			t.Fatal(err)
		}
		learned := checkpointed(t, s, memory.CheckpointArgs{Learned: []memory.StoreArgs{{Content: "learned as " + given, Kind: given}}})
		for _, got := range []string{m.Kind, updated.Memory.Kind, stored(t, s, learned.Memories[0].ID).Kind} {
			if got != want {
				t.Errorf("%q is kept as %q, want %q", given, got, want)
			}
		}
	}
}
