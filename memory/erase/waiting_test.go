package erase_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"hence/internal/db"
	"hence/internal/permit"
	"hence/internal/receipts"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/erase"
	"hence/memory/review"
	"hence/memory/tidy"
)

// waits has an agent store what waits for a person, and keeps the receipts of that and of a search that showed it. It
// returns the id of the call.
func (w *world) waits(a memory.StoreArgs, query string) string {
	w.t.Helper()
	records, err := permit.Of(context.Background(), w.v.DB, w.v.DB)
	if err == nil {
		err = records.SetPolicy(review.All)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	ctx := review.WithSession(context.Background(), func() string { return "s" })
	desk, shown, began := review.Desk{DB: w.v.DB, Caller: ref.Caller{Actor: "claude", Origin: ref.Agent}}, []ref.Shown{}, time.Now()
	waits, err := desk.Answer(ctx, "memory_store", json.RawMessage(db.JSON(a)), false, func(ctx context.Context, v ref.View) error {
		stored, err := memory.Store(v).Remember(ctx, a, nil)
		shown = []ref.Shown{{ID: stored.Memory.ID, Why: "named"}}
		if err == nil {
			err = ref.ReadTexts(ctx, v.DB, shown)
		}
		return err
	})
	if err != nil || !waits {
		w.t.Fatal(waits, err)
	}
	stamp, err := receipts.StampOf(ctx, w.v.DB, receipts.Written, shown)
	if err != nil || len(stamp.Shown) != 1 {
		w.t.Fatal(stamp, err)
	}
	w.book(func(ctx context.Context, b *receipts.Book, tag string) error {
		stamp.Store = tag
		return b.Add(ctx,
			receipts.Receipt{Session: "s", At: began, Took: time.Since(began), Tool: "memory_store", Arguments: db.JSON(a), Stamp: stamp},
			receipts.Receipt{Session: "s", At: time.Now(), Tool: "memory_search", Arguments: db.JSON(object{"query": query}), Stamp: stamp})
	})
	return shown[0].ID
}

// What waits is found by its title and its ids, and is in no byte afterwards: nor in receipts, nor does an import bring it back.
func TestWhatWaitsIsErased(t *testing.T) {
	for _, name := range []string{"title", "id", "short id", "session"} {
		w := ends(t, 31)
		title := w.text(&w.gone, 2)
		id := w.waits(memory.StoreArgs{Title: &title, Content: w.text(&w.gone, 6) + " 5823"}, "5823")
		other := w.waits(memory.StoreArgs{Content: w.text(&w.stays, 6)}, "other")
		w.backup()
		a := erase.Args{ID: map[string]string{"title": title, "id": id, "short id": ref.ShortID(id)}[name]}
		if name == "session" {
			a, w.gone = erase.Args{From: "s"}, append(w.gone, w.stays...)
		}
		done := w.erase(a)
		if left := w.left(w.gone); len(left) > 0 || len(done.Receipt.Found) > 0 {
			t.Errorf("by %s: left %q; %+v", name, left, done.Receipt)
		}
		stay, gone := 1, 2
		if name == "session" {
			stay, gone = 0, 3 // the query of the other has no word of it
		}
		if c := done.Receipt.Counts; c.Calls != 2-stay || c.Memories != 0 || c.Receipts != gone || c.Backups != 1 {
			t.Errorf("by %s: %+v", name, c)
		}
		if n := w.count(`select count(*) from asked where id = ?`, other); n != stay {
			t.Errorf("by %s: %d other calls wait", name, n)
		}
		if n := w.count(`select count(*) from purged where id = ?`, id); n != 1 {
			t.Errorf("by %s: an import brings it back", name)
		}
	}
}

// An agent erases of what waits only what its own session stored.
func TestAnAgentErasesOnlyItsOwnOfWhatWaits(t *testing.T) {
	w := ends(t, 32)
	id := w.waits(memory.StoreArgs{Content: w.text(&w.gone, 6)}, "x")
	records, err := permit.Of(t.Context(), w.v.DB, w.v.DB)
	if err == nil {
		err = records.LetErase(true)
	}
	if err == nil {
		err = records.SetPolicy(review.Off)
	}
	if err != nil {
		t.Fatal(err)
	}
	agent, no := erase.Store{DB: w.v.DB, Caller: ref.Caller{Actor: "claude", Origin: ref.Agent}}, false
	as := func(session string) error {
		_, err := agent.Erase(review.WithSession(t.Context(), func() string { return session }), erase.Args{ID: id, DryRun: &no})
		return err
	}
	if err := as("other"); err == nil {
		t.Error("another session's is erased")
	}
	if err := as("s"); err != nil || len(w.left(w.gone)) > 0 {
		t.Errorf("%v, left %q", err, w.left(w.gone))
	}
}

// What a person rejects stands in no receipt either; an agent that takes its own back leaves them.
func TestWhatIsRejectedIsInNoReceipt(t *testing.T) {
	for _, isPerson := range []bool{true, false} {
		w := ends(t, 33)
		id := w.waits(memory.StoreArgs{Content: w.text(&w.gone, 6) + " 5823"}, "5823")
		w.waits(memory.StoreArgs{Content: w.text(&w.stays, 6)}, "other")
		caller := ref.Caller{Actor: "claude", Origin: ref.Agent}
		if isPerson {
			caller = w.v.Caller
		}
		ctx := review.WithSession(t.Context(), func() string { return "s" })
		listed, err := tidy.Tidier{DB: w.v.DB, Caller: caller}.Tidy(ctx, tidy.Args{Propose: []string{"pending"}})
		if err != nil || len(listed.Proposals) != 2 {
			t.Fatal(listed, err)
		}
		for _, p := range listed.Proposals {
			if p.Memories[0].ID == id {
				if _, err := (tidy.Tidier{DB: w.v.DB, Caller: caller}).Tidy(ctx, tidy.Args{Reject: []string{p.Key}}); err != nil {
					t.Fatal(err)
				}
			}
		}
		have := []string{}
		w.book(func(ctx context.Context, b *receipts.Book, tag string) error {
			all, err := b.Of(ctx, receipts.Scope{Store: tag}, "s", time.Time{})
			for _, r := range all {
				have = append(have, r.Arguments)
			}
			return err
		})
		said := strings.Join(have, "\n")
		if got := strings.Contains(said, "5823") || strings.Contains(said, w.gone[0]); got == isPerson || !strings.Contains(said, w.stays[0]) {
			t.Errorf("of a person %v: %s", isPerson, said)
		}
		for _, left := range w.left(w.gone) {
			if isPerson && strings.Contains(left, "receipts.db") {
				t.Errorf("left %q", left)
			}
		}
	}
}
