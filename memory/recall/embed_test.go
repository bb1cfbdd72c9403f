package recall_test

import (
	"context"
	"database/sql"
	"fmt"
	"hash/fnv"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/memory"
	"hence/memory/embed"
	"hence/memory/embed/embedtest"
	"hence/memory/recall"
	"hence/memory/recall/near"
	"hence/memory/recall/vectors"
)

// The tests of this package are about words, unless they choose an embedder.
func TestMain(m *testing.M) {
	dbtest.WordsAlone = true
	os.Exit(m.Run())
}

// meanings is an embedding server that knows a few words: those for vehicles are on the first
// axis, those for food on the second. dimensions may be changed.
type meanings struct {
	name       string
	dimensions atomic.Int32
	asked      atomic.Int32 // texts
	requests   atomic.Int32
	down       atomic.Bool
	held       atomic.Pointer[chan struct{}] // closed when the server may answer; nil: at once
}

// hold makes the server delay its answers until release is called.
func (m *meanings) hold() (release func()) {
	c := make(chan struct{})
	m.held.Store(&c)
	return sync.OnceFunc(func() {
		m.held.Store(nil)
		close(c)
	})
}

func newMeanings(t *testing.T) *meanings {
	m := &meanings{}
	m.dimensions.Store(3)
	m.name = embedtest.Server(t, func() bool {
		m.requests.Add(1)
		if held := m.held.Load(); held != nil {
			<-*held
		}
		return !m.down.Load()
	}, func(text string) []float32 {
		m.asked.Add(1)
		v := make([]float32, m.dimensions.Load())
		for _, word := range strings.Fields(strings.ToLower(text)) {
			switch strings.Trim(word, ".,") {
			case "car", "automobile", "motorway":
				v[0]++
			case "soup", "dinner":
				v[1]++
			}
		}
		v[2] += 0.1
		return v
	})
	return m
}

// newWords starts a server for which texts with the same words are near each other. It returns
// the embedder's name.
func newWords(t *testing.T) string {
	return embedtest.Server(t, func() bool { return true }, func(text string) []float32 {
		v := make([]float32, 64)
		for _, word := range strings.Fields(strings.ToLower(text)) {
			hash := fnv.New32a()
			_, _ = hash.Write([]byte(strings.Trim(word, ".,")))
			v[hash.Sum32()%64]++
		}
		return v
	})
}

func setEmbedder(t testing.TB, s recall.Searcher, name string) vectors.EmbedStatus {
	t.Helper()
	if _, err := vectors.Store(s).EmbedSet(t.Context(), vectors.EmbedArgs{Embedder: name}); err != nil {
		t.Fatal(err)
	}
	status, err := vectors.Store(s).EmbedRun(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return status
}

func storeVehicles(t testing.TB) recall.Searcher {
	return storeItems(t,
		item("m1", "An automobile stood there."),
		item("m2", "The soup was cold."),
		item("m3", "A car park for everybody."))
}

func TestVectors_MeaningWithoutACommonWord(t *testing.T) {
	s, m := storeVehicles(t), newMeanings(t)
	status := setEmbedder(t, s, m.name)
	if diff := cmp.Diff(vectors.EmbedStatus{Embedder: m.name, Dimensions: 3, Embedded: 3}, status); diff != "" {
		t.Fatalf("status (-want +got):\n%s", diff)
	}
	got := search(t, s, recall.SearchArgs{Query: "car", Limit: 2})
	if diff := cmp.Diff([]string{"m3", "m1"}, titles(got)); diff != "" {
		t.Errorf("hybrid (-want +got):\n%s", diff)
	}
	if w := got.Results[0].Why; w.KeywordRank != 1 || w.VectorRank == 0 {
		t.Errorf("why of the first = %+v, want a place by words and one in meaning", w)
	}
	if w := got.Results[1].Why; w.KeywordRank != 0 || w.VectorRank == 0 {
		t.Errorf("why of the second = %+v, want a place in meaning alone", w)
	}
	got = search(t, s, recall.SearchArgs{Query: "motorway", Mode: "semantic", Limit: 2})
	if got.Results[0].Why.VectorRank != 1 || titles(got)[0] == "m2" || titles(got)[1] == "m2" {
		t.Errorf("semantic: %v, want m1 and m3", titles(got))
	}
	if _, err := vectors.Store(s).EmbedSet(t.Context(), vectors.EmbedArgs{Embedder: "none"}); err != nil {
		t.Fatal(err)
	}
	if got := search(t, s, recall.SearchArgs{Query: "motorway"}); len(got.Results) != 0 {
		t.Errorf("without a model: %v, want none", titles(got))
	}
}

// A model far away is asked only about a question that words do not answer.
func TestVectors_AreAskedForWhereWordsDoNotAnswer(t *testing.T) {
	s, m := storeItems(t, item("m1", "The car of Ada stood there."), item("m2", "A car for Ada."), item("m3", "Ada has a car too."), item("m4", "An automobile.")), newMeanings(t)
	setEmbedder(t, s, m.name)
	for _, c := range []struct {
		query, mode string
		asked       int32
	}{
		{"car Ada", "hybrid", 0}, {"car Ada", "keyword", 0}, {"\"car\" Ada", "hybrid", 0}, {"-soup car", "hybrid", 0},
		{"motorway", "hybrid", 1}, {"car boats", "hybrid", 1}, {"car Ada", "semantic", 1},
	} {
		before := m.requests.Load()
		search(t, s, recall.SearchArgs{Query: c.query, Mode: c.mode})
		if asked := m.requests.Load() - before; asked != c.asked {
			t.Errorf("%s, %s: the model is asked %d times, want %d", c.query, c.mode, asked, c.asked)
		}
	}
}

// Searches use the old vectors until all new ones are made.
func TestVectors_OldOnesStayUntilTheNewAreWhole(t *testing.T) {
	s, old, next := storeVehicles(t), newMeanings(t), newMeanings(t)
	setEmbedder(t, s, old.name)
	status, err := vectors.Store(s).EmbedSet(t.Context(), vectors.EmbedArgs{Embedder: next.name})
	if err != nil {
		t.Fatal(err)
	}
	if status.Embedder != old.name || status.Building == nil || status.Building.Pending != 3 {
		t.Fatalf("status = %+v, want the old one in force and 3 pending", status)
	}
	next.down.Store(true)
	if _, err := vectors.Store(s).EmbedRun(t.Context(), nil); fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("EmbedRun: %v, want unavailable", err)
	}
	if got := search(t, s, recall.SearchArgs{Query: "motorway", Mode: "semantic", Limit: 1}); got.Results[0].Why.VectorRank != 1 {
		t.Error("the old vectors are lost")
	}
	next.down.Store(false)
	if status, err = vectors.Store(s).EmbedRun(t.Context(), nil); err != nil || status.Embedder != next.name || status.Building != nil || status.Pending != 0 {
		t.Errorf("status = %+v, %v; want the new one in force", status, err)
	}
	if n := dbtest.Count(t, s.DB, `select count(*) from vectors`); n != 3 {
		t.Errorf("%d vectors are kept, want the 3 new ones", n)
	}
}

func TestVectors_OnlyWhatChangedIsMadeAgain(t *testing.T) {
	s, m := storeVehicles(t), newMeanings(t)
	setEmbedder(t, s, m.name)
	store := memory.Store{DB: s.DB, Caller: s.Caller}
	content, importance := "Dinner is served.", 0.9
	for _, a := range []memory.UpdateArgs{{ID: "m1", Content: &content}, {ID: "m2", Importance: &importance}} {
		if _, err := store.Revise(t.Context(), a); err != nil {
			t.Fatal(err)
		}
	}
	status, err := vectors.Store(s).EmbedStatus(t.Context())
	if err != nil || status.Pending != 1 || status.Embedded != 2 {
		t.Errorf("status = %+v, %v; want the changed text to wait", status, err)
	}
	before := m.asked.Load()
	if _, err := vectors.Store(s).EmbedRun(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if n := m.asked.Load() - before; n != 1 {
		t.Errorf("%d texts were embedded again, want 1", n)
	}
	if _, err := store.Forget(t.Context(), memory.ForgetArgs{ID: "m1", Purge: true}); err != nil {
		t.Fatal(err)
	}
	if n := dbtest.Count(t, s.DB, `select count(*) from vectors`); n != 2 {
		t.Errorf("%d vectors after a purge, want 2", n)
	}
}

func TestVectors_MismatchIsLoud(t *testing.T) {
	s, m := storeVehicles(t), newMeanings(t)
	setEmbedder(t, s, m.name)
	m.dimensions.Store(5)
	_, err := s.Search(t.Context(), recall.SearchArgs{Query: "car", Mode: "semantic"})
	if fault.CodeOf(err) != fault.Unavailable || !strings.Contains(err.Error(), "5 dimensions") {
		t.Errorf("semantic: %v, want unavailable with the dimensions", err)
	}
	got := search(t, s, recall.SearchArgs{Query: "car"})
	if len(got.Results) != 1 || len(got.Warnings) != 1 || !strings.Contains(got.Warnings[0], "5 dimensions") {
		t.Errorf("hybrid: %v with warnings %q, want the result by words and one warning", titles(got), got.Warnings)
	}
	if _, err := (memory.Store{DB: s.DB, Caller: s.Caller}).Remember(t.Context(), item("m4", "A motorway."), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := vectors.Store(s).EmbedRun(t.Context(), nil); fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("EmbedRun: %v, want unavailable", err)
	}
}

func TestVectors_NoneTakesThemAway(t *testing.T) {
	s, m := storeVehicles(t), newMeanings(t)
	setEmbedder(t, s, m.name)
	if _, err := vectors.Store(s).EmbedSet(t.Context(), vectors.EmbedArgs{Embedder: "none"}); err != nil {
		t.Fatal(err)
	}
	if n := dbtest.Count(t, s.DB, `select (select count(*) from vectors) + (select count(*) from vectors_waiting) + (select count(*) from embedders)`); n != 0 {
		t.Errorf("%d rows are left", n)
	}
	if _, err := vectors.Store(s).EmbedRun(t.Context(), nil); fault.CodeOf(err) != fault.InvalidArgument {
		t.Errorf("EmbedRun: %v, want invalid_argument", err)
	}
}

func TestKeepEmbedded_FollowsWhatIsStored(t *testing.T) {
	s, m := storeVehicles(t), newMeanings(t)
	ctx, stop := context.WithCancel(t.Context())
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		vectors.Store(s).KeepEmbedded(ctx, time.Millisecond, nil, func(err error) { t.Error(err) })
	}()
	await := func(want int) {
		t.Helper()
		for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
			if status, err := vectors.Store(s).EmbedStatus(t.Context()); err == nil && status.Embedder == m.name && status.Embedded == want && status.Pending == 0 {
				return
			}
		}
		t.Fatalf("%d vectors were not made", want)
	}
	if _, err := vectors.Store(s).EmbedSet(t.Context(), vectors.EmbedArgs{Embedder: m.name}); err != nil {
		t.Fatal(err)
	}
	await(3)
	if _, err := memory.Store(s).Remember(t.Context(), item("m4", "A motorway."), near.Finder(s).Near); err != nil {
		t.Fatal(err)
	}
	await(4)
	stop()
	<-stopped
}

// The memories that pass a filter are found even if many others are nearer.
func TestVectors_NarrowFilterLooksAtAllThatPass(t *testing.T) {
	s := storeItems(t)
	batch := []db.Stmt{db.S(`insert into memories (title, content, kind) values ('far', 'somebody brought cake to the ferry', 'rare')`)}
	for i := range 500 {
		batch = append(batch, db.S(`insert into memories (title, content) values ('near', 'the ferry uses the northern harbour ' || ?)`, i))
	}
	dbtest.Fill(t, s.DB, batch...)
	setEmbedder(t, s, newWords(t))
	got := search(t, s, recall.SearchArgs{Query: "ferry northern harbour", Mode: "semantic", Kinds: []string{"rare"}})
	if !slices.Equal(titles(got), []string{"far"}) {
		t.Errorf("results %v, want far", titles(got))
	}
}

// What is near by the stored numbers, as the engine compares them, is near by the model's: but for a
// hundredth of a cosine. The signs tell the same as those of sqlite-vec.
func TestVectors_AByteANumberKeepsTheOrder(t *testing.T) {
	d := storeVehicles(t).DB
	rapid.Check(t, func(t *rapid.T) {
		one := func(name string, n int) []float32 {
			return rapid.SliceOfN(rapid.Float32Range(-1, 1), n, n).Draw(t, name)
		}
		dimensions := 8 * rapid.IntRange(1, 64).Draw(t, "dimensions")
		a, b := one("a", dimensions), one("b", dimensions)
		storedA, storedB := vectors.Blob(a), vectors.Blob(b)
		if storedA == nil || storedB == nil {
			t.Skip("a vector of zeros")
		}
		var far float64
		var apart, signs int
		err := db.Each(t.Context(), d, func(row *sql.Rows) error { return row.Scan(&far, &apart, &signs) }, `
select
  vec_distance_cosine(vec_int8(?1), vec_int8(?2)),
  signs_apart(?1, ?2),
  vec_distance_hamming(vec_quantize_binary(vec_int8(?3)), vec_quantize_binary(vec_int8(?4)))`,
			storedA, storedB, withoutZeros(storedA), withoutZeros(storedB))
		if err != nil {
			t.Fatal(err)
		}
		product, squareA, squareB := 0.0, 0.0, 0.0
		for i := range a {
			product, squareA, squareB = product+float64(a[i])*float64(b[i]), squareA+float64(a[i])*float64(a[i]), squareB+float64(b[i])*float64(b[i])
		}
		if want := 1 - product/math.Sqrt(squareA*squareB); math.Abs(far-want) > 0.01 {
			t.Errorf("the distance is %v by bytes, and %v by numbers", far, want)
		}
		if apart != signs {
			t.Errorf("%d signs differ, and %d by sqlite-vec", apart, signs)
		}
	})
}

// withoutZeros returns a stored vector with 1 for 0: sqlite-vec counts that among the negative numbers.
func withoutZeros(blob []byte) []byte {
	some := slices.Clone(blob)
	for i, x := range some {
		if x == 0 {
			some[i] = 1
		}
	}
	return some
}

// A text of which the model says nothing has no vector and does not wait for one, until it changes. A question
// of which it says nothing is answered by words.
func TestVectors_ZerosTakeNoPlace(t *testing.T) {
	s := storeItems(t, item("soup", "Soup."), item("other", "Rien."))
	name := embedtest.Server(t, func() bool { return true }, func(text string) []float32 {
		return []float32{float32(strings.Count(strings.ToLower(text), "soup")), 0}
	})
	status := setEmbedder(t, s, name)
	if status.Embedded != 1 || status.Pending != 0 {
		t.Errorf("status %+v, want one vector, and that none waits", status)
	}
	if got := search(t, s, recall.SearchArgs{Query: "rien"}); !slices.Equal(titles(got), []string{"other"}) || len(got.Warnings) > 0 {
		t.Errorf("%v with warnings %q, want other by its words", titles(got), got.Warnings)
	}
	if _, err := s.Search(t.Context(), recall.SearchArgs{Query: "rien", Mode: "semantic"}); fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("semantic: %v, want unavailable", err)
	}
	content := "Soup after all."
	if _, err := memory.Store(s).Revise(t.Context(), memory.UpdateArgs{ID: "other", Content: &content}); err != nil {
		t.Fatal(err)
	}
	if status, err := vectors.Store(s).EmbedStatus(t.Context()); err != nil || status.Pending != 1 {
		t.Errorf("status %+v, %v; want that the changed text waits", status, err)
	}
}

// A memory whose vector points away from that of a question is the last in meaning, and not left out.
func TestVectors_ThatPointAwayAreTheLast(t *testing.T) {
	s := storeItems(t, item("soup", "Soup."), item("tree", "A tree."))
	setEmbedder(t, s, embedtest.Server(t, func() bool { return true }, func(text string) []float32 {
		return []float32{float32(strings.Count(strings.ToLower(text), "soup") - strings.Count(text, "tree")), 0.1}
	}))
	if got := search(t, s, recall.SearchArgs{Query: "soup", Mode: "semantic"}); !slices.Equal(titles(got), []string{"soup", "tree"}) || got.Results[1].Score >= 0 {
		t.Errorf("%v, want soup, and tree with a score below 0", got.Results)
	}
}

// A vector that somebody wrote by hand, of another length, does not disturb a search.
func TestVectors_OfAnotherLengthAreLeftOut(t *testing.T) {
	s, m := storeVehicles(t), newMeanings(t)
	setEmbedder(t, s, m.name)
	dbtest.Script(t, s.DB.Path(), `update vectors set vector = x'01' where section = (select min(section) from vectors); update vectors set vector = x'000000' where section = (select max(section) from vectors)`)
	for _, kinds := range [][]string{nil, {"fact"}} {
		if got := search(t, s, recall.SearchArgs{Query: "car", Mode: "semantic", Kinds: kinds}); len(got.Results) != 1 {
			t.Errorf("%v, want the one with a vector that can be compared", titles(got))
		}
	}
}

func TestRelated(t *testing.T) {
	for name, isEmbedded := range map[string]bool{"ByWords": false, "ByMeaning": true} {
		t.Run(name, func(t *testing.T) {
			s := storeItems(t,
				item("r1", "The ferry leaves the northern harbour at noon."),
				item("r2", "At noon the ferry is in the northern harbour.", link("supports", "r1")),
				item("r3", "Harbour dues for the ferry rise."),
				item("r4", "Somebody brought cake."))
			if isEmbedded {
				setEmbedder(t, s, newWords(t))
			}
			got, err := s.FindRelated(t.Context(), recall.RelatedArgs{ID: "r1", Limit: 3})
			if err != nil {
				t.Fatal(err)
			}
			linked := ""
			for i, one := range got.Results {
				if len(one.Linked) > 0 {
					linked += one.Title
				} else if i > 0 && len(got.Results[i-1].Linked) > 0 {
					t.Errorf("%s comes after what is linked", one.Title)
				}
				if one.Title == "r1" {
					t.Error("a memory is related to itself")
				}
			}
			if got.Results[0].Title != "r3" || linked != "r2" {
				t.Errorf("first is %q, linked %q; want r3 and r2", got.Results[0].Title, linked)
			}
		})
	}
}

// The nearest sections may all be superseded, or all of one note. The memories after them are
// found all the same.
func TestVectors_WhatManyNearerOnesHideIsFound(t *testing.T) {
	for name, nearer := range map[string]string{
		"Superseded": `
with recursive n (i) as (select 1 union all select i + 1 from n where i < 900)
insert into memories (id, title, content, status) select 'old' || i, 'Old', 'harbour crane week ' || i, 'superseded' from n;`,
		"OfOneNote": `
insert into memories (title, content, sectioned) values ('Long', 'x', 1);
with recursive n (i) as (select 1 union all select i + 1 from n where i < 900)
insert into sections (memory, ordinal, body) select (select max(key) from memories), i, 'harbour crane week ' || i from n;`,
	} {
		t.Run(name, func(t *testing.T) {
			s := storeItems(t, item("Crane", "The crane."), item("Else", "Bread and butter."))
			dbtest.Script(t, s.DB.Path(), nearer)
			setEmbedder(t, s, newWords(t))
			got := search(t, s, recall.SearchArgs{Query: "harbour crane week", Mode: "semantic"})
			if !slices.Contains(titles(got), "Crane") {
				t.Errorf("found %v, want Crane among them", titles(got))
			}
		})
	}
}

// The nearest memories may all be linked already. Those that are not come first all the same.
func TestRelated_WhatIsLinkedHidesNothing(t *testing.T) {
	for name, isEmbedded := range map[string]bool{"ByWords": false, "ByMeaning": true} {
		t.Run(name, func(t *testing.T) {
			s := storeItems(t, item("hub", "The ferry leaves the northern harbour at noon."))
			for i := range 6 {
				if _, err := memory.Store(s).Remember(t.Context(), item(fmt.Sprint("linked", i), "The ferry leaves the northern harbour at noon.", link("supports", "hub")), near.Finder(s).Near); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := memory.Store(s).Remember(t.Context(), item("free", "A ferry in some harbour."), near.Finder(s).Near); err != nil {
				t.Fatal(err)
			}
			if isEmbedded {
				setEmbedder(t, s, newWords(t))
			}
			got, err := s.FindRelated(t.Context(), recall.RelatedArgs{ID: "hub", Limit: 1})
			if err != nil || len(got.Results) != 1 || got.Results[0].Title != "free" {
				t.Errorf("%+v, %v; want free", got.Results, err)
			}
		})
	}
}

// Memories near in meaning and memories with the same words are both related, and all of them are counted.
func TestRelated_ByMeaningAndByWords(t *testing.T) {
	all := []memory.StoreArgs{item("hub", "An automobile in Bergen."), item("near", "The motorway."), item("sharing", "Bergen, when it rains.")}
	for i := range 60 {
		all = append(all, item(fmt.Sprint("other", i), fmt.Sprint("The soup of day ", i, ".")))
	}
	s, m := storeItems(t, all...), newMeanings(t)
	setEmbedder(t, s, m.name)
	got, err := s.FindRelated(t.Context(), recall.RelatedArgs{ID: "hub", Limit: 50})
	if err != nil || got.ReturnedCount != 50 || got.TotalCount != 62 || !got.TotalIsExact || !got.Truncated {
		t.Fatalf("%d of %d, %v; want 50 of 62", got.ReturnedCount, got.TotalCount, err)
	}
	if first := []string{got.Results[0].Title, got.Results[1].Title}; !slices.Contains(first, "near") || !slices.Contains(first, "sharing") {
		t.Errorf("first are %q, want near and sharing", first)
	}
	if w := got.Results[0].Why; w.VectorRank+w.KeywordRank == 0 || w.VectorRank > 60 {
		t.Errorf("why of the first: %+v", w)
	}
}

// A memory that has none of another's rare words, and is not near to it in meaning, is not related to it and not counted.
func TestRelated_CountsWhatIsNear(t *testing.T) {
	s := storeItems(t, item("hub", "The ferry leaves the harbour at noon."), item("near", "Boats sail to the island."), item("sharing", "Nobody eats at noon."), item("algebra", "A lemma proves the theorem."))
	setEmbedder(t, s, embed.Builtin)
	got, err := s.FindRelated(t.Context(), recall.RelatedArgs{ID: "hub", Limit: 50})
	if err != nil || got.TotalCount != 2 || got.ReturnedCount != 2 || !got.TotalIsExact {
		t.Errorf("%d of %d, %v; want near and sharing: %+v", got.ReturnedCount, got.TotalCount, err, got.Results)
	}
}

// A result says by which words of the question and of its text it is near in meaning.
func TestWhy_NamesTheNearestWords(t *testing.T) {
	s := storeItems(t, item("ferry", "The ferry leaves the harbour at noon."), item("soup", "The soup was cold, and the bread old."))
	setEmbedder(t, s, embed.Builtin)
	got := search(t, s, recall.SearchArgs{Query: "boats"})
	if len(got.Results) != 1 || len(got.Results[0].Why.Meaning) != 1 || !strings.HasPrefix(got.Results[0].Why.Meaning[0], "boats ~ ") {
		t.Errorf("%+v", got.Results)
	}
}
