package writing_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/journal"
	filefolder "hence/projection/folder"
	"hence/projection/undolog"
	"hence/vault"
	"hence/vault/reading"
	"hence/vault/vaulttest"
	"hence/vault/writing"
)

func TestUndoTakesBackEveryWriteAndBringsItBack(t *testing.T) {
	f := newFolder(t, map[string]string{
		"a.md": "see [[b]] [[New One]]", "b.md": "---\nk: 1 # a comment\n---\n[[b]] [x](./a.md)\n", "n/c.md": "\uFEFF[[b]]\r\n", "p.png": "bytes", "e.md": "",
	})
	f.Imports()
	text := "other [[a]]"
	writes := []struct {
		operation string
		write     func() error
		notes     []writing.UndoneNote // in the result of the undo
	}{
		{"create_note", func() error { _, err := f.create("deep/er/New One", "of [[b]]"); return err },
			[]writing.UndoneNote{{Path: "deep/er/New One.md", Change: "removed"}}},
		{"update_note", func() error {
			_, err := f.update(writing.UpdateNoteArgs{Path: "b", Mode: "replace", Content: &text})
			return err
		}, []writing.UndoneNote{{Path: "b.md", Change: "restored"}}},
		{"update_note", func() error {
			_, err := f.update(writing.UpdateNoteArgs{Path: "e", Mode: "append", Content: &text})
			return err
		}, []writing.UndoneNote{{Path: "e.md", Change: "restored"}}},
		{"set_frontmatter", func() error { return f.setFrontmatter("a", map[string]any{"aliases": []string{"Nick"}}) },
			[]writing.UndoneNote{{Path: "a.md", Change: "restored"}}},
		{"move_note", func() error { _, err := f.moveNote("b", "far/off/d"); return err },
			[]writing.UndoneNote{{Path: "b.md", From: "far/off/d.md", Change: "moved"}, {Path: "a.md", Change: "restored"}, {Path: "deep/er/New One.md", Change: "restored"}, {Path: "n/c.md", Change: "restored"}}},
		{"move_note", func() error { _, err := f.moveNote("p.png", "img/q.png"); return err },
			[]writing.UndoneNote{{Path: "p.png", From: "img/q.png", Change: "moved"}}},
	}
	states, ids := []map[string][]string{f.everything()}, []string{f.ID("b.md")}
	for _, w := range writes {
		if err := w.write(); err != nil {
			t.Fatalf("%s: %v", w.operation, err)
		}
		states = append(states, f.everything())
	}
	undos := []int64{}
	for n := len(writes) - 1; n >= 0; n-- {
		r := f.undoes(0)
		undos = append(undos, r.By)
		if r.Operation != writes[n].operation || r.By == 0 {
			t.Errorf("Undo = %+v, want %s", r, writes[n].operation)
		}
		if diff := cmp.Diff(writes[n].notes, r.Notes); diff != "" {
			t.Errorf("%d: the notes (-want +got):\n%s", n, diff)
		}
		if diff := cmp.Diff(states[n], f.everything()); diff != "" {
			t.Fatalf("after the undo of %d, %s (-before +after):\n%s", n, writes[n].operation, diff)
		}
	}
	if f.ID("b.md") != ids[0] {
		t.Error("the note has another id")
	}
	for n := len(undos) - 1; n >= 0; n-- {
		f.undoes(undos[n])
		if diff := cmp.Diff(states[len(undos)-n], f.everything()); diff != "" {
			t.Fatalf("after the undo of the undo of %d (-before +after):\n%s", len(undos)-1-n, diff)
		}
	}
	f.noTempFiles()
	if again := f.Imports(); again.HasChanged() {
		t.Errorf("an import after it changes something: %+v", again)
	}
}

// Of several who undo the same write at once, one does, and the others are told; no batch is left that did nothing.
func TestOneOfSeveralUndosAtOnceUndoes(t *testing.T) {
	f := newFolder(t, map[string]string{"a.md": "one", "b.md": "[[a]]"})
	f.Imports()
	text := "two"
	for name, write := range map[string]func() error{
		"create": func() error { _, err := f.create("c", "new"); return err },
		"update": func() error {
			_, err := f.update(writing.UpdateNoteArgs{Path: "a", Mode: "replace", Content: &text})
			return err
		},
		"frontmatter": func() error { return f.setFrontmatter("b", map[string]any{"k": 1}) },
		"move":        func() error { _, err := f.moveNote("a", "far/d"); return err },
	} {
		t.Run(name, func(t *testing.T) {
			if err := write(); err != nil {
				t.Fatal(err)
			}
			log, err := journal.Journal(f.View()).Log(t.Context(), journal.LogArgs{Limit: 1})
			if err != nil {
				t.Fatal(err)
			}
			last := log.Changes[0].Seq
			undos := `select count(*) from batches where operation = 'undo'`
			before := rows(t, f.View().DB, undos)
			unlock, err := filefolder.Lock(t.Context(), "test", f.Dir)
			if err != nil {
				t.Fatal(err)
			}
			failed := make(chan error)
			for range 3 {
				go func() {
					_, _, err := f.writer().Undo(context.Background(), journal.UndoArgs{Seq: last})
					failed <- err
				}()
			}
			time.Sleep(100 * time.Millisecond) // long enough, nearly always, for all of them to wait for the lock
			unlock()
			done := 0
			for range 3 {
				if err := <-failed; err == nil {
					done++
				} else if fault.CodeOf(err) != fault.Conflict || !strings.Contains(err.Error(), "already undone") {
					t.Error(err)
				}
			}
			if after := rows(t, f.View().DB, undos+` and changes > 0`); done != 1 || after[0] == before[0] || rows(t, f.View().DB, undos)[0] != after[0] {
				t.Errorf("%d were done; undos before %v, after %v of %v", done, before, after, rows(t, f.View().DB, undos))
			}
		})
	}
}

func TestUndoRefusesWhatWasEditedSinceWithBothHashes(t *testing.T) {
	f := newFolder(t, map[string]string{"a.md": "see [[b]]", "b.md": "x"})
	f.Imports()
	created := must(t)(f.create("c", "new"))
	f.Write("c.md", "edited")
	before := snapshot(t, f.Dir)
	_, err := f.undo(0)
	var e *fault.Error
	read, readError := f.reader().ReadNote(t.Context(), reading.ReadNoteArgs{Path: "c"})
	if readError != nil {
		t.Fatal(readError)
	}
	now := read.ContentHash
	if !errors.As(err, &e) || e.Code != fault.Conflict || e.Details["content_hash"] != now || e.Details["written_hash"] != created.ContentHash ||
		!strings.Contains(err.Error(), now) || !strings.Contains(err.Error(), created.ContentHash) {
		t.Errorf("Undo: %v, %+v; want a conflict with %s and %s", err, e, now, created.ContentHash)
	}
	f.Write("c.md", "new")
	if _, err := f.moveNote("b", "d"); err != nil {
		t.Fatal(err)
	}
	f.Write("a.md", "see [[d]] edited")
	if _, err := f.undo(0); fault.CodeOf(err) != fault.Conflict || !strings.Contains(err.Error(), "a.md is not as move_note left it") {
		t.Errorf("Undo of a move: %v", err)
	}
	f.Remove("a.md")
	if _, err := f.undo(0); fault.CodeOf(err) != fault.Conflict || !strings.Contains(err.Error(), "none (there is no file)") {
		t.Errorf("Undo of a move: %v", err)
	}
	f.Write("a.md", "see [[d]]")
	f.Write("b.md", "another at the old place")
	if _, err := f.undo(0); fault.CodeOf(err) != fault.Conflict {
		t.Errorf("Undo of a move to a place that is taken: %v", err)
	}
	f.Remove("b.md")
	f.Remove("d.md")
	if _, err := f.undo(0); fault.CodeOf(err) != fault.Conflict {
		t.Errorf("Undo of a move of what is gone: %v", err)
	}
	f.Write("d.md", "x")
	f.undoes(0)
	f.undoes(0)
	delete(before, filepath.Join(f.Dir, "c.md"))
	if diff := cmp.Diff(before, snapshot(t, f.Dir)); diff != "" {
		t.Errorf("the folder (-before +after):\n%s", diff)
	}
}

// An undo of a write to a symbolic link restores the file behind the link; the link stays.
func TestUndoWritesThroughALink(t *testing.T) {
	f := newFolder(t, map[string]string{"n/a.md": "x"})
	if err := os.Symlink("n/a.md", filepath.Join(f.Dir, "link.md")); err != nil {
		t.Fatal(err)
	}
	f.Imports()
	before, text := snapshot(t, f.Dir), "y"
	must(t)(f.update(writing.UpdateNoteArgs{Path: "link", Mode: "replace", Content: &text}))
	f.undoes(0)
	if diff := cmp.Diff(before, snapshot(t, f.Dir)); diff != "" {
		t.Errorf("the folder (-before +after):\n%s", diff)
	}
}

// If another program creates the file first, nothing is written.
func TestACreationThatWasRefusedNeverWas(t *testing.T) {
	f := newFolder(t, map[string]string{"a.md": "x"})
	f.Imports()
	late := f
	late.disk.Write = func(file *os.File, content []byte) (int, error) {
		f.Write("c.md", "new")
		return file.Write(content)
	}
	if _, err := late.create("c", "new"); fault.CodeOf(err) != fault.Exists {
		t.Fatalf("CreateNote: %v, want exists", err)
	}
	f.Imports()
	if got := dbtest.Texts(t, f.Importer.DB, `select operation from batches order by batch desc`); !cmp.Equal(got, []string{"import", "import"}) {
		t.Errorf("the batches are %q", got)
	}
	if f.text("c.md") != "new" {
		t.Error("the file of another is gone")
	}
}

// A link that was written after a move also leads to the note after the undo of the move.
func TestUndoOfAMoveKeepsLaterLinks(t *testing.T) {
	f := newFolder(t, map[string]string{"a.md": "see [[b]]", "b.md": "x"})
	f.Imports()
	if _, err := f.moveNote("b", "n/d"); err != nil {
		t.Fatal(err)
	}
	f.Write("later.md", "[[d|shown]]")
	f.Imports()
	r := f.undoes(int64(dbtest.Count(t, f.Importer.DB, `select upto from batches where operation = 'move_note'`)))
	want := map[string]string{"a.md": "see [[b]]", "b.md": "x", "later.md": "[[b|shown]]"}
	if diff := cmp.Diff(want, f.files()); diff != "" {
		t.Errorf("the files (-want +got):\n%s; %+v", diff, r)
	}
	if _, err := os.Stat(filepath.Join(f.Dir, "n")); err == nil {
		t.Error("the folder that the move made is left")
	}
	f.Want("a links-to b", "later links-to b")
}

func TestUndoOfACreationRefusesANoteThatWasMovedOn(t *testing.T) {
	f := newFolder(t, map[string]string{"a.md": "x"})
	f.Imports()
	must(t)(f.create("b", "y"))
	if _, err := f.moveNote("b", "n/c"); err != nil {
		t.Fatal(err)
	}
	creation := int64(dbtest.Count(t, f.Importer.DB, `select upto from batches where operation = 'create_note'`))
	if _, err := f.undo(creation); fault.CodeOf(err) != fault.Conflict || !strings.Contains(err.Error(), "n/c.md") {
		t.Errorf("%v, want a conflict that names n/c.md", err)
	}
	f.undoes(0)
	f.undoes(0)
	if diff := cmp.Diff(map[string]string{"a.md": "x"}, f.files()); diff != "" {
		t.Errorf("the files (-want +got):\n%s", diff)
	}
}

func TestUndoOfAMoveFromBesideANameOfOtherCase(t *testing.T) {
	before := map[string]string{"B.md": "x", "a.md": "see [[b]] and [[B]]", "b.md": "y"}
	f := newFolder(t, before)
	if len(f.files()) < len(before) {
		t.Skip("the file system ignores case")
	}
	f.Imports()
	if _, err := f.moveNote("b", "c"); err != nil {
		t.Fatal(err)
	}
	f.undoes(0)
	if diff := cmp.Diff(before, f.files()); diff != "" {
		t.Errorf("the files (-want +got):\n%s", diff)
	}
}

// TestUndoneWritesLeaveNothing writes at random, undoes all writes, and redoes them: at each
// step the folder is as it was before, and the store equals that of a new import.
func TestUndoneWritesLeaveNothing(t *testing.T) {
	dbtest.CheckTimes(t, 8)
	rapid.Check(t, func(rt *rapid.T) {
		f := newFolder(t, map[string]string{"a.md": "see [[b]] and [[n/b]]", "n/b.md": "---\naliases: [Nick]\n---\n[x](../a.md) of a", "keep.md": "[[Nick]] [[c]]"})
		f.Importer.DB = dbtest.New(rt)
		f.Imports()
		path := rapid.SampledFrom([]string{"a.md", "n/b.md", "b.md", "c.md", "m/o/c.md", "keep.md"})
		states := []map[string]string{snapshot(t, f.Dir)}
		for range rapid.IntRange(1, 6).Draw(rt, "writes") {
			var err error
			text := rapid.SampledFrom([]string{"", "[[a]] [[b]]", "---\nup: \"[[n/b]]\"\n---\nx", "Nick\r\n"}).Draw(rt, "text")
			switch rapid.IntRange(0, 3).Draw(rt, "what") {
			case 0:
				_, err = f.create(path.Draw(rt, "path"), text)
			case 1:
				mode := rapid.SampledFrom([]string{"replace", "append", "prepend"}).Draw(rt, "mode")
				_, err = f.update(writing.UpdateNoteArgs{Path: path.Draw(rt, "path"), Mode: mode, Content: &text})
			case 2:
				err = f.setFrontmatter(path.Draw(rt, "path"), map[string]any{"aliases": []string{rapid.SampledFrom([]string{"Nick", "d"}).Draw(rt, "alias")}})
			case 3:
				_, err = f.moveNote(path.Draw(rt, "path"), path.Draw(rt, "to"))
			}
			switch fault.CodeOf(err) {
			case "", fault.Exists, fault.NotFound, fault.Conflict, fault.InvalidArgument:
			default:
				rt.Fatal(err)
			}
			if now := snapshot(t, f.Dir); !cmp.Equal(now, states[len(states)-1]) {
				states = append(states, now)
			}
		}
		fresh := func(what string) {
			other := folder{Folder: vaulttest.Folder{T: t, Dir: f.Dir, Importer: vault.Importer{DB: dbtest.New(rt), Caller: ref.Caller{Actor: "tester"}}}}
			other.Imports()
			if diff := cmp.Diff(contents(t, other.Importer.DB), contents(t, f.Importer.DB)); diff != "" {
				rt.Fatalf("the store after %s (-fresh +undone):\n%s", what, diff)
			}
		}
		undos := []int64{}
		for n := len(states) - 2; n >= 0; n-- {
			r, _, err := f.writer().Undo(t.Context(), journal.UndoArgs{})
			if err != nil {
				rt.Fatal(err)
			}
			undos = append(undos, r.By)
			if diff := cmp.Diff(states[n], snapshot(t, f.Dir)); diff != "" {
				rt.Fatalf("after undoing back to %d (-was +is):\n%s", n, diff)
			}
		}
		fresh("all undone")
		for n := len(undos) - 1; n >= 0; n-- {
			if _, _, err := f.writer().Undo(t.Context(), journal.UndoArgs{Seq: undos[n]}); err != nil {
				rt.Fatal(err)
			}
			if diff := cmp.Diff(states[len(undos)-n], snapshot(t, f.Dir)); diff != "" {
				rt.Fatalf("after redoing up to %d (-was +is):\n%s", len(undos)-n, diff)
			}
		}
		fresh("all brought back")
	})
}

// runKilled runs a write that panics with "killed", to simulate a killed process.
func runKilled(t *testing.T, write func()) {
	t.Helper()
	defer func() {
		if got := recover(); got != "killed" {
			t.Fatalf("the write was not killed: %v", got)
		}
	}()
	write()
}

// If a write is killed after its batch is stored and before its file is written, it does not
// count: undo undoes the write before it.
func TestAWriteKilledBeforeTheFileNeverWas(t *testing.T) {
	text := "other"
	for name, write := range map[string]func(f folder){
		"Create": func(f folder) { _, _ = f.create("n/c", "new") },
		"Update": func(f folder) {
			_, _ = f.update(writing.UpdateNoteArgs{Path: "a", Mode: "replace", Content: &text})
		},
		"Set":  func(f folder) { _ = f.setFrontmatter("a", map[string]any{"k": 1}) },
		"Move": func(f folder) { _, _ = f.moveNote("b", "c") },
		"Undo": func(f folder) { _, _ = f.undo(0) },
	} {
		t.Run(name, func(t *testing.T) {
			f := newFolder(t, map[string]string{"a.md": "see [[b]]", "b.md": "x"})
			f.Imports()
			start := f.files()
			if _, err := f.update(writing.UpdateNoteArgs{Path: "a", Mode: "append", Content: &text}); err != nil {
				t.Fatal(err)
			}
			before, batches := f.files(), dbtest.Count(t, f.Importer.DB, `select count(*) from batches`)
			killed := f
			killed.disk.Write = func(*os.File, []byte) (int, error) { panic("killed") }
			runKilled(t, func() { write(killed) })
			if n := dbtest.Count(t, f.Importer.DB, `select count(*) from batches where done = 0`); n != 1 {
				t.Fatalf("%d batches are under way, want one: it was killed too early", n)
			}
			left := f.files()
			for path := range left {
				if strings.Contains(path, ".hence-") {
					delete(left, path)
				}
			}
			if diff := cmp.Diff(before, left); diff != "" {
				t.Fatalf("it was killed too late: %s", diff)
			}
			f.Imports()
			if n := dbtest.Count(t, f.Importer.DB, `select count(*) from batches`); n != batches {
				t.Errorf("%d batches are told, want %d", n, batches)
			}
			if r := f.undoes(0); r.Notes[0].Path != "a.md" {
				t.Errorf("Undo = %+v", r)
			}
			left = f.files()
			for path := range left {
				if strings.Contains(path, ".hence-") {
					delete(left, path)
				}
			}
			if diff := cmp.Diff(start, left); diff != "" {
				t.Errorf("after the undo (-before +after):\n%s", diff)
			}
		})
	}
}

// If a write is killed after its file is written and before it is imported, it can be undone
// at once, and also after an import.
func TestAWriteKilledAfterTheFileCanBeUndone(t *testing.T) {
	text := "other"
	for name, write := range map[string]func(f folder) error{
		"Create": func(f folder) error { _, err := f.create("n/c", "new"); return err },
		"Update": func(f folder) error {
			_, err := f.update(writing.UpdateNoteArgs{Path: "a", Mode: "replace", Content: &text})
			return err
		},
		"Set":  func(f folder) error { return f.setFrontmatter("a", map[string]any{"k": 1}) },
		"Move": func(f folder) error { _, err := f.moveNote("b", "c"); return err },
	} {
		for _, imported := range []bool{false, true} {
			t.Run(fmt.Sprint(name, imported), func(t *testing.T) {
				f := newFolder(t, map[string]string{"a.md": "see [[b]]", "b.md": "x"})
				f.Imports()
				before := f.everything()
				// The transaction that keeps the bytes succeeds, the next one does not.
				end := dbtest.RefuseAfter(t, f.Importer.DB.Path(), 1)
				if err := write(f); err == nil {
					t.Fatal("it was not cut off")
				}
				end()
				if cmp.Equal(before, f.everything()) {
					t.Fatal("it was cut off too early")
				}
				if imported {
					f.Imports()
					f.Imports()
				}
				r := f.undoes(0)
				if diff := cmp.Diff(before, f.everything()); diff != "" {
					t.Errorf("after the undo (-before +after):\n%s", diff)
				}
				f.undoes(r.By)
				if cmp.Equal(before, f.everything()) {
					t.Error("the undo is not undone")
				}
			})
		}
	}
}

// A move that is killed at any moment can be undone: rewritten files get their old text, and
// the note is at its old path.
func TestAMoveKilledAtAnyMomentCanBeUndone(t *testing.T) {
	for at := range 4 {
		f := newFolder(t, map[string]string{"a.md": "[[b]]", "b.md": "[[b]] x", "n/c.md": "[[b]]", "z.md": "[[b]]"})
		f.Imports()
		before := f.files()
		n := 0
		runKilled(t, func() {
			_, _ = f.moveBy("b", "deep/d", func(root *os.Root, from, to string) error {
				if n == at {
					panic("killed")
				}
				n++
				err := root.Rename(from, to)
				if n == 3 && at == 3 { // the note is at both paths, and every link is written
					panic("killed")
				}
				return err
			})
		})
		f.undoes(0)
		after := f.files()
		for path := range after {
			if strings.Contains(path, ".hence-") {
				delete(after, path)
			}
		}
		if diff := cmp.Diff(before, after); diff != "" {
			t.Errorf("killed after %d links (-before +after):\n%s", at, diff)
		}
		f.Want("a links-to b", "c links-to b", "z links-to b")
	}
}

func TestOnlyTheLastWritesAreKept(t *testing.T) {
	f := newFolder(t, map[string]string{"a.md": "x"})
	f.Imports()
	large := strings.Repeat("x", 1000)
	sizes := []string{large, large + "1", large + "2", large + "3"}
	for n, text := range sizes {
		before := len(f.files()["a.md"])
		must(t)(f.update(writing.UpdateNoteArgs{Path: "a", Mode: "replace", Content: &text}))
		const newest = `(select min(batch) from batches where kept is not null)`
		if kept := dbtest.Count(t, f.Importer.DB, `select kept from batches where batch = `+newest); kept != before {
			t.Errorf("write %d says that it keeps %d bytes, want %d", n, kept, before)
		}
		f.Exec(`update batches set kept = ? where batch = `+newest, undolog.MaxBytes/3+1) // as if the note had been large
	}
	if n := dbtest.Count(t, f.Importer.DB, `select count(*) from kept_files`); n != 3 {
		t.Errorf("%d writes are kept, want the last and two of 7 MB each", n)
	}
	small := "small"
	must(t)(f.update(writing.UpdateNoteArgs{Path: "a", Mode: "replace", Content: &small}))
	for n := range 103 {
		text := fmt.Sprint(n)
		must(t)(f.update(writing.UpdateNoteArgs{Path: "a", Mode: "replace", Content: &text}))
	}
	if n := dbtest.Count(t, f.Importer.DB, `select count(*) from kept_files`); n != 100 {
		t.Errorf("%d writes are kept, want 100", n)
	}
	oldest := int64(dbtest.Count(t, f.Importer.DB, `select min(upto) from batches where operation = 'update_note'`))
	if _, err := f.undo(oldest); fault.CodeOf(err) != fault.InvalidArgument || !strings.Contains(err.Error(), "the old bytes are not kept") {
		t.Errorf("Undo of the oldest: %v", err)
	}
}

func TestAMoveThatCannotBeUndoneSaysSoBefore(t *testing.T) {
	files := map[string]string{"b.md": "x"}
	for n := range 3 {
		files[fmt.Sprintf("a%d.md", n)] = "[[b]]\n```\n" + strings.Repeat("x", undolog.MaxBytes/3+1000) + "\n```\n"
	}
	f := newFolder(t, files)
	f.Imports()
	before := f.files()
	dry, err := f.writer().MoveNote(t.Context(), writing.MoveNoteArgs{FromPath: "b", ToPath: "c", DryRun: true})
	if err != nil || len(dry.Warnings) != 1 || !strings.Contains(dry.Warnings[0], "cannot be undone") {
		t.Errorf("a dry run: %q, %v", dry.Warnings, err)
	}
	if _, err := f.moveNote("b", "c"); fault.CodeOf(err) != fault.TooLarge || !strings.Contains(err.Error(), "no_undo") {
		t.Errorf("MoveNote: %v, want too_large", err)
	}
	if !cmp.Equal(before, f.files()) {
		t.Error("a refused move has changed files")
	}
	r, err := f.writer().MoveNote(t.Context(), writing.MoveNoteArgs{FromPath: "b", ToPath: "c", NoUndo: true})
	if err != nil || !r.Moved {
		t.Fatalf("MoveNote without undo: %v", err)
	}
	if _, err := f.undo(0); fault.CodeOf(err) != fault.InvalidArgument || !strings.Contains(err.Error(), "are not kept") {
		t.Errorf("Undo: %v", err)
	}
}

func TestAPurgeDeletesTheKeptBytes(t *testing.T) {
	f := newFolder(t, map[string]string{"a.md": "see [[b]] secret", "b.md": "x", "late.md": "x"})
	f.Imports()
	text := "open"
	f.Write("unknown.md", "secret too")
	must(t)(f.update(writing.UpdateNoteArgs{Path: "b", Mode: "replace", Content: &text}))
	must(t)(f.update(writing.UpdateNoteArgs{Path: "a", Mode: "append", Content: &text}))
	if _, err := f.moveNote("a", "n/moved"); err != nil {
		t.Fatal(err)
	}
	must(t)(f.update(writing.UpdateNoteArgs{Path: "unknown", Mode: "replace", Content: &text}))
	if n := dbtest.Count(t, f.Importer.DB, `select count(*) from kept_files where instr(bytes, 'secret')`); n != 2 {
		t.Fatalf("%d notes with the secret are kept, want 2", n)
	}
	store := memory.Store{DB: f.Importer.DB, Caller: f.Importer.Caller}
	for _, id := range []string{f.ID("n/moved.md"), f.ID("unknown.md")} {
		if _, err := store.Forget(t.Context(), memory.ForgetArgs{ID: id, Purge: true}); err != nil {
			t.Fatal(err)
		}
	}
	if left := dbtest.Texts(t, f.Importer.DB, `select path_before from kept_files`); !cmp.Equal(left, []string{"b.md"}) {
		t.Errorf("kept are %q, want b.md alone", left)
	}
	if n := dbtest.Count(t, f.Importer.DB, `select count(*) from batches where what in ('a.md', 'n/moved.md', 'unknown.md')`); n != 0 {
		t.Errorf("%d batches still name a purged note", n)
	}
}
