package memory_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hence/internal/budget"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
	_ "hence/internal/repeattest"
	"hence/memory"
)

func TestAReadThatMeetsARowThatItCannotReadNamesIt(t *testing.T) {
	for column, value := range map[string]string{"tags": `[1]`, "aliases": `[1,null]`, "properties": `{"a":1e999}`} {
		s := newStore(t)
		remember(t, s, "good")
		bad := remember(t, s, "bad")
		dbtest.Script(t, s.DB.Path(), fmt.Sprintf(`drop trigger memory_text_changed; update memories set %s = '%s' where id = '%s'`, column, value, bad.ID))
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

// Whoever goes on with the offset that an answer names gets on, or is told of none.
func TestOpenGoesOnFromWhereItWasCut(t *testing.T) {
	s := newStore(t)
	content := strings.Repeat("a few words, and then ", 40) + "\n\n" + strings.Repeat("a-very-long-word", 40) + "\n   \n" + strings.Repeat("更に", 200)
	m := remember(t, s, "long", func(a *memory.StoreArgs) { a.Content = content })
	for tokens := 150; tokens < 260; tokens++ {
		read, offset := "", 0
		for range 100 {
			got, err := s.Open(t.Context(), memory.GetArgs{ID: m.ID, Offset: offset, TokenBudget: tokens})
			if err != nil || len(got.Memories) != 1 {
				t.Fatalf("%d tokens: %+v, %v", tokens, got, err)
			}
			one := got.Memories[0]
			if one.Cut == nil {
				read += one.Content
				break
			}
			if one.Content == "" {
				break
			}
			if one.Cut.Offset <= offset {
				t.Fatalf("%d tokens: go on with offset %d, from offset %d: %q", tokens, one.Cut.Offset, offset, one.Content)
			}
			read += string([]rune(content)[offset:one.Cut.Offset])
			offset = one.Cut.Offset
		}
		if !strings.HasPrefix(content, read) || tokens > 200 && read != content {
			t.Errorf("%d tokens: %d of %d bytes were read", tokens, len(read), len(content))
		}
	}
}

func TestOpenSaysThatAnOffsetIsPastTheEnd(t *testing.T) {
	s := newStore(t)
	m := remember(t, s, "short", func(x *memory.StoreArgs) { x.Content = "four" })
	for offset, isPast := range map[int]bool{0: false, 3: false, 4: true, 999: true} {
		got, err := s.Open(t.Context(), memory.GetArgs{ID: m.ID, Offset: offset})
		if err != nil || (len(got.Warnings) == 1) != isPast {
			t.Errorf("offset %d: %q, %v", offset, got.Warnings, err)
		}
		if isPast && !strings.Contains(got.Warnings[0], fmt.Sprintf("ends before offset %d; it has 4 characters", offset)) {
			t.Errorf("offset %d: %s", offset, got.Warnings[0])
		}
	}
}

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
			if c.memories > 0 && (len(got.Memories[0].Content) < 300 || len(got.Warnings) == 0) {
				t.Errorf("%d bytes of content and %q are left, though there is room", len(got.Memories[0].Content), got.Warnings)
			}
		})
	}
}
