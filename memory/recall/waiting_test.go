package recall_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/recall"
	"hence/memory/recall/near"
	"hence/memory/recall/vectors"
)

// await waits until holds returns true, for up to a minute.
func await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("a minute passed, and not: %s", what)
		}
	}
}

// putInForce puts an embedder in force without making its vectors.
func putInForce(t *testing.T, s recall.Searcher, name string) {
	t.Helper()
	if _, err := s.DB.Write(t.Context(), "tester", db.Now(),
		db.S(`delete from embedders`),
		db.S(`insert into embedders (name, state, dimensions) values (?, 'in force', 3)`, name)); err != nil {
		t.Fatal(err)
	}
}

// keepInBackground runs KeepEmbedded in the background until stop is called.
func keepInBackground(t *testing.T, s recall.Searcher, every time.Duration, wake <-chan struct{}) (errors chan error, stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	errors, stopped := make(chan error, 100), make(chan struct{})
	go func() {
		defer close(stopped)
		vectors.Store(s).KeepEmbedded(ctx, every, wake, func(err error) { errors <- err })
	}()
	return errors, func() {
		cancel()
		<-stopped
	}
}

func vectorCount(t *testing.T, s recall.Searcher) int {
	return dbtest.Count(t, s.DB, `select count(*) from vectors`)
}

func TestKeepEmbedded_IsWoken(t *testing.T) {
	s, m := storeVehicles(t), newMeanings(t)
	putInForce(t, s, m.name)
	wake := make(chan struct{}, 1)
	errors, stop := keepInBackground(t, s, time.Hour, wake)
	defer stop()
	await(t, "what is there has vectors", func() bool { return vectorCount(t, s) == 3 })
	content := "Dinner is served."
	if _, err := (memory.Store(s)).Revise(t.Context(), memory.UpdateArgs{ID: "m1", Content: &content}); err != nil {
		t.Fatal(err)
	}
	if n := vectorCount(t, s); n != 2 {
		t.Errorf("%d vectors after an edit, want 2", n)
	}
	wake <- struct{}{}
	await(t, "the edited text has a vector", func() bool { return vectorCount(t, s) == 3 })
	stop()
	if len(errors) > 0 {
		t.Error(<-errors)
	}
}

// An error is reported once, and embedding resumes when the server is back.
func TestKeepEmbedded_GoesOnAfterAnError(t *testing.T) {
	s, m := storeVehicles(t), newMeanings(t)
	putInForce(t, s, m.name)
	m.down.Store(true)
	errors, stop := keepInBackground(t, s, time.Microsecond, nil)
	defer stop()
	await(t, "the server was asked several times", func() bool { return m.requests.Load() > 3 })
	m.down.Store(false)
	await(t, "all have vectors", func() bool { return vectorCount(t, s) == 3 })
	stop()
	if len(errors) != 1 || fault.CodeOf(<-errors) != fault.Unavailable {
		t.Errorf("%d more errors were reported, want unavailable once", len(errors))
	}
}

// One process at a time makes vectors. Another takes over only if the first has stopped without
// releasing its claim, or if a person runs it.
func TestEmbedWaiting_OneProcessAtATime(t *testing.T) {
	for _, c := range []struct {
		name  string
		until time.Duration
		want  int
	}{
		{"Busy", time.Hour, 0},
		{"Gone", -time.Hour, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, m := storeVehicles(t), newMeanings(t)
			putInForce(t, s, m.name)
			if _, err := s.DB.Write(t.Context(), "tester", db.Now(),
				db.S(`update embedders set busy_with = 'another', busy_until = ?`, db.Time(time.Now().Add(c.until)))); err != nil {
				t.Fatal(err)
			}
			if err := vectors.Store(s).EmbedWaiting(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			if n := vectorCount(t, s); n != c.want {
				t.Errorf("%d vectors, want %d", n, c.want)
			}
			if _, err := vectors.Store(s).EmbedRun(t.Context(), nil); err != nil || vectorCount(t, s) != 3 {
				t.Errorf("EmbedRun: %v, and %d vectors; want it to take over", err, vectorCount(t, s))
			}
		})
	}
}

// A process from which another takes over stops without an error.
func TestEmbedWaiting_StopsWhereAnotherTakesOver(t *testing.T) {
	s, m := storeVehicles(t), newMeanings(t)
	putInForce(t, s, m.name)
	release := m.hold()
	first := make(chan error)
	go func() { first <- vectors.Store(s).EmbedWaiting(t.Context(), nil) }()
	await(t, "the server is asked", func() bool { return m.requests.Load() == 1 })
	if _, err := s.DB.Write(t.Context(), "tester", db.Now(), db.S(`update embedders set busy_with = 'another'`)); err != nil {
		t.Fatal(err)
	}
	release()
	if err := <-first; err != nil {
		t.Errorf("EmbedWaiting: %v", err)
	}
	if n := vectorCount(t, s); n != 0 {
		t.Errorf("%d vectors were written, want none", n)
	}
	if n := dbtest.Count(t, s.DB, `select count(*) from embedders where busy_with = 'another'`); n != 1 {
		t.Error("the other process is not busy any more")
	}
}

// A server that hangs delays one question for a moment, no other question, and no memory that
// is stored.
func TestSearch_DoesNotWaitForAModel(t *testing.T) {
	defer recall.SetPatience(10 * time.Millisecond)()
	s, m := storeVehicles(t), newMeanings(t)
	setEmbedder(t, s, m.name)
	release := m.hold()
	defer release()
	before := m.requests.Load()
	for range 3 {
		got := search(t, s, recall.SearchArgs{Query: "car"})
		if !slices.Equal(titles(got), []string{"m3"}) || len(got.Warnings) != 1 || !strings.Contains(got.Warnings[0], "ranked by words alone") {
			t.Errorf("%v with warnings %q, want m3 by its words", titles(got), got.Warnings)
		}
	}
	if _, err := memory.Store(s).Remember(t.Context(), item("m4", "A motorway is a long road for cars."), near.Finder(s).Near); err != nil {
		t.Fatal(err)
	}
	if n := m.requests.Load() - before; n > 1 {
		t.Errorf("the server was asked %d times, want once", n)
	}
	release()
	await(t, "the late answer counts", func() bool { return len(search(t, s, recall.SearchArgs{Query: "motorway", Limit: 1}).Results) == 1 })
}

// A search that is ranked by words alone also says how many texts have no vector.
func TestSearch_SaysHowManyWaitWithoutAnAnswer(t *testing.T) {
	s, m := storeVehicles(t), newMeanings(t)
	setEmbedder(t, s, m.name)
	m.down.Store(true)
	if _, err := memory.Store(s).Remember(t.Context(), memory.StoreArgs{Content: "Soup"}, nil); err != nil {
		t.Fatal(err)
	}
	got := search(t, s, recall.SearchArgs{Query: "soup"}).Warnings
	if len(got) != 2 || !strings.HasPrefix(got[0], "ranked by words alone") || !strings.HasPrefix(got[1], "1 text waits") {
		t.Errorf("warnings %q", got)
	}
}

func TestSearch_SaysHowManyWait(t *testing.T) {
	s, m := storeVehicles(t), newMeanings(t)
	setEmbedder(t, s, m.name)
	for i, namespace := range []string{"mine", "yours", "yours"} {
		if _, err := memory.Store(s).Remember(t.Context(), memory.StoreArgs{Content: fmt.Sprint("Soup number ", i), Namespace: namespace}, nil); err != nil {
			t.Fatal(err)
		}
	}
	confined := recall.Searcher{DB: s.DB, Caller: ref.Caller{Actor: "a", Origin: "agent", Namespace: "mine"}}
	none := recall.Searcher{DB: s.DB, Caller: ref.Caller{Actor: "a", Origin: "agent", Namespace: "theirs", Confined: true}}
	for _, c := range []struct {
		name, mode string
		by         recall.Searcher
		want       []string
	}{
		{"Hybrid", "hybrid", s, []string{"3 texts wait for a vector; only their words find them until then"}},
		{"Semantic", "semantic", s, []string{"3 texts wait for a vector; only their words find them until then"}},
		{"Keyword", "keyword", s, []string{}},
		{"OnlyOwn", "hybrid", confined, []string{"1 text waits for its vector; only its words find it until then"}},
		{"NoneOwn", "hybrid", none, []string{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := search(t, c.by, recall.SearchArgs{Query: "soup", Mode: c.mode})
			if diff := cmp.Diff(c.want, got.Warnings); diff != "" {
				t.Errorf("warnings (-want +got):\n%s", diff)
			}
		})
	}
	if err := vectors.Store(s).EmbedWaiting(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if got := search(t, s, recall.SearchArgs{Query: "soup"}); len(got.Warnings) > 0 {
		t.Errorf("warnings %q when none waits", got.Warnings)
	}
}

// The scores of a semantic search are cosines, which edges do not change.
func TestSemantic_ScoresAreCosines(t *testing.T) {
	s := storeItems(t,
		item("both", "A car, and dinner."),
		item("car", "A car.", link("supports", "both")),
		item("soup", "The soup.", link("follows", "car")),
		item("other", "A tree."))
	m := newMeanings(t)
	setEmbedder(t, s, m.name)
	got := search(t, s, recall.SearchArgs{Query: "car", Mode: "semantic"})
	// A title is part of the embedded text.
	asked, vectors := [3]float64{1, 0, 0.1}, map[string][3]float64{"both": {1, 1, 0.1}, "car": {2, 0, 0.1}, "soup": {0, 2, 0.1}, "other": {0, 0, 0.1}}
	last := 1.0
	for i, r := range got.Results {
		if cosine := cosineOf(asked, vectors[r.Title]); math.Abs(r.Score-cosine) > 0.01 { // a byte a number
			t.Errorf("the score of %s is %v, and its cosine %v", r.Title, r.Score, cosine)
		}
		if r.Score > last || r.Why.VectorRank != i+1 || len(r.Why.Graph) > 0 {
			t.Errorf("%s is at place %d with %+v", r.Title, i+1, r.Why)
		}
		last = r.Score
	}
	if got.TotalCount != 4 || !got.TotalIsExact || len(got.Results) != 4 {
		t.Errorf("%d results of %d (exact: %v), want 4 of 4", len(got.Results), got.TotalCount, got.TotalIsExact)
	}
}

func cosineOf(a, b [3]float64) float64 {
	product, lengthA, lengthB := 0.0, 0.0, 0.0
	for i := range a {
		product, lengthA, lengthB = product+a[i]*b[i], lengthA+a[i]*a[i], lengthB+b[i]*b[i]
	}
	return product / math.Sqrt(lengthA*lengthB)
}

// A total counts all results, whatever the limit, or says that it is a bound.
func TestVectors_TotalsAreHonest(t *testing.T) {
	for _, c := range []struct {
		name     string
		memories int
		semantic int
		sure     bool
	}{
		{"Few", 60, 60, true},
		{"Many", 1100, 1000, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, m := storeItems(t), newMeanings(t)
			batch := []db.Stmt{}
			for i := range c.memories {
				batch = append(batch, db.S(`insert into memories (title, content) values (?1, ?1 || ' automobile')`, fmt.Sprint("n", i)))
			}
			dbtest.Fill(t, s.DB, append(batch, db.S(`insert into memories (title, content) values ('the car', 'a car')`))...)
			putInForce(t, s, m.name)
			if err := vectors.Store(s).EmbedWaiting(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			for _, limit := range []int{1, 50} {
				got := search(t, s, recall.SearchArgs{Query: "car", Mode: "semantic", Limit: limit})
				if want := min(c.semantic+1, 1000); got.TotalCount != want || got.TotalIsExact != c.sure || !got.Truncated {
					t.Errorf("semantic, limit %d: %d (exact: %v), want %d (%v)", limit, got.TotalCount, got.TotalIsExact, want, c.sure)
				}
				got = search(t, s, recall.SearchArgs{Query: "car", Limit: limit})
				if got.TotalCount != 21 || !got.TotalIsExact { // one by words, and the twenty nearest
					t.Errorf("hybrid, limit %d: %d (exact: %v), want 21", limit, got.TotalCount, got.TotalIsExact)
				}
			}
			one, all := search(t, s, recall.SearchArgs{Query: "car", Limit: 1}), search(t, s, recall.SearchArgs{Query: "car", Limit: 50})
			if one.TotalCount != all.TotalCount {
				t.Errorf("a hybrid search has %d results at limit 1 and %d at 50", one.TotalCount, all.TotalCount)
			}
		})
	}
}
