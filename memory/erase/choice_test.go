package erase_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"hence/edges"
	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/internal/permit"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/erase"
	"hence/memory/review"
)

// ends closes the store of a world with the test.
func ends(t *testing.T, seed uint64) *world {
	dbtest.SkipOnCluster(t, "a node keeps its own log")
	w := newWorld(t, t.TempDir(), seed)
	t.Cleanup(func() { _ = w.v.DB.Close() })
	return w
}

func TestWhatIsRewrittenKeepsNothingOfItsTextButItsEdges(t *testing.T) {
	w := ends(t, 1)
	content := w.text(&w.gone, 8)
	id := w.store(memory.StoreArgs{Content: content})
	other := w.store(memory.StoreArgs{Content: w.text(&w.gone, 3) + ": " + content})
	w.edit(other, w.text(&w.gone, 3)+", as was said: "+content)
	kept := w.store(memory.StoreArgs{Content: w.text(&w.stays, 3)})
	w.link(other, kept, "supports", "")
	w.backup()
	w.team()
	done := w.erase(erase.Args{ID: id, Also: []erase.Choice{{ID: other, Do: erase.Rewrite, Content: w.text(&w.stays, 5)}}})
	if left := w.left(w.gone); len(left) > 0 || len(done.Receipt.Found) > 0 {
		t.Errorf("left %q; %+v", left, done.Receipt)
	}
	if c := done.Receipt.Counts; c.Memories != 1 || c.Rewritten != 1 || c.EarlierTexts != 1 || c.Backups != 1 || c.Folders != 1 {
		t.Errorf("counts: %+v", c)
	}
	if n := w.count(`select count(*) from edges where kind = 'supports'`); n != 1 || len(w.left(w.stays)) == 0 {
		t.Errorf("%d edges of what was rewritten", n)
	}
	if n := w.count(`select count(*) from stamps where id = ? and field = 'content'`, other); n != 1 {
		t.Error("nothing tells other stores that the text was changed")
	}
}

func TestWhatIsKeptIsFoundAndSaid(t *testing.T) {
	w := ends(t, 2)
	content := w.text(&w.gone, 8)
	id := w.store(memory.StoreArgs{Content: content})
	quoting := w.store(memory.StoreArgs{Content: "as was said: " + content})
	if done := w.erase(erase.Args{ID: id}); len(done.Below) != 1 || done.Below[0].ID != quoting || done.Below[0].Why != "quotes" || done.Below[0].Do != erase.Keep {
		t.Errorf("below: %+v", done.Below)
	}
	if n := w.count(`select count(*) from memories where id = ?`, quoting); n != 1 {
		t.Error("what was kept is gone")
	}
}

// Earlier texts of others, reasons and notes of edges that are gone cannot be chosen: they go too.
func TestWhatOthersSaidOfItBeforeIsErasedToo(t *testing.T) {
	w := ends(t, 7)
	text := w.text(&w.gone, 8)
	id := w.store(memory.StoreArgs{Content: text})
	c, other := w.store(memory.StoreArgs{Content: w.text(&w.stays, 4)}), w.store(memory.StoreArgs{Content: w.text(&w.stays, 4)})
	w.link(other, c, "causes", text)
	if _, err := edges.Graph(w.v).Unlink(t.Context(), edges.UnlinkArgs{From: other, To: c, Type: "causes"}); err != nil {
		t.Fatal(err)
	}
	w.edit(c, "as was said: "+text)
	w.edit(c, w.text(&w.stays, 4))
	if _, err := memory.Store(w.v).Forget(t.Context(), memory.ForgetArgs{ID: other, Reason: text}); err != nil {
		t.Fatal(err)
	}
	if _, err := memory.Store(w.v).Restore(t.Context(), memory.RestoreArgs{ID: other}); err != nil {
		t.Fatal(err)
	}
	w.backup()
	if r := w.erase(erase.Args{ID: id}).Receipt; len(r.Found) > 0 || len(w.left(w.gone)) > 0 {
		t.Errorf("%+v, left %q", r, w.left(w.gone))
	}
}

// A text goes too if each of its words stands in others: by phrases of it.
func TestATextOfWordsThatStandElsewhereIsErased(t *testing.T) {
	for _, text := range []string{
		"The phone app runs in the hall at Cork, as Milan Rossi wrote down at the March negotiation.",
		"Cork: the hall runs the app.",
		"a b c d e f",
		"Milan Rossi",
		"Down at the hall",
		"One\nword\na\nline",
		"Rossi\nwrote\tdown \"the app\" – at Cork\nin March",
		"The Negotiation Hall At CORK Runs",
	} {
		w := ends(t, 9)
		id := w.store(memory.StoreArgs{Content: text})
		words := strings.FieldsFunc(text, func(c rune) bool { return !unicode.IsLetter(c) })
		slices.Reverse(words)
		w.store(memory.StoreArgs{Content: strings.Join(words, " and ")})
		for n, word := range words {
			w.store(memory.StoreArgs{Content: fmt.Sprint("The ", n, ": ", word)})
		}
		w.shown(text)
		w.shown("before it: " + text + " and after")
		other := w.store(memory.StoreArgs{Content: w.text(&w.stays, 4)})
		w.link(other, w.store(memory.StoreArgs{Content: w.text(&w.stays, 4)}), "supports", text)
		done := w.erase(erase.Args{ID: id})
		if done.Receipt.Counts.Receipts != 2 || done.Receipt.Counts.Notes != 1 || len(done.Receipt.Found) > 0 || done.Receipt.Searched.Marks == 0 {
			t.Errorf("%q: %+v", text, done.Receipt)
		}
		for path, file := range w.files() {
			for _, form := range []string{text, strings.Trim(db.JSON(text), `"`)} {
				if strings.Contains(file, strings.ToLower(form)) {
					t.Errorf("%q is left in %s", text, path)
				}
			}
		}
	}
}

// What undo has of other files, of batches and of merges goes too, and stays if it does not hold the text.
func TestWhatUndoHasOfTheTextIsErased(t *testing.T) {
	w := ends(t, 11)
	content, other := w.text(&w.gone, 8), w.text(&w.stays, 8)
	id, file := w.store(memory.StoreArgs{Content: content}), w.store(memory.StoreArgs{Content: "A file."})
	statements := []db.Stmt{}
	for n, text := range []string{content, other} {
		statements = append(statements,
			db.S(`insert into batches (batch, at, actor, operation, what, done, since, upto, kept) values (?, '2026-01-01T00:00:00.000Z', 'ada', 'update_note', ?, 1, 0, 0, 9)`, -100-n, text),
			db.S(`insert into kept_files (batch, path_before, path_after, bytes) values (?, 'a.md', 'a.md', cast(? as blob))`, -100-n, text),
			db.S(`insert into versions (memory, hash, bytes) select key, ?2, cast(?3 as blob) from memories where id = ?1`, file, fmt.Sprint(n), text),
			db.S(`insert into before_merges (batch, id, what) values (?, 'x', json_object('content', ?))`, -100-n, text))
	}
	if _, err := w.v.DB.Write(t.Context(), "ada", db.Now(), statements...); err != nil {
		t.Fatal(err)
	}
	w.backup()
	if r := w.erase(erase.Args{ID: id}).Receipt; len(r.Found) > 0 || len(w.left(w.gone)) > 0 || r.Counts.Backups != 1 || r.Counts.Notes != 0 {
		t.Errorf("%+v, left %q", r, w.left(w.gone))
	}
	for query, want := range map[string]int{
		`select count(*) from versions`: 1, `select count(*) from kept_files`: 1, `select count(*) from before_merges`: 1,
		`select count(*) from batches where what <> '' and kept is not null`: 1, `select count(*) from batches`: 2,
	} {
		if n := w.count(query); n != want {
			t.Errorf("%s: %d, want %d", query, n, want)
		}
	}
}

// What others say of the text in a note, live or gone, is emptied and counted, here and in a copy; they stay.
func TestNotesThatHoldTheTextAreEmptied(t *testing.T) {
	type place struct {
		say   func(w *world, a, b, note string) error
		notes int // that are counted
	}
	link := func(w *world, a, b, note string) error {
		_, err := edges.Graph(w.v).Link(t.Context(), edges.LinkArgs{From: a, To: b, Type: "supports", Note: note})
		return err
	}
	unlink := func(w *world, a, b, _ string) error {
		_, err := edges.Graph(w.v).Unlink(t.Context(), edges.UnlinkArgs{From: a, To: b, Type: "supports"})
		return err
	}
	forget := func(w *world, a, _, note string) error {
		_, err := memory.Store(w.v).Forget(t.Context(), memory.ForgetArgs{ID: a, Reason: note})
		return err
	}
	write := func(query string) func(w *world, a, b, note string) error {
		return func(w *world, a, b, note string) error {
			_, err := w.v.DB.Write(t.Context(), "ada", db.Now(), db.S(query, a, b, note))
			return err
		}
	}
	all := func(says ...func(w *world, a, b, note string) error) func(w *world, a, b, note string) error {
		return func(w *world, a, b, note string) (err error) {
			for _, say := range says {
				if err == nil {
					err = say(w, a, b, note)
				}
			}
			return err
		}
	}
	verify := write(`update memories set verify_note = ?3, verified_at = '2026-01-01T00:00:00.000Z' where id = ?1 and ?2 <> ''`)
	places := map[string]place{
		"a live edge":                 {link, 1},
		"an edge that was unlinked":   {all(link, unlink), 0},
		"an edge that was restated":   {all(link, func(w *world, a, b, _ string) error { return link(w, a, b, "is so") }), 0},
		"a memory that was forgotten": {forget, 1},
		"a memory that was verified":  {verify, 1},
		"a waiting call": {write(`
insert into asked (id, action, change, actor, at, namespace, caller)
select 'x', 'memory_link', json_object('from', ?1, 'to', ?2, 'note', ?3), 'claude', '2026-01-01T00:00:00.000Z', 'default', '{}'`), 0},
		"a change that was proposed": {write(`
insert into asked (id, memory, action, change, actor, at)
select 'y', key, 'forget', json_object('id', ?1, 'reason', ?3), 'claude', '2026-01-01T00:00:00.000Z' from memories where id = ?1 and ?2 <> ''`), 0},
		"an edge that a merge left": {write(`
insert into unsettled (id, namespace, from_id, to_id, why, line)
values ('z', 'default', ?1, ?2, 'cycle', json_object('note', ?3))`), 1},
	}
	for name, p := range places {
		for _, isCopied := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				w := ends(t, 8)
				text := w.text(&w.gone, 8)
				id := w.store(memory.StoreArgs{Content: text})
				a, b := w.store(memory.StoreArgs{Content: w.text(&w.stays, 4)}), w.store(memory.StoreArgs{Content: w.text(&w.stays, 4)})
				w.link(b, a, "causes", w.text(&w.stays, 2))
				if err := p.say(w, a, b, "as "+w.gone[2]+" was said"); err != nil {
					t.Fatal(err)
				}
				if isCopied {
					w.backup()
				}
				done := w.erase(erase.Args{ID: id})
				below := map[string]int{"a waiting call": 1}[name] // a person can keep it
				if left := w.left(w.gone); len(left) > 0 || len(done.Below) != below || len(done.Receipt.Found) > 0 || done.Receipt.Counts.Notes != p.notes {
					t.Errorf("left %q, %+v", left, done)
				}
				if n := w.count(eachMemory); n != 2 || len(w.left(w.stays)) < 10 {
					t.Errorf("%d memories stay, with %q", n, w.left(w.stays))
				}
				if problems, err := w.v.DB.Check(t.Context()); err != nil || len(problems) > 0 {
					t.Errorf("%q, %v", problems, err)
				}
			})
		}
	}
}

// An agent leaves the notes of a person, which are found.
func TestAnAgentLeavesThePersonsNotes(t *testing.T) {
	w := ends(t, 9)
	a, b := w.store(memory.StoreArgs{Content: w.text(&w.stays, 4)}), w.store(memory.StoreArgs{Content: w.text(&w.stays, 4)})
	agent := *w
	agent.v.Caller = ref.Caller{Actor: "claude", Origin: "agent"}
	id := agent.store(memory.StoreArgs{Content: w.text(&w.stays, 1) + " " + agent.text(&agent.gone, 6)})
	w.link(a, b, "supports", agent.gone[0])
	agent.link(b, a, "causes", agent.gone[1])
	records, err := permit.Of(t.Context(), w.v.DB, w.v.DB)
	if err == nil {
		err = records.LetErase(true)
	}
	if err != nil {
		t.Fatal(err)
	}
	r := agent.erase(erase.Args{ID: id}).Receipt
	if r.Counts.Notes != 1 || len(r.Found) == 0 || w.count(`select count(*) from edges where note <> '' and origin = 'person'`) != 1 {
		t.Errorf("%+v", r)
	}
}

// What stands in a place that the first pass does not know is found by the second.
func TestTheSecondPassFindsWhatTheFirstHasLeft(t *testing.T) {
	for name, leave := range map[string]func(w *world, text string) error{
		"a file of the state directory": func(w *world, text string) error {
			return os.WriteFile(filepath.Join(w.v.DB.State(), "left"), []byte("x\x00"+strings.ToUpper(text)), 0o600)
		},
		"an unfinished backup": func(w *world, text string) error {
			return os.WriteFile(filepath.Join(w.folder, ".hence-backup-1"), []byte(text), 0o600)
		},
		"a file of the team": func(w *world, text string) error {
			w.team()
			return os.WriteFile(filepath.Join(w.folder, "team", "README"), []byte(text), 0o600)
		},
		"a link of a note": func(w *world, text string) error {
			note := w.store(memory.StoreArgs{Content: w.text(&w.stays, 2)})
			_, err := w.v.DB.Write(context.Background(), "ada", db.Now(), db.S(`
insert into sites (note, kind, origin, target, target_key, line, start_byte, end_byte)
select key, 'links-to', 'wikilink', ?2, ?2, 1, 0, 9 from memories where id = ?1`, note, text))
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := ends(t, 3)
			text := w.text(&w.gone, 6)
			id := w.store(memory.StoreArgs{Content: text})
			_ = os.MkdirAll(w.v.DB.State(), 0o700)
			if err := leave(w, text); err != nil {
				t.Fatal(err)
			}
			if r := w.erase(erase.Args{ID: id}).Receipt; len(r.Found) == 0 || len(w.left(w.gone)) == 0 {
				t.Errorf("found %+v", r.Found)
			}
		})
	}
}

func TestAgentsEraseOnlyWhereTheyMayAndNeverWhatAPersonSaid(t *testing.T) {
	w := ends(t, 4)
	said := w.store(memory.StoreArgs{Content: w.text(&w.stays, 6)})
	agent := *w
	agent.v.Caller = ref.Caller{Actor: "claude", Origin: "agent"}
	own := agent.store(memory.StoreArgs{Content: w.text(&w.gone, 6)})
	quoting := w.store(memory.StoreArgs{Content: "I say: " + strings.Join(w.gone, " ")})
	no := false
	try := func(v ref.View, a erase.Args) fault.Code {
		a.DryRun = &no
		_, err := erase.Store(v).Erase(t.Context(), a)
		return fault.CodeOf(err)
	}
	confined := agent.v
	confined.Caller.Namespace = "default"
	if code := try(agent.v, erase.Args{ID: own}); code != fault.ReadOnly {
		t.Errorf("without leave: %q", code)
	}
	records, err := permit.Of(t.Context(), w.v.DB, w.v.DB)
	if err == nil {
		err = records.LetErase(true)
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, code := range map[string]fault.Code{
		"what a person said":    try(agent.v, erase.Args{ID: said}),
		"below, a person's":     try(agent.v, erase.Args{ID: own, Also: []erase.Choice{{ID: quoting, Do: erase.Purge}}}),
		"from a person":         try(agent.v, erase.Args{From: "actor:ada"}),
		"of a single namespace": try(confined, erase.Args{ID: own}),
	} {
		if code != fault.ReadOnly {
			t.Errorf("%s: %q", name, code)
		}
	}
	if n := w.count(eachMemory); n != 3 {
		t.Fatalf("%d memories are left, want 3", n)
	}
	if err := records.SetPolicy(review.All); err != nil {
		t.Fatal(err)
	}
	if code := try(agent.v, erase.Args{ID: own}); code != fault.ReadOnly || w.count(eachMemory) != 3 {
		t.Errorf("while all waits for a person: %q", code)
	}
	if _, err := erase.Store(agent.v).Erase(t.Context(), erase.Args{ID: own}); err != nil {
		t.Errorf("a dry run while all waits: %v", err)
	}
	if err := records.SetPolicy(review.LowTrust); err != nil {
		t.Fatal(err)
	}
	if code := try(agent.v, erase.Args{ID: own}); code != "" || w.count(eachMemory) != 2 {
		t.Errorf("its own: %q", code)
	}
	if err := records.LetErase(false); err != nil || records.MayErase() {
		t.Errorf("leave is not taken back: %v", err)
	}
}

// While another process reads the log, the erasure says so, and the next one finishes it.
func TestAnErasureWhileAnotherProcessReadsIsFinishedLater(t *testing.T) {
	w := ends(t, 5)
	id := w.store(memory.StoreArgs{Content: w.text(&w.gone, 20)})
	other, err := db.Open(t.Context(), w.v.DB.Path(), db.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	err = other.Read(t.Context(), func(r *db.Reader) error {
		_, _, err := db.One[int](t.Context(), r, `select count(*) from memories`)
		if done := w.erase(erase.Args{ID: id}); done.Receipt.Unfinished == "" || len(w.left(w.gone)) == 0 {
			t.Errorf("it says that it is finished: %+v", done.Receipt)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	all, err := erase.Store(w.v).Finish(t.Context())
	if err != nil || len(all) != 1 || all[0].Unfinished != "" || len(all[0].Found) > 0 || len(w.left(w.gone)) > 0 {
		t.Errorf("%v, %+v, left %q", err, all, w.left(w.gone))
	}
}

func TestABackupOfAnotherStoreIsNotTouched(t *testing.T) {
	w := ends(t, 6)
	id := w.store(memory.StoreArgs{Content: w.text(&w.gone, 6)})
	path := filepath.Join(t.TempDir(), "other.db")
	other, err := db.Open(t.Context(), path, db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Write(t.Context(), "", db.Now(), db.S(`update store set tag = 'othertag'`)); err != nil {
		t.Fatal(err)
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	w.copied(path, permit.Backup)
	w.copied(filepath.Join(w.folder, "gone.db"), permit.Backup)
	r := w.erase(erase.Args{ID: id}).Receipt
	if said := strings.Join(r.OutOfReach, "\n"); !strings.Contains(said, "copy of another store") || !strings.Contains(said, "gone.db: it is not there any more") || r.Counts.Backups != 0 {
		t.Errorf("%+v", r)
	}
	if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
		t.Error("the other store was changed")
	}
}

func TestACopyThatAKilledCommandLeftIsRemoved(t *testing.T) {
	w := ends(t, 4)
	id := w.store(memory.StoreArgs{Content: w.text(&w.gone, 6)})
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	left := filepath.Join(temporary, "hence-scratch-1")
	if err := os.Mkdir(left, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := w.v.DB.Backup(t.Context(), filepath.Join(left, "scratch.db")); err != nil {
		t.Fatal(err)
	}
	w.erase(erase.Args{ID: id})
	if _, err := os.Stat(left); !os.IsNotExist(err) {
		t.Errorf("the copy is there: %v", err)
	}
}
