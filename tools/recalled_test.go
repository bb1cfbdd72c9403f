package tools

import (
	"testing"

	"hence/internal/db/dbtest"
	"hence/memory"
	"hence/memory/recall"
)

// A memory that a session has read and stores again, word for word, is recognised; a
// session that has not read it stores another.
func TestRecalled_ComesBack(t *testing.T) {
	d := dbtest.New(t)
	reader, other := meet(t, d, Options{}), meet(t, d, Options{})
	first, _ := get[memory.StoreResult](other, "memory_store", `{"title": "Retries", "content": "Retry five times, then stop."}`)
	get[recall.SearchResult](reader, "memory_search", `{"query": "retry"}`)
	again, _ := get[memory.StoreResult](reader, "memory_store", `{"title": "How often to retry", "content": "Retry five times,  then stop."}`)
	if again.Created || again.Memory.ID != first.Memory.ID {
		t.Errorf("%+v, want the memory that was recalled", again)
	}
	learned, _ := get[memory.CheckpointResult](reader, "memory_checkpoint", `{"learned": [{"title": "Again", "content": "Retry five times, then stop."}]}`)
	if learned.Memories[0].Created || learned.Memories[0].ID != first.Memory.ID {
		t.Errorf("%+v, want the memory that was recalled", learned)
	}
	if stored, _ := get[memory.StoreResult](other, "memory_store", `{"title": "How often to retry", "content": "Retry five times, then stop."}`); !stored.Created {
		t.Errorf("%+v, want a memory of its own", stored)
	}
}

// What to do with a near memory is told once in a session, by whichever tool is first.
func TestRecalled_AdviceIsToldOnce(t *testing.T) {
	d := dbtest.New(t)
	first, second := meet(t, d, Options{}), meet(t, d, Options{})
	get[memory.StoreResult](first, "memory_store", `{"content": "Retry failed uploads five times."}`)
	for i, want := range []string{memory.Settle, "", ""} {
		content := []string{"Failed uploads are retried by Oskar.", "Failed uploads cost money.", "Failed uploads are logged."}[i]
		if got, _ := get[memory.StoreResult](first, "memory_store", `{"content": "`+content+`"}`); got.Settle != want || len(got.Near) == 0 {
			t.Errorf("%d: advice %q, near %+v", i, got.Settle, got.Near)
		}
	}
	for _, want := range []string{memory.Settle, ""} {
		if got, _ := get[memory.CheckpointResult](second, "memory_checkpoint", `{"done": "`+want+`x", "learned": [{"content": "Failed uploads wait `+want+`."}]}`); got.Settle != want {
			t.Errorf("in a checkpoint: advice %q", got.Settle)
		}
	}
}
