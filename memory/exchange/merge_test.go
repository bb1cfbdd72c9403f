package exchange_test

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hence/edges"
	"hence/edges/belief"
	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/internal/ref"
	_ "hence/internal/repeattest"
	"hence/memory"
	"hence/memory/doctor"
	"hence/memory/exchange"
	"hence/memory/journal"
)

// merge merges the state of one store into another: by its export, or where both are.
func merge(t dbtest.TB, into, from *db.DB) exchange.Merged {
	t.Helper()
	s, a := exchange.Store{DB: into, Caller: ref.Caller{Actor: "merger"}}, exchange.ImportArgs{Name: "OTHER"}
	var done exchange.Merged
	var err error
	if chance, ok := t.(*rapid.T); ok && rapid.Bool().Draw(chance, "by store") {
		done, err = s.MergeStore(context.Background(), exchange.Store{DB: from}, a)
	} else {
		done, err = s.Merge(context.Background(), strings.NewReader(export(t, from)), a)
	}
	if err != nil {
		t.Fatal(err)
	}
	return done
}

// syncBoth merges two stores with each other.
func syncBoth(t dbtest.TB, a, b *db.DB) {
	t.Helper()
	merge(t, a, b)
	merge(t, b, a)
	if diff := cmp.Diff(export(t, a), export(t, b)); diff != "" {
		t.Fatal("two stores differ after each was merged with the other (-one +other):\n" + diff)
	}
}

// world is some stores, and what was acknowledged by any of them.
type world struct {
	t      *rapid.T
	stores []*db.DB
	clocks []time.Time
	texts  map[string]map[string]bool // of memories by id: those that nobody replaced who had seen them
	links  map[[3]string]bool
	count  int
	apart  bool // nothing is purged, and no store is merged with another one, but by the test
}

func newWorld(t *rapid.T, stores ...*db.DB) *world {
	w := &world{t: t, stores: stores, texts: map[string]map[string]bool{}, links: map[[3]string]bool{}}
	start := time.Date(2031, 1, 1, 0, 0, 0, 0, time.UTC)
	for n, d := range stores {
		// Clocks go wrong by minutes; some files are copies of others.
		w.clocks = append(w.clocks, start.Add(time.Duration(rapid.IntRange(0, 3).Draw(t, "skew"))*time.Minute))
		if rapid.Bool().Draw(t, "own tag") {
			w.must(d.Write(context.Background(), "", "", db.S(`update store set tag = ?`, fmt.Sprint("tag", n))))
		}
	}
	return w
}

func (w *world) must(_ []int64, err error) {
	if err != nil {
		w.t.Fatal(err)
	}
}

// tick sets the clock of a store; often no time passes.
func (w *world) tick(n int) {
	w.clocks[n] = w.clocks[n].Add(time.Duration(rapid.SampledFrom([]int{0, 1, 20000}).Draw(w.t, "ms")) * time.Millisecond)
	w.must(w.stores[n].Write(context.Background(), "", db.Time(w.clocks[n]), db.S(`select 1`)))
}

// step does something in one store.
func (w *world) step() { w.stepIn(rapid.IntRange(0, len(w.stores)-1).Draw(w.t, "store")) }

func (w *world) stepIn(n int) {
	w.tick(n)
	d := w.stores[n]
	c := ref.Caller{Actor: fmt.Sprint("actor", n), Origin: "agent"}
	s, g, ctx := memory.Store{DB: d, Caller: c}, edges.Graph{DB: d, Caller: c}, context.Background()
	ids := dbtest.Texts(w.t, d, `select id from memories order by key`)
	w.count++
	words := fmt.Sprint("text ", w.count)
	if len(ids) == 0 {
		w.remember(s, memory.StoreArgs{Content: words, Dedup: "off"})
		return
	}
	one := rapid.SampledFrom(ids)
	id := one.Draw(w.t, "id")
	most := 13
	if w.apart {
		most--
	}
	switch rapid.IntRange(0, most).Draw(w.t, "step") {
	case 0, 1:
		w.remember(s, memory.StoreArgs{Content: words, Dedup: "off", Links: []memory.NewLink{{To: id, Type: "depends-on"}}})
	case 2:
		w.remember(s, memory.StoreArgs{Content: words, Dedup: "off", Supersedes: []string{id}})
	case 3, 4:
		old := dbtest.Texts(w.t, d, `select content from memories where id = ?`, id)[0]
		_, err := s.Revise(ctx, memory.UpdateArgs{ID: id, Content: &words})
		allow(w.t, err)
		for _, texts := range w.texts { // it may have been kept under another id
			delete(texts, old)
		}
		w.textsOf(id)[words] = true
	case 5:
		tags := rapid.SampledFrom([][]string{{}, {"a"}, {"b"}, {"a", "b"}}).Draw(w.t, "tags")
		_, err := s.Revise(ctx, memory.UpdateArgs{ID: id, Tags: &tags, Pinned: new(rapid.Bool().Draw(w.t, "pinned"))})
		allow(w.t, err)
	case 6:
		key := rapid.SampledFrom([]string{"k", "<l>"}).Draw(w.t, "key")
		var to any = words
		if rapid.Bool().Draw(w.t, "remove") {
			to = nil
		}
		_, err := s.Revise(ctx, memory.UpdateArgs{ID: id, Properties: db.Properties{key: to}})
		allow(w.t, err)
	case 7:
		_, err := s.Forget(ctx, memory.ForgetArgs{ID: id, Reason: words, Purge: !w.apart && rapid.IntRange(0, 9).Draw(w.t, "purge") == 0})
		allow(w.t, err)
	case 8:
		_, err := s.Restore(ctx, memory.RestoreArgs{ID: id})
		allow(w.t, err)
	case 9:
		_, err := s.Verify(ctx, belief.VerifyArgs{ID: id, Note: words})
		allow(w.t, err)
	case 10, 11:
		kind := rapid.SampledFrom([]edges.Kind{edges.Supersedes, edges.DependsOn, edges.Contradicts, edges.Causes, edges.DerivedFrom}).Draw(w.t, "kind")
		to := one.Draw(w.t, "to")
		_, err := g.Link(ctx, edges.LinkArgs{From: id, To: to, Type: string(kind), Note: words, Weight: new(rapid.SampledFrom([]float64{0.5, 1}).Draw(w.t, "weight"))})
		allow(w.t, err, fault.Cycle, fault.Conflict, fault.InvalidArgument)
		if err == nil {
			w.links[[3]string{id, string(kind), to}] = true
		}
	case 12:
		all := dbtest.Texts(w.t, d, `select f.id || ' ' || t.id || ' ' || e.kind from edges e join memories f on f.key = e.from_key join memories t on t.key = e.to_key order by 1`)
		if len(all) == 0 {
			return
		}
		e := strings.Fields(rapid.SampledFrom(all).Draw(w.t, "edge"))
		_, err := g.Unlink(ctx, edges.UnlinkArgs{From: e[0], To: e[1], Type: e[2]})
		allow(w.t, err)
		delete(w.links, [3]string{e[0], e[2], e[1]})
		delete(w.links, [3]string{e[1], e[2], e[0]})
	case 13:
		if from := w.stores[rapid.IntRange(0, len(w.stores)-1).Draw(w.t, "from")]; from != d {
			merge(w.t, d, from)
		}
	}
}

func (w *world) remember(s memory.Store, a memory.StoreArgs) {
	stored, err := s.Remember(context.Background(), a, nil)
	allow(w.t, err, fault.Conflict)
	if err == nil {
		w.textsOf(stored.Memory.ID)[a.Content] = true
	}
}

func (w *world) textsOf(id string) map[string]bool {
	if w.texts[id] == nil {
		w.texts[id] = map[string]bool{}
	}
	return w.texts[id]
}

// meet merges every store with every other, in any order.
func (w *world) meet() {
	pairs := [][2]int{}
	for a := range w.stores {
		for b := range a {
			pairs = append(pairs, [2]int{a, b})
		}
	}
	for _, pair := range rapid.Permutation(pairs).Draw(w.t, "pairs") {
		syncBoth(w.t, w.stores[pair[0]], w.stores[pair[1]])
	}
}

// nothingIsLost holds a store against what was acknowledged by any.
func (w *world) nothingIsLost(d *db.DB) {
	purged := dbtest.Texts(w.t, d, `select id from purged`)
	for id, texts := range w.texts {
		if slices.Contains(purged, id) {
			continue
		}
		if len(dbtest.Texts(w.t, d, `select id from memories where id = ?`, id)) == 0 {
			w.t.Fatalf("memory %s is gone", id)
		}
		for words := range texts {
			if len(dbtest.Texts(w.t, d, `select id from memories where content = ?`, words)) == 0 && !w.purgedText(d, id, purged) {
				w.t.Fatalf("the text %q of memory %s is gone", words, id)
			}
		}
	}
	for link := range w.links {
		kind := edges.Kind(link[1])
		if kind.Acyclic() || slices.Contains(purged, link[0]) || slices.Contains(purged, link[2]) {
			continue
		}
		found := dbtest.Texts(w.t, d, `
select e.id
from edges e
join memories f on f.key = e.from_key
join memories t on t.key = e.to_key
where e.kind = ?2
  and (f.id = ?1 and t.id = ?3 or f.id = ?3 and t.id = ?1)
union all
select id from unlinked where kind = ?2 and from_id in (?1, ?3) and to_id in (?1, ?3)`, link[0], link[1], link[2])
		if len(found) == 0 {
			w.t.Fatalf("the edge %v is gone", link)
		}
	}
}

// purgedText reports whether a text that gave way may have been purged since.
func (w *world) purgedText(_ *db.DB, _ string, purged []string) bool {
	return slices.ContainsFunc(purged, func(id string) bool { return w.texts[id] == nil })
}

func TestStoresThatHaveMergedAreTheSame(t *testing.T) {
	dbtest.CheckTimes(t, 8)
	empty := dbtest.NewEmpties(t)
	rapid.Check(t, func(t *rapid.T) {
		stores := []*db.DB{}
		for range 3 {
			d, remove := empty.Next(t)
			defer remove()
			stores = append(stores, d)
		}
		w := newWorld(t, stores...)
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			w.step()
		}
		w.meet()
		lines := export(t, stores[0])
		for _, d := range stores {
			if diff := cmp.Diff(lines, export(t, d)); diff != "" {
				t.Fatalf("a store differs from the first after all have merged (-first +other):\n%s", diff)
			}
			w.nothingIsLost(d)
			if dbtest.Replays() {
				continue
			}
			report, err := doctor.Doctor{DB: d}.Examine(context.Background(), false)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range report.Findings {
				if !f.Healthy && f.Check != "unfinished files" && f.Check != "permissions" {
					t.Fatalf("the doctor finds %s: %q", f.Check, f.Problems)
				}
			}
			if done := merge(t, d, stores[1]); done.Changes() {
				t.Fatalf("another merge changes %+v", done)
			}
		}
	})
}

// A copy of a file has its tag, and two clocks may tell the same time.
func TestTwoEditsOfOneTimeInCopiesOfAFileAreBothKept(t *testing.T) {
	ctx, one, copied := t.Context(), dbtest.New(t), dbtest.New(t)
	at := time.Date(2031, 1, 1, 0, 0, 0, 0, time.UTC)
	edit := func(d *db.DB, later time.Duration, id, text string) {
		t.Helper()
		_, err := d.Write(ctx, "me", db.Time(at.Add(later)), db.S(`update memories set content = ?2, content_hash = ?3 where id = ?1`, id, text, db.Hash(text)))
		if err != nil {
			t.Fatal(err)
		}
	}
	dbtest.Fill(t, copied, db.S(`update store set tag = 'tag'`))
	dbtest.Fill(t, one, db.S(`update store set tag = 'tag'`), db.S(`insert into memories (id, title) values ('a', 'A')`))
	merge(t, copied, one)
	edit(one, time.Second, "a", "one text")
	edit(copied, time.Second, "a", "another text")
	edit(copied, 2*time.Second, "a", "a later text")
	syncBoth(t, one, copied)
	if got, want := dbtest.Texts(t, one, `select content from memories order by content`), []string{"a later text", "one text"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestUndoTakesAMergeBackWhole(t *testing.T) {
	dbtest.CheckTimes(t, 5)
	empty := dbtest.NewEmpties(t)
	rapid.Check(t, func(t *rapid.T) {
		stores := []*db.DB{}
		for range 2 {
			d, remove := empty.Next(t)
			defer remove()
			stores = append(stores, d)
		}
		w := newWorld(t, stores...)
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			w.step()
		}
		d, other := stores[0], stores[1]
		before := stateOf(t, d)
		done := merge(t, d, other)
		after := export(t, d)
		if !done.Changes() || done.Purged > 0 {
			return
		}
		undo := journal.Journal{DB: d, Caller: ref.Caller{Actor: "person"}}
		taken, err := undo.Undo(context.Background(), journal.UndoArgs{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(before, stateOf(t, d)); diff != "" {
			t.Fatal("undo of a merge leaves (-before +after):\n" + diff)
		}
		if rapid.Bool().Draw(t, "undo the undo") {
			_, err = undo.Undo(context.Background(), journal.UndoArgs{Seq: taken.By, Whole: true})
			if err != nil {
				t.Fatal(err)
			}
		} else {
			merge(t, d, other)
		}
		if diff := cmp.Diff(settled(after), settled(export(t, d))); diff != "" {
			t.Fatal("what undo took back does not come again (-merged +again):\n" + diff)
		}
		syncBoth(t, d, other)
	})
}

// stateOf is what a store exports, without the memories that an undo has forgotten, and
// what was purged, which stays so.
func stateOf(t dbtest.TB, d *db.DB) []string {
	return slices.DeleteFunc(settled(export(t, d)), func(line string) bool {
		return strings.Contains(line, `"forget_reason":"undone"`) || strings.HasPrefix(line, `{"type":"purged"`)
	})
}

// settled are lines without what every edit changes.
func settled(lines string) []string {
	plain := regexp.MustCompile(`"updated_at":"[^"]*"|"revision":\d+`).ReplaceAllString(lines, "")
	return strings.Split(plain, "\n")
}
