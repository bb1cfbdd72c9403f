package exchange_test

import (
	"context"
	"fmt"
	"maps"
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
	"hence/memory/exchange/lines"
	"hence/memory/exchange/merge"
	"hence/memory/journal"
)

// mergeFrom merges the state of one store into another, through its export or directly.
func mergeFrom(t dbtest.TB, into, from *db.DB) merge.Merged {
	t.Helper()
	s, a := ref.View{DB: into, Caller: ref.Caller{Actor: "merger"}}, lines.ImportArgs{Name: "OTHER"}
	var done merge.Merged
	var err error
	if chance, ok := t.(*rapid.T); ok && rapid.Bool().Draw(chance, "by store") {
		done, err = merge.Stores(context.Background(), s, ref.View{DB: from}, a)
	} else {
		done, err = merge.Lines(context.Background(), s, strings.NewReader(export(t, from)), a)
	}
	if err != nil {
		t.Fatal(err)
	}
	return done
}

// syncBoth merges two stores with each other: one after the other, or as hence sync does.
func syncBoth(t dbtest.TB, a, b *db.DB) {
	t.Helper()
	done := mergeFrom(t, a, b)
	if chance, ok := t.(*rapid.T); ok && rapid.Bool().Draw(chance, "by sync") {
		if _, _, err := merge.Give(context.Background(), ref.View{DB: a}, ref.View{DB: b, Caller: ref.Caller{Actor: "merger"}}, done, lines.ImportArgs{Name: "OTHER"}); err != nil {
			t.Fatal(err)
		}
	} else {
		mergeFrom(t, b, a)
	}
	if diff := cmp.Diff(export(t, a), export(t, b)); diff != "" {
		t.Fatal("two stores differ after each was merged with the other (-one +other):\n" + diff)
	}
}

// world is a set of stores, with a record of all changes that any of them acknowledged.
type world struct {
	t        *rapid.T
	stores   []*db.DB
	clocks   []time.Time
	said     map[string]map[string]bool // by memory id, the texts (see saidBy) that no editor who had seen them replaced
	replaced map[string]map[string]bool // the texts that an editor replaced, or purged with the memory that kept them
	links    map[[3]string]bool
	purged   []string // ids, also of memories that were imported again
	count    int
	apart    bool // steps do not purge, edit titles or merge stores; only the test merges
}

func newWorld(t *rapid.T, stores ...*db.DB) *world {
	w := &world{t: t, stores: stores, said: map[string]map[string]bool{}, replaced: map[string]map[string]bool{}, links: map[[3]string]bool{}}
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

// tick sets the clock of a store, often to the same time as before.
func (w *world) tick(n int) {
	w.clocks[n] = w.clocks[n].Add(time.Duration(rapid.SampledFrom([]int{0, 1, 20000}).Draw(w.t, "ms")) * time.Millisecond)
	w.must(w.stores[n].Write(context.Background(), "", db.Time(w.clocks[n]), db.S(`select 1`)))
}

// step makes one random change in a random store.
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
	for _, id := range ids {
		if strings.HasPrefix(id, "shared-") { // make edits by only one store rare
			ids = append(ids, id, id, id)
		}
	}
	one := rapid.SampledFrom(ids)
	id := one.Draw(w.t, "id")
	most := 15
	if w.apart {
		most -= 2
	}
	switch rapid.IntRange(0, most).Draw(w.t, "step") {
	case 0, 1:
		w.remember(s, memory.StoreArgs{Content: words, Dedup: "off", Links: []memory.NewLink{{To: id, Type: "depends-on"}}})
	case 2:
		w.remember(s, memory.StoreArgs{Content: words, Dedup: "off", Supersedes: []string{id}})
	case 3, 4:
		w.revise(s, id, memory.UpdateArgs{Content: &words})
	case 5:
		tags := rapid.SampledFrom([][]string{{}, {"a"}, {"b"}, {"a", "b"}}).Draw(w.t, "tags")
		w.revise(s, id, memory.UpdateArgs{Tags: &tags, Pinned: new(rapid.Bool().Draw(w.t, "pinned"))})
	case 6:
		key := rapid.SampledFrom([]string{"k", "<l>"}).Draw(w.t, "key")
		w.revise(s, id, memory.UpdateArgs{Properties: db.Properties{key: rapid.SampledFrom([]any{nil, words, w.count}).Draw(w.t, "value")}})
	case 7:
		purge := !w.apart && rapid.IntRange(0, 9).Draw(w.t, "purge") == 0
		gone := w.saidBy(d, id)
		_, err := s.Forget(ctx, memory.ForgetArgs{ID: id, Reason: words, Purge: purge})
		allow(w.t, err)
		if purge {
			w.forgetWords(gone, nil)
			w.purged = append(w.purged, id)
		}
	case 8:
		_, err := s.Restore(ctx, memory.RestoreArgs{ID: id})
		allow(w.t, err)
	case 9:
		_, err := s.Verify(ctx, belief.VerifyArgs{ID: id, Note: words})
		allow(w.t, err)
	case 10, 11:
		kind := rapid.SampledFrom([]edges.Kind{edges.Supersedes, edges.DependsOn, edges.Contradicts, edges.Causes, edges.DerivedFrom}).Draw(w.t, "kind")
		to := one.Draw(w.t, "to")
		linked, err := g.Link(ctx, edges.LinkArgs{From: id, To: to, Type: string(kind), Note: rapid.SampledFrom([]string{words, ""}).Draw(w.t, "note"), Weight: new(rapid.SampledFrom([]float64{0.5, 1}).Draw(w.t, "weight"))})
		allow(w.t, err, fault.Cycle, fault.Conflict, fault.InvalidArgument)
		if err == nil {
			w.links[[3]string{id, string(linked.Edge.Type), to}] = true // stored as a proposal if to is more trusted
		}
	case 12:
		all := dbtest.Texts(w.t, d, `select f.id || ' ' || t.id || ' ' || e.kind from edges e join memories f on f.key = e.from_key join memories t on t.key = e.to_key order by 1`)
		if len(all) == 0 {
			return
		}
		e := strings.Fields(rapid.SampledFrom(all).Draw(w.t, "edge"))
		_, err := g.Unlink(ctx, edges.UnlinkArgs{From: e[0], To: e[1], Type: e[2]})
		if e[2] == string(edges.DerivedFrom) && fault.CodeOf(err) == fault.ReadOnly {
			return // from what was imported: only a person may remove it
		}
		allow(w.t, err)
		delete(w.links, [3]string{e[0], e[2], e[1]})
		delete(w.links, [3]string{e[1], e[2], e[0]})
	case 13:
		w.importOne(n)
	case 14:
		w.revise(s, id, memory.UpdateArgs{Title: &words})
	case 15:
		if from := w.stores[rapid.IntRange(0, len(w.stores)-1).Draw(w.t, "from")]; from != d {
			mergeFrom(w.t, d, from)
		}
	}
}

func (w *world) remember(s memory.Store, a memory.StoreArgs) {
	stored, err := s.Remember(context.Background(), a, nil)
	allow(w.t, err, fault.Conflict)
	if err != nil {
		return
	}
	w.acknowledge(s.DB, stored.Memory.ID)
	for _, l := range a.Links {
		w.links[[3]string{stored.Memory.ID, l.Type, l.To}] = true
	}
	for _, old := range a.Supersedes {
		w.links[[3]string{stored.Memory.ID, "supersedes", old}] = true
	}
}

func (w *world) revise(s memory.Store, id string, a memory.UpdateArgs) {
	before := w.saidBy(s.DB, id)
	a.ID = id
	_, err := s.Revise(context.Background(), a)
	allow(w.t, err)
	w.forgetWords(before, w.saidBy(s.DB, id))
	w.acknowledge(s.DB, id)
}

// importOne imports a memory that other stores may import too, with the same text or
// another one.
func (w *world) importOne(n int) {
	d := w.stores[n]
	id := fmt.Sprint("shared-", rapid.IntRange(0, 1).Draw(w.t, "shared"))
	word := func(name string) string {
		return rapid.SampledFrom([]string{"same", fmt.Sprint("text ", w.count)}).Draw(w.t, name)
	}
	line := fmt.Sprintf(`{"type":"memory","id":%q,"title":"title %s","content":%q,"properties":{"k":%q},"tags":[%q],"created_at":%q}`,
		id, word("title"), word("content"), word("value"), word("tag"), db.Time(w.clocks[rapid.SampledFrom([]int{0, n}).Draw(w.t, "clock")]))
	done, err := lines.Import(context.Background(), ref.View{DB: d, Caller: ref.Caller{Actor: fmt.Sprint("actor", n)}}, strings.NewReader(line), lines.ImportArgs{Name: "lines"})
	if err != nil {
		w.t.Fatal(err)
	}
	if done.Memories.Added > 0 {
		w.acknowledge(d, id)
	}
}

// saidBy returns the title, the text and the properties of a memory.
func (w *world) saidBy(d *db.DB, id string) []string {
	return dbtest.Texts(w.t, d, `
select 'title ' || replace(title, ' (other edit)', '') from memories where id = ?1
union all
select 'text ' || content from memories where id = ?1
union all
select p.key || ' ' || p.value from memories m, json_each(m.properties) p where m.id = ?1`, id)
}

// acknowledge records the present texts of a memory.
func (w *world) acknowledge(d *db.DB, id string) {
	if w.said[id] == nil {
		w.said[id], w.replaced[id] = map[string]bool{}, map[string]bool{}
	}
	for _, words := range w.saidBy(d, id) {
		if !w.replaced[id][words] {
			w.said[id][words] = true
		}
	}
}

// forgetWords removes the texts in before that are not in now from the record: they may have
// been kept under another id.
func (w *world) forgetWords(before, now []string) {
	for id := range w.said {
		for _, words := range before {
			if !slices.Contains(now, words) {
				delete(w.said[id], words)
				w.replaced[id][words] = true
			}
		}
	}
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

// nothingIsLost checks that a store has everything that any store acknowledged.
func (w *world) nothingIsLost(d *db.DB) {
	purged := append(dbtest.Texts(w.t, d, `select id from purged`), w.purged...)
	there := map[string]bool{}
	for _, id := range dbtest.Texts(w.t, d, `select id from memories`) {
		there[id] = true
		for _, words := range w.saidBy(d, id) {
			there[words] = true
		}
	}
	for id, said := range w.said {
		if slices.Contains(purged, id) {
			continue
		}
		if !there[id] {
			w.t.Fatalf("memory %s is gone", id)
		}
		for words := range said {
			if !there[words] {
				w.t.Fatalf("%q of memory %s is gone", words, id)
			}
		}
	}
	for link := range w.links {
		if slices.Contains(purged, link[0]) || slices.Contains(purged, link[2]) || w.isTold(d, link[0], link[1], link[2]) {
			continue
		}
		// One of two successors contradicts the other, which may be purged.
		told := link[1] == string(edges.Supersedes) && slices.ContainsFunc(slices.Collect(maps.Keys(w.links)), func(other [3]string) bool {
			return other[0] != link[0] && other[1] == link[1] && other[2] == link[2] &&
				(slices.Contains(purged, other[0]) || w.isTold(d, link[0], string(edges.Contradicts), other[0]))
		})
		if !told {
			w.t.Fatalf("the edge %v is gone", link)
		}
	}
}

// isTold reports whether a store has an edge, or a record of why it has not.
func (w *world) isTold(d *db.DB, from, kind, to string) bool {
	return len(dbtest.Texts(w.t, d, `
select e.id
from edges e
join memories f on f.key = e.from_key
join memories t on t.key = e.to_key
where e.kind = ?2
  and (f.id = ?1 and t.id = ?3 or f.id = ?3 and t.id = ?1)
union all
select id from unlinked where kind = ?2 and from_id in (?1, ?3) and to_id in (?1, ?3)
union all
select id from unsettled where line ->> '$.edge_type' = ?2 and from_id in (?1, ?3) and to_id in (?1, ?3)`, from, kind, to)) > 0
}

func TestStoresThatHaveMergedAreTheSame(t *testing.T) {
	dbtest.SkipUnderRace(t)
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
		for n := range rapid.IntRange(0, len(stores)).Draw(t, "that import") {
			w.importOne(n)
		}
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
			if done := mergeFrom(t, d, stores[1]); done.Changes() {
				t.Fatalf("another merge changes %+v", done)
			}
		}
	})
}

// A copy of a file has the same tag, and two clocks may show the same time.
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
	mergeFrom(t, copied, one)
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
		done := mergeFrom(t, d, other)
		after := export(t, d)
		if !done.Changes() || done.Purged > 0 {
			return
		}
		undo := journal.Journal{DB: d, Caller: ref.Caller{Actor: "person"}}
		undone, err := undo.Undo(context.Background(), journal.UndoArgs{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(before, stateOf(t, d)); diff != "" {
			t.Fatal("undo of a merge leaves (-before +after):\n" + diff)
		}
		if rapid.Bool().Draw(t, "undo the undo") {
			_, err = undo.Undo(context.Background(), journal.UndoArgs{Seq: undone.By, Whole: true})
			if err != nil {
				t.Fatal(err)
			}
		} else {
			mergeFrom(t, d, other)
		}
		if diff := cmp.Diff(settled(after), settled(export(t, d))); diff != "" {
			t.Fatal("what undo took back does not come again (-merged +again):\n" + diff)
		}
		syncBoth(t, d, other)
	})
}

// stateOf returns the lines that a store exports, without memories that an undo has
// forgotten, and without purges, which are final.
func stateOf(t dbtest.TB, d *db.DB) []string {
	return slices.DeleteFunc(settled(export(t, d)), func(line string) bool {
		return strings.Contains(line, `"forget_reason":"undone"`) || strings.HasPrefix(line, `{"type":"purged"`)
	})
}

// settled returns lines without the fields that every edit changes.
func settled(lines string) []string {
	plain := regexp.MustCompile(`"updated_at":"[^"]*"|"revision":\d+`).ReplaceAllString(lines, "")
	return strings.Split(plain, "\n")
}

// The merge also reports a losing text on the machine that wrote it, once.
func TestATextThatGaveWayIsToldOnBothSides(t *testing.T) {
	one, other := newPerson(t), newPerson(t)
	one.store("Plan")
	mergeFrom(t, other.DB, one.DB)
	other.edit("Plan", "there")
	one.edit("Plan", "here")
	for _, c := range []struct {
		into, from person
		want       int
	}{{one, other, 1}, {other, one, 1}, {one, other, 0}, {other, one, 0}} {
		done := mergeFrom(t, c.into.DB, c.from.DB)
		if len(done.Settle) != c.want {
			t.Errorf("%+v, want %d to settle", done.Settle, c.want)
		}
		for _, s := range done.Settle {
			if s.Kind != "text" || s.Title != "Plan" || s.OtherTitle != "Plan (other edit)" {
				t.Errorf("%+v", s)
			}
		}
	}
}
