package memory_test

import (
	"encoding/json"
	"strings"
	"testing"

	"hence/internal/db/dbtest"
	"hence/memory"
)

// Whatever has no room, an opened memory has its title, or a sentence that begins with it.
func TestGet_TinyBudgetSaysTheTitleFirst(t *testing.T) {
	d := dbtest.New(t)
	s := memory.Store{DB: d}
	for _, title := range []string{"Short", "The ledger of the harbour, and everything that rests on it since", strings.Repeat("<&> ", 29) + "x", strings.Repeat("日本語の台帳", 6), strings.Repeat("🚢", 30), strings.Repeat(`"\`, 50)} {
		stored, err := s.Remember(t.Context(), memory.StoreArgs{Title: &title, Content: strings.Repeat("A text about the harbour. ", 80), Tags: []string{"a", "b"}, Dedup: "off"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, tokens := range []int{64, 80, 100, 120, 140, 200, 400} {
			got, err := s.Open(t.Context(), memory.GetArgs{ID: stored.Memory.ID, TokenBudget: tokens})
			if err != nil {
				t.Fatal(err)
			}
			raw, err := json.Marshal(got)
			if err != nil || len(raw) > 4*tokens {
				t.Errorf("%d tokens: %d bytes, %v", tokens, len(raw), err)
			}
			said := strings.Join(got.Warnings, "")
			for _, m := range got.Memories {
				said = `"` + m.Title
			}
			if first := string([]rune(title)[:3]); !strings.HasPrefix(strings.ReplaceAll(said, `\`, ""), `"`+strings.ReplaceAll(first, `\`, "")) {
				t.Errorf("%d tokens for %q say %q", tokens, title, said)
			}
		}
	}
}
