package journal_test

import (
	"context"
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
	"hence/memory"
	"hence/memory/exchange/lines"
	"hence/memory/journal"
)

// world is a store with the ways to change it.
type world struct {
	memory.Store
	edges.Graph
	journal.Journal
}

func over(d *db.DB) world {
	c := ref.Caller{Actor: "tester", Origin: "person"}
	return world{memory.Store{DB: d, Caller: c}, edges.Graph{DB: d, Caller: c}, journal.Journal{DB: d, Caller: c}}
}

func newWorld(t *testing.T) (world, *db.DB) {
	d := dbtest.New(t)
	return over(d), d
}

func remember(t dbtest.TB, w world, title string, change ...func(*memory.StoreArgs)) memory.Memory {
	t.Helper()
	a := memory.StoreArgs{Content: "text of " + title, Title: &title}
	for _, f := range change {
		f(&a)
	}
	got, err := w.Remember(context.Background(), a, nil)
	if err != nil {
		t.Fatal(err)
	}
	return got.Memory
}

// state is all that undo brings back: everything but revisions, times of
// change and what was stored meanwhile and is forgotten now.
func state(t dbtest.TB, d *db.DB) []string {
	return append(dbtest.Texts(t, d, `
select json_array(id, namespace, kind, title, content, content_hash, aliases, tags, json(properties), status, importance, pinned,
  confidence, uri, valid_from, valid_to, forget_reason, forgotten_at, verified_at, verify_note, confirmed,
  (select json_group_array(json_array(because, reason, evidence, v.at) order by because, reason, evidence) from verifications v where v.memory = m.key),
  (select json_group_array(json_array(t.heading, t.body)) from section_text t where t.memory = m.key))
from memories m
where forget_reason is not 'undone'
order by id`), dbtest.Texts(t, d, `
select json_array(id, from_key, to_key, kind, rel, weight, origin, actor, note, declared, basis, valid_from, valid_to, created_at)
from edges
order by id`)...)
}

// step makes one change at random.
func step(t *rapid.T, w world, ids []string) {
	ctx := context.Background()
	one := rapid.SampledFrom(ids)
	id := one.Draw(t, "id")
	var err error
	switch rapid.IntRange(0, 8).Draw(t, "step") {
	case 7, 8:
		time.Sleep(time.Millisecond) // a verification is known by its time
		_, err = w.Store.Verify(ctx, belief.VerifyArgs{ID: id, Note: rapid.SampledFrom([]string{"", "looked at"}).Draw(t, "found")})
	case 0:
		_, err = w.Forget(ctx, memory.ForgetArgs{ID: id, Reason: "gone"})
	case 1:
		_, err = w.Restore(ctx, memory.RestoreArgs{ID: id})
	case 2:
		a := memory.UpdateArgs{ID: id, Content: new(rapid.StringMatching(`[a-zé"]{1,5}`).Draw(t, "content")), Pinned: new(rapid.Bool().Draw(t, "pinned"))}
		if rapid.Bool().Draw(t, "more") {
			a.Tags, a.Properties, a.Kind = &[]string{"b", "ä"}, map[string]any{"n": 1.5, "l": []any{nil, true}}, new("decision")
		}
		_, err = w.Revise(ctx, a)
	case 3:
		_, err = w.Unlink(ctx, edges.UnlinkArgs{From: id, To: one.Draw(t, "to"), Type: string(rapid.SampledFrom(edges.Kinds()).Draw(t, "kind"))})
	case 4:
		_, err = w.Remember(ctx, memory.StoreArgs{Content: "new", Dedup: "off", Supersedes: []string{id}, Links: []memory.NewLink{{From: one.Draw(t, "from"), Type: "causes"}}}, nil)
	default:
		_, err = w.Link(ctx, edges.LinkArgs{
			From: id, To: one.Draw(t, "to"), Type: string(rapid.SampledFrom(edges.Kinds()[:6]).Draw(t, "kind")),
			Weight: new(rapid.Float64Range(0.1, 1).Draw(t, "weight")), Note: rapid.SampledFrom([]string{"", "why"}).Draw(t, "note"),
		})
	}
	switch fault.CodeOf(err) {
	case "", fault.Cycle, fault.Conflict, fault.InvalidArgument:
	default:
		t.Fatal(err)
	}
}

func TestUndoBringsBackEveryStateAndRedoToo(t *testing.T) {
	dbtest.CheckTimes(t, 25)
	empty := dbtest.NewEmpties(t)
	rapid.Check(t, func(t *rapid.T) {
		ctx := context.Background()
		d, remove := empty.Next(t)
		defer remove()
		w := over(d)
		ids := []string{}
		for _, title := range []string{"a", "b", "c", "d"} {
			ids = append(ids, remember(t, w, title).ID)
		}
		start := dbtest.Texts(t, d, `select max(seq) from journal`)[0]
		states := [][]string{state(t, d)}
		for range rapid.IntRange(1, 6).Draw(t, "steps") {
			before := dbtest.Texts(t, d, `select max(seq) from journal`)[0]
			step(t, w, ids)
			if dbtest.Texts(t, d, `select max(seq) from journal`)[0] != before {
				states = append(states, state(t, d))
			}
		}
		undos := []int64{}
		for n := len(states) - 2; n >= 0; n-- {
			done, err := w.Undo(ctx, journal.UndoArgs{})
			if err != nil {
				t.Fatal(err)
			}
			undos = append(undos, done.By)
			if diff := cmp.Diff(states[n], state(t, d)); diff != "" {
				t.Fatalf("after undoing back to state %d (-was +is):\n%s", n, diff)
			}
		}
		if next, err := w.Undo(ctx, journal.UndoArgs{}); err == nil && next.Undone[0].ID != ids[3] {
			t.Fatalf("a change more was undone, of those after %s: %+v", start, next)
		} else if err == nil {
			undos = append(undos, next.By)
			states = append([][]string{nil}, states...)
		}
		for n := len(undos) - 1; n >= 0; n-- { // redo
			if _, err := w.Undo(ctx, journal.UndoArgs{Seq: undos[n]}); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(states[len(states)-1-n], state(t, d)); diff != "" {
				t.Fatalf("after redoing up to state %d (-was +is):\n%s", len(states)-1-n, diff)
			}
		}
		if _, err := d.Write(ctx, "", "", db.S(`insert into section_search (section_search, rank) values ('integrity-check', 1)`)); err != nil {
			t.Fatalf("the index is not of the text: %v", err)
		}
	})
}

func TestUndoOfARestoreBringsBackWhatWasVerified(t *testing.T) {
	w, d := newWorld(t)
	a := remember(t, w, "A")
	b := remember(t, w, "B", func(x *memory.StoreArgs) { x.Links = []memory.NewLink{{To: a.ID, Type: "depends-on"}} })
	c := remember(t, w, "C", func(x *memory.StoreArgs) { x.Links = []memory.NewLink{{To: b.ID, Type: "depends-on"}} })
	stale := func() []string { return dbtest.Texts(t, d, `select title || ' ' || reason from stale order by 1`) }
	if _, err := w.Forget(t.Context(), memory.ForgetArgs{ID: a.ID}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Store.Verify(t.Context(), belief.VerifyArgs{ID: b.ID, Note: "holds without it"}); err != nil {
		t.Fatal(err)
	}
	before, held := stale(), dbtest.Texts(t, d, `select json_array(memory, because, reason, evidence, at) from verifications order by 1`)
	if len(held) == 0 {
		t.Fatalf("nothing was verified, and stale is %q", before)
	}
	if _, err := w.Restore(t.Context(), memory.RestoreArgs{ID: a.ID}); err != nil {
		t.Fatal(err)
	}
	log, err := w.Log(t.Context(), journal.LogArgs{Limit: 1})
	if err != nil || log.Changes[0].Action != "restore" || strings.Contains(log.Changes[0].What, "verif") {
		t.Errorf("Log = %+v, %v", log, err)
	}
	undone, err := w.Undo(t.Context(), journal.UndoArgs{})
	if err != nil {
		t.Fatal(err)
	}
	same := func(when string) {
		t.Helper()
		if diff := cmp.Diff(before, stale()) + cmp.Diff(held, dbtest.Texts(t, d, `select json_array(memory, because, reason, evidence, at) from verifications order by 1`)); diff != "" {
			t.Errorf("%s, what is stale and verified (-before +after):\n%s", when, diff)
		}
	}
	same("after the undo")
	redone, err := w.Undo(t.Context(), journal.UndoArgs{Seq: undone.By})
	if err != nil {
		t.Fatal(err)
	}
	if left := append(stale(), dbtest.Texts(t, d, `select evidence from verifications`)...); len(left) > 0 {
		t.Errorf("after the undo of the undo %q are left", left)
	}
	if _, err := w.Undo(t.Context(), journal.UndoArgs{Seq: redone.By}); err != nil {
		t.Fatal(err)
	}
	same("after the undo of that")
	// A purge takes what was verified of what it rested on, and undo goes on.
	if _, err := w.Restore(t.Context(), memory.RestoreArgs{ID: a.ID}); err != nil {
		t.Fatal(err)
	}
	restored := seqOf(t, d, "restore")
	for _, id := range []string{c.ID, b.ID} {
		if _, err := w.Forget(t.Context(), memory.ForgetArgs{ID: id, Purge: true}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Undo(t.Context(), journal.UndoArgs{Seq: restored}); err != nil {
		t.Errorf("Undo of the restoring, after a purge: %v", err)
	}
}

func seqOf(t *testing.T, d *db.DB, action string) int64 {
	return int64(dbtest.Count(t, d, `select max(seq) from journal where action = ?`, action))
}

func TestUndoOfOneChangeLeavesLaterOnes(t *testing.T) {
	w, d := newWorld(t)
	a := remember(t, w, "a")
	if _, err := w.Revise(t.Context(), memory.UpdateArgs{ID: a.ID, Title: new("A")}); err != nil {
		t.Fatal(err)
	}
	remember(t, w, "b")
	if _, err := w.Undo(t.Context(), journal.UndoArgs{Seq: seqOf(t, d, "update")}); err != nil {
		t.Fatal(err)
	}
	if got := dbtest.Texts(t, d, `select title || status from memories order by title`); cmp.Diff([]string{"acurrent", "bcurrent"}, got) != "" {
		t.Errorf("the memories are %q", got)
	}
}

func TestUndoRefuses(t *testing.T) {
	for _, c := range []struct {
		name   string
		make   func(t *testing.T, w world, d *db.DB)
		action string
		code   fault.Code
		want   string
	}{
		{"WhatWasChangedSince", func(t *testing.T, w world, _ *db.DB) {
			m := remember(t, w, "a")
			for _, text := range []string{"b", "c"} {
				if _, err := w.Revise(t.Context(), memory.UpdateArgs{ID: m.ID, Content: &text}); err != nil {
					t.Fatal(err)
				}
			}
		}, "store", fault.Conflict, "changed again since"},
		{"AMemoryWithLaterEdges", func(t *testing.T, w world, _ *db.DB) {
			a, b := remember(t, w, "a"), remember(t, w, "b")
			if _, err := w.Link(t.Context(), edges.LinkArgs{From: a.ID, To: b.ID, Type: "causes"}); err != nil {
				t.Fatal(err)
			}
		}, "store", fault.Conflict, "edges"},
		{"APurge", func(t *testing.T, w world, _ *db.DB) {
			m := remember(t, w, "a")
			if _, err := w.Forget(t.Context(), memory.ForgetArgs{ID: m.ID, Purge: true}); err != nil {
				t.Fatal(err)
			}
		}, "purge", fault.InvalidArgument, "backup"},
		{"AStatusThatFollows", func(t *testing.T, w world, _ *db.DB) {
			a := remember(t, w, "a")
			remember(t, w, "b", func(x *memory.StoreArgs) { x.Supersedes = []string{a.ID} })
		}, "supersede", fault.InvalidArgument, "followed"},
		{"ANotesText", func(t *testing.T, w world, d *db.DB) {
			dbtest.SkipOnCluster(t, "it edits a text by hand, which the store of a cluster refuses")
			remember(t, w, "a")
			dbtest.Script(t, d.Path(), `
insert into mirrors (key, name, root, extraction, imported_at) values (1, 'v', '/v', 1, '');
insert into files (memory, mirror, path, size, modified, file_hash) select key, 1, 'a.md', 1, 1, '' from memories;
update memories set uri = 'obsidian-fs://v/a.md', content = 'x'`)
		}, "update", fault.InvalidArgument, "edit the file"},
		{"AnEdgeOfANote", func(t *testing.T, w world, d *db.DB) {
			a, b := remember(t, w, "a"), remember(t, w, "b")
			if _, err := w.Link(t.Context(), edges.LinkArgs{From: a.ID, To: b.ID, Type: "causes"}); err != nil {
				t.Fatal(err)
			}
			dbtest.Script(t, d.Path(), `insert into sites (note, edge, kind, origin, target, target_key, line, start_byte, end_byte) select from_key, key, kind, 'wikilink', 'b', 'b', 7, 0, 1 from edges`)
		}, "link", fault.InvalidArgument, "the edge a —causes→ b is declared by a on line 7"},
		{"WhatIsNotThere", func(*testing.T, world, *db.DB) {}, "", fault.NotFound, "nothing left"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, d := newWorld(t)
			c.make(t, w, d)
			before := dbtest.Count(t, d, `select count(*) from journal`)
			seq := int64(0)
			if c.action != "" {
				seq = seqOf(t, d, c.action)
				if c.name == "WhatWasChangedSince" {
					seq = int64(dbtest.Count(t, d, `select min(seq) from journal where action = 'update'`))
				}
			}
			_, err := w.Undo(t.Context(), journal.UndoArgs{Seq: seq})
			if fault.CodeOf(err) != c.code || !strings.Contains(err.Error(), c.want) {
				t.Errorf("Undo: %v, want %s with %q", err, c.code, c.want)
			}
			if n := dbtest.Count(t, d, `select count(*) from journal`); n != before {
				t.Errorf("%d changes were made", n-before)
			}
		})
	}
}

func TestUndoTwiceGoesFurtherBack(t *testing.T) {
	w, d := newWorld(t)
	a := remember(t, w, "a")
	b := remember(t, w, "b", func(x *memory.StoreArgs) { x.Supersedes = []string{a.ID} })
	first, err := w.Undo(t.Context(), journal.UndoArgs{})
	if err != nil || len(first.Undone) != 3 {
		t.Fatalf("Undo = %+v, %v; want the storing, the edge and what followed", first, err)
	}
	if got := dbtest.Texts(t, d, `select title || status from memories order by title`); cmp.Diff([]string{"acurrent", "bforgotten"}, got) != "" {
		t.Errorf("the memories are %q", got)
	}
	if _, err := w.Undo(t.Context(), journal.UndoArgs{}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Undo(t.Context(), journal.UndoArgs{}); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("a third Undo: %v, want nothing left", err)
	}
	if _, err := w.Undo(t.Context(), journal.UndoArgs{Seq: first.Undone[0].Seq}); fault.CodeOf(err) != fault.Conflict {
		t.Errorf("Undo of what was undone: %v, want conflict", err)
	}
	log, err := w.Log(t.Context(), journal.LogArgs{ID: b.ID})
	if err != nil || log.Changes[len(log.Changes)-1].UndoneBy != first.By {
		t.Errorf("Log = %+v, %v; want the storing marked", log, err)
	}
}

// The undo of one change also marks what the schema made of it, or the next undo would find that left over and bring
// back what was undone.
func TestUndoOfOneChangeTakesWhatFollowedFromIt(t *testing.T) {
	supersede := func(x *memory.StoreArgs) { x.Supersedes = []string{"a"} }
	link := func(t *testing.T, w world) {
		remember(t, w, "b")
		if _, err := w.Link(t.Context(), edges.LinkArgs{From: "b", To: "a", Type: "supersedes"}); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name, action string
		change       func(t *testing.T, w world)
		want         []string // after the undo
		standing     int      // changes of a status that are neither undone nor an undo's
	}{
		{"LinkSupersedes", "link", link, []string{"a current", "b current", "last current"}, 0},
		{"StoreThatSupersedes", "store", func(t *testing.T, w world) { remember(t, w, "b", supersede) }, []string{"a current", "b forgotten", "last current"}, 0},
		{"LinkOfAStoreThatSupersedes", "link", func(t *testing.T, w world) { remember(t, w, "b", supersede) }, []string{"a current", "b current", "last current"}, 0},
		{"Unlink", "unlink", func(t *testing.T, w world) {
			link(t, w)
			if _, err := w.Unlink(t.Context(), edges.UnlinkArgs{From: "b", To: "a", Type: "supersedes"}); err != nil {
				t.Fatal(err)
			}
		}, []string{"a superseded", "b current", "last current"}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, d := newWorld(t)
			remember(t, w, "a")
			remember(t, w, "last")
			c.change(t, w)
			if _, err := w.Undo(t.Context(), journal.UndoArgs{Seq: seqOf(t, d, c.action)}); err != nil {
				t.Fatal(err)
			}
			states := func() []string {
				return dbtest.Texts(t, d, `select title || ' ' || status from memories order by title`)
			}
			if diff := cmp.Diff(c.want, states()); diff != "" {
				t.Errorf("after the undo (-want +got):\n%s", diff)
			}
			standing := dbtest.Count(t, d, `
select count(*)
from journal j
where j.action in ('supersede', 'reinstate')
  and j.undone_by is null
  and not exists (select 1 from journal u join journal f on f.seq = u.undone_by where f.batch = j.batch)`)
			if standing != c.standing {
				t.Errorf("%d changes of a status stand, want %d", standing, c.standing)
			}
			for range 10 { // whatever is undone further, nothing comes back
				if _, err := w.Undo(t.Context(), journal.UndoArgs{}); err != nil {
					break
				}
			}
			if diff := cmp.Diff([]string{"a forgotten", "b forgotten", "last forgotten"}, states()); diff != "" {
				t.Errorf("after all undos (-want +got):\n%s", diff)
			}
		})
	}
}

func TestUndoOfStoringLeavesEdgesThatWentSince(t *testing.T) {
	w, d := newWorld(t)
	remember(t, w, "a")
	remember(t, w, "b", func(x *memory.StoreArgs) { x.Links = []memory.NewLink{{To: "a", Type: "causes"}} })
	stored := seqOf(t, d, "store")
	if _, err := w.Unlink(t.Context(), edges.UnlinkArgs{From: "b", To: "a", Type: "causes"}); err != nil {
		t.Fatal(err)
	}
	got, err := w.Undo(t.Context(), journal.UndoArgs{Seq: stored})
	if err != nil || len(got.Undone) != 1 || got.Undone[0].Seq != stored {
		t.Errorf("Undo = %+v, %v; want the storing alone", got, err)
	}
}

func TestUndoOfWhatHasNoWayBackSaysWhereTheChangesBeforeAre(t *testing.T) {
	purge := func(t *testing.T, w world, id string) {
		if _, err := w.Forget(t.Context(), memory.ForgetArgs{ID: id, Purge: true}); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name string
		make func(t *testing.T, w world)
		seq  int64 // of the change before it
		left []string
	}{
		{"AfterAPurge", func(t *testing.T, w world) {
			remember(t, w, "a")
			remember(t, w, "b")
			purge(t, w, remember(t, w, "c").Title)
		}, 2, []string{"a current", "b forgotten"}},
		{"AfterAPurgeNotThePurged", func(t *testing.T, w world) {
			remember(t, w, "a")
			remember(t, w, "b")
			purge(t, w, "b")
		}, 1, []string{"a forgotten"}},
		{"NotWhatFollowed", func(t *testing.T, w world) {
			remember(t, w, "a")
			remember(t, w, "b", func(x *memory.StoreArgs) { x.Supersedes = []string{"a"} })
			remember(t, w, "c")
			purge(t, w, "c")
		}, 3, []string{"a current", "b current"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, d := newWorld(t)
			c.make(t, w)
			_, err := w.Undo(t.Context(), journal.UndoArgs{})
			if fault.CodeOf(err) != fault.InvalidArgument || !strings.HasSuffix(err.Error(), "; hence log lists what was before it") {
				t.Fatalf("Undo: %v", err)
			}
			if _, err := w.Undo(t.Context(), journal.UndoArgs{Seq: c.seq}); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.left, dbtest.Texts(t, d, `select title || ' ' || status from memories order by title`)); diff != "" {
				t.Errorf("the memories (-want +got):\n%s", diff)
			}
		})
	}
}

// An import may bring memories of several namespaces at once; what a caller of
// one of them takes back is of that one alone.
func TestUndoStaysInTheNamespaceOfTheCaller(t *testing.T) {
	importBoth := func(t *testing.T, d *db.DB) {
		text := `{"type":"memory","id":"ours","title":"Ours","namespace":"one"}
{"type":"memory","id":"theirs","title":"Theirs","namespace":"two"}`
		if _, err := lines.Import(t.Context(), ref.View{DB: d}, strings.NewReader(text), lines.ImportArgs{}); err != nil {
			t.Fatal(err)
		}
	}
	undoAll := func(t *testing.T, w world) {
		if _, err := w.Undo(t.Context(), journal.UndoArgs{}); err != nil {
			t.Fatal(err)
		}
	}
	purge := func(t *testing.T, w world, id string) {
		if _, err := w.Forget(t.Context(), memory.ForgetArgs{ID: id, Purge: true}); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name, namespace string
		make            func(t *testing.T, w world, d *db.DB)
		seq             int64
		code            fault.Code
		says            string
		want            []string
	}{
		{"NotTheWholeImport", "one", func(*testing.T, world, *db.DB) {}, 0, fault.InvalidArgument,
			"without --namespace, or undo single changes", []string{"Ours current", "Theirs current"}},
		{"OneOfItByItsNumber", "one", func(*testing.T, world, *db.DB) {}, 1, "", "", []string{"Ours forgotten", "Theirs current"}},
		{"AllOfItWithoutANamespace", "", func(*testing.T, world, *db.DB) {}, 0, "", "", []string{"Ours forgotten", "Theirs forgotten"}},
		{"NotTheUndoOfAnotherToo", "one", func(t *testing.T, w world, _ *db.DB) { undoAll(t, w) }, 4, fault.InvalidArgument,
			"other namespaces than \"one\"; undo it without --namespace", []string{"Ours forgotten", "Theirs forgotten"}},
		{"WhatIsItsOwnAfterwards", "one", func(t *testing.T, w world, _ *db.DB) {
			w.Store.Caller.Namespace = "one"
			remember(t, w, "Later")
		}, 0, "", "", []string{"Later forgotten", "Ours current", "Theirs current"}},
		{"NotWhatWasPurgedInPart", "one", func(t *testing.T, w world, _ *db.DB) { purge(t, w, "theirs") }, 0, fault.Conflict,
			"changed again since (purge", []string{"Ours current"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, d := newWorld(t)
			importBoth(t, d)
			c.make(t, w, d)
			w.Journal.Caller.Namespace = c.namespace
			_, err := w.Undo(t.Context(), journal.UndoArgs{Seq: c.seq})
			if fault.CodeOf(err) != c.code || err != nil && !strings.Contains(err.Error(), c.says) {
				t.Errorf("Undo: %v, want code %q with %q", err, c.code, c.says)
			}
			if diff := cmp.Diff(c.want, dbtest.Texts(t, d, `select title || ' ' || status from memories order by title`)); diff != "" {
				t.Errorf("the memories (-want +got):\n%s", diff)
			}
		})
	}
}

// Undo of a verification brings back each doubt that it cleared, its note and who confirmed the
// text; undo of that verifies again.
func TestUndoOfAVerification(t *testing.T) {
	for name, doubt := range map[string]func(t *testing.T, w world, ground memory.Memory){
		"Nothing": func(*testing.T, world, memory.Memory) {},
		"Changed": func(t *testing.T, w world, ground memory.Memory) {
			if _, err := w.Revise(t.Context(), memory.UpdateArgs{ID: ground.ID, Content: new("other")}); err != nil {
				t.Fatal(err)
			}
		},
		"Forgotten": func(t *testing.T, w world, ground memory.Memory) {
			if _, err := w.Forget(t.Context(), memory.ForgetArgs{ID: ground.ID}); err != nil {
				t.Fatal(err)
			}
		},
		"Superseded": func(t *testing.T, w world, ground memory.Memory) {
			remember(t, w, "newer", func(a *memory.StoreArgs) { a.Supersedes = []string{ground.ID} })
		},
		"Contradicted": func(t *testing.T, w world, ground memory.Memory) {
			remember(t, w, "not so", func(a *memory.StoreArgs) { a.Links = []memory.NewLink{{To: ground.ID, Type: "contradicts"}} })
		},
		"VerifiedBefore": func(t *testing.T, w world, ground memory.Memory) {
			for _, text := range []string{"other", "yet another"} {
				if _, err := w.Revise(t.Context(), memory.UpdateArgs{ID: ground.ID, Content: &text}); err != nil {
					t.Fatal(err)
				}
				if _, err := w.Store.Verify(t.Context(), belief.VerifyArgs{ID: "rests", Note: "the first time"}); err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Millisecond)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			w, d := newWorld(t)
			ground := remember(t, w, "ground")
			remember(t, w, "rests", func(a *memory.StoreArgs) { a.Links = []memory.NewLink{{To: ground.ID, Type: "depends-on"}} })
			doubt(t, w, ground)
			now := func() []string {
				return append(state(t, d), dbtest.Texts(t, d, `select title || ' ' || because_title || ' ' || reason from stale order by 1`)...)
			}
			before := now()
			if _, err := w.Store.Verify(t.Context(), belief.VerifyArgs{ID: "rests", Note: "looked at"}); err != nil {
				t.Fatal(err)
			}
			verified := now()
			if left := dbtest.Count(t, d, `select count(*) from stale where title = 'rests'`); left > 0 {
				t.Fatalf("%d doubts are left", left)
			}
			undone, err := w.Undo(t.Context(), journal.UndoArgs{})
			if diff := cmp.Diff(before, now()); err != nil || diff != "" {
				t.Fatalf("the undo: %v (-before +now):\n%s", err, diff)
			}
			_, err = w.Undo(t.Context(), journal.UndoArgs{Seq: undone.By, Whole: true})
			if diff := cmp.Diff(verified, now()); err != nil || diff != "" {
				t.Errorf("the undo of the undo: %v (-verified +now):\n%s", err, diff)
			}
		})
	}
}

// Advice to undo names no change of another writer.
func TestUndoAdvisesNothingOfOthers(t *testing.T) {
	w, d := newWorld(t)
	other := over(d)
	other.Store.Caller.Actor, other.Graph.Caller.Actor = "another", "another"
	theirs := remember(t, other, "theirs")
	refused := func(seq int64, want string) {
		t.Helper()
		_, err := w.Undo(t.Context(), journal.UndoArgs{Seq: seq})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hence undo") != strings.Contains(want, "hence undo") ||
			strings.Contains(err.Error(), "undo that") != strings.Contains(want, "undo that") {
			t.Errorf("undo %d: %v, want %q and no other advice", seq, err, want)
		}
	}
	if _, err := w.Forget(t.Context(), memory.ForgetArgs{ID: remember(t, w, "mine").ID, Purge: true}); err != nil {
		t.Fatal(err)
	}
	refused(0, "only a backup holds it")
	own := remember(t, w, "own")
	stored := seqOf(t, d, "store")
	if _, err := other.Revise(t.Context(), memory.UpdateArgs{ID: own.ID, Content: new("by another")}); err != nil {
		t.Fatal(err)
	}
	refused(stored, "changed again since by another")
	if _, err := w.Revise(t.Context(), memory.UpdateArgs{ID: theirs.ID, Content: new("mine")}); err != nil {
		t.Fatal(err)
	}
	changed := seqOf(t, d, "update")
	if _, err := w.Revise(t.Context(), memory.UpdateArgs{ID: theirs.ID, Content: new("mine again")}); err != nil {
		t.Fatal(err)
	}
	refused(changed, "undo that first")
}
