package projection_test

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/internal/permit"
	"hence/memory/journal"
	"hence/projection"
	"hence/projection/projectiontest"
)

// newKept makes a folder of toy files that another program changes, so that every version is kept.
func newKept(t *testing.T, files map[string]string) world {
	w := newWorld(t, files)
	w.mirror.Format.Keeps = true
	w.imports()
	return w
}

// allow sets whether an undo may write the folder.
func (w world) allow(restore bool) {
	w.Helper()
	records, err := permit.Of(w.Context(), w.mirror.DB, w.mirror.DB)
	if err != nil {
		w.Fatal(err)
	}
	f, err := records.Folder("v")
	if err != nil {
		w.Fatal(err)
	}
	f.Restore = restore
	if err := records.Put(f); err != nil {
		w.Fatal(err)
	}
}

func (w world) undo(seq int64) (projection.UndoResult, error) {
	w.Helper()
	r, ok, err := w.mirror.Undo(w.Context(), journal.UndoArgs{Seq: seq})
	if err == nil && !ok {
		err = errors.New("it is not a change of the folder")
	}
	return r, err
}

func (w world) undoes(seq int64) projection.UndoResult {
	w.Helper()
	r, err := w.undo(seq)
	if err != nil {
		w.Fatal(err)
	}
	return r
}

// files returns the bytes of all files of the folder, hidden ones too.
func (w world) files() map[string]string {
	w.Helper()
	all := map[string]string{}
	err := fs.WalkDir(os.DirFS(w.dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(filepath.Join(w.dir, name))
		all[name] = string(text)
		return err
	})
	if err != nil {
		w.Fatal(err)
	}
	return all
}

func (w world) wantFiles(what string, want map[string]string) {
	w.Helper()
	if diff := gocmp.Diff(want, w.files()); diff != "" {
		w.Fatalf("%s (-want +got):\n%s", what, diff)
	}
}

// lastSeq returns the number of the last change.
func (w world) lastSeq() int64 {
	return int64(dbtest.Count(w.T, w.mirror.DB, `select coalesce(max(seq), 0) from journal`))
}

func TestOneUndoBringsBackAllThatATidyingRunDeleted(t *testing.T) {
	files := map[string]string{"MEMORY.md": "# Index\r\n\x00\xff", "stays.kv": "a=1"}
	for n := range 23 {
		files[fmt.Sprintf("topic/%02d.kv", n)] = fmt.Sprintf("key=%d\r\n\uFEFF\t ", n)
	}
	w := newKept(t, files)
	ids := w.rows(`select uri, id from memories where status <> 'forgotten' order by uri`)
	if err := os.RemoveAll(filepath.Join(w.dir, "topic")); err != nil {
		t.Fatal(err)
	}
	w.write("MEMORY.md", "# Tidied")
	w.write("all.kv", "key=all")
	w.imports()
	tidied := w.files()
	if by := w.rows(`select distinct actor from journal where batch = (select min(batch) from batches)`); !slices.Equal(by, []string{"v"}) {
		t.Errorf("the log says %q did it, want the program whose folder it is", by)
	}
	if _, err := w.undo(0); fault.CodeOf(err) != fault.ReadOnly || !strings.Contains(err.Error(), "hence agents allow restore --folder v") {
		t.Errorf("Undo without leave: %v", err)
	}
	w.wantFiles("without leave", tidied)
	w.allow(true)
	r := w.undoes(0)
	if len(r.Files) != 25 || r.By == 0 {
		t.Errorf("Undo = %+v, want 23 files made, one restored and one removed", r)
	}
	w.wantFiles("after the undo", files)
	if diff := gocmp.Diff(ids, w.rows(`select uri, id from memories where status <> 'forgotten' order by uri`)); diff != "" {
		t.Errorf("the memories (-before +after):\n%s", diff)
	}
	if again := w.imports(); again.HasChanged() {
		t.Errorf("an import after it changes something: %+v", again)
	}
	w.undoes(r.By)
	w.wantFiles("after the redo", tidied)
	w.allow(false)
	if _, err := w.undo(0); fault.CodeOf(err) != fault.ReadOnly {
		t.Errorf("Undo after leave was taken back: %v", err)
	}
}

// A watcher sees a run of minutes in several imports, which are one change of the log.
func TestAWatchersImportsOfOneRunAreOneBatch(t *testing.T) {
	w := newKept(t, map[string]string{"a.kv": "x=1", "b.kv": "y=2", "c.kv": "z=3"})
	w.allow(true)
	before := w.files()
	w.mirror = w.mirror.Watching()
	w.remove("a.kv")
	w.imports()
	w.write("b.kv", "y=3")
	w.move("c.kv", "n/c.kv")
	w.imports()
	w.write("b.kv", "y=4")
	w.write("a.kv", "x=5")
	w.move("n/c.kv", "n/d.kv")
	w.imports()
	if n := dbtest.Count(t, w.mirror.DB, `select count(*) from batches`); n != 2 {
		t.Errorf("there are %d batches, want the first import and the run", n)
	}
	id := w.id("n/d.kv")
	by := w.undoes(0).By
	w.wantFiles("after the undo", before)
	if w.id("c.kv") != id {
		t.Error("the file that was moved back has another id")
	}
	w.write("b.kv", "y=5") // after an undo another run begins
	w.imports()
	w.undoes(0)
	w.undoes(by)
	w.wantFiles("after the redo", map[string]string{"a.kv": "x=5", "b.kv": "y=4", "n/d.kv": "z=3"})
}

func TestAFileComesBackWithThePermissionsThatItHad(t *testing.T) {
	w := newWorld(t, map[string]string{"n/a.kv": "x=1", "b.kv": "y=2"})
	w.mirror.Format.Keeps = true
	if err := os.Chmod(filepath.Join(w.dir, "n/a.kv"), 0o600); err != nil {
		t.Fatal(err)
	}
	w.imports()
	w.allow(true)
	if err := os.RemoveAll(filepath.Join(w.dir, "n")); err != nil {
		t.Fatal(err)
	}
	w.remove("b.kv")
	w.imports()
	w.undoes(0)
	for name, want := range map[string]fs.FileMode{"n": 0o700, "n/a.kv": 0o600, "b.kv": 0o644} {
		if info, err := os.Stat(filepath.Join(w.dir, name)); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v; want %v", name, info.Mode(), err, want)
		}
	}
}

// A client that replaces a file gives it other permissions, and a person may change them while the bytes stay.
func TestAFileIsPutBackWithThePermissionsThatItHad(t *testing.T) {
	for name, c := range map[string]struct {
		had     fs.FileMode
		changed bool // after an import
		lose    func(w world)
	}{
		"Replaced": {0o600, false, func(w world) {
			w.write("new.kv", "x=2")
			if err := errors.Join(os.Chmod(filepath.Join(w.dir, "new.kv"), 0o644), os.Rename(filepath.Join(w.dir, "new.kv"), filepath.Join(w.dir, "a.kv"))); err != nil {
				t.Fatal(err)
			}
		}},
		"MadePrivate": {0o600, true, func(w world) { w.remove("a.kv") }},
		"Opened":      {0o664, true, func(w world) { w.remove("a.kv") }},
		"Moved":       {0o640, true, func(w world) { w.move("a.kv", "b.kv") }},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, map[string]string{"a.kv": "x=1"})
			w.mirror.Format.Keeps = true
			if c.changed {
				w.imports()
			}
			if err := os.Chmod(filepath.Join(w.dir, "a.kv"), c.had); err != nil {
				t.Fatal(err)
			}
			if r := w.imports(); c.changed && r.HasChanged() {
				t.Errorf("other permissions are a change of the file: %+v", r)
			}
			w.allow(true)
			c.lose(w)
			w.imports()
			w.undoes(0)
			if info, err := os.Stat(filepath.Join(w.dir, "a.kv")); err != nil || info.Mode().Perm() != c.had {
				t.Errorf("%v, %v; want %v", info.Mode(), err, c.had)
			}
		})
	}
}

// A link and the file that it leads to are two files of a folder.
func TestAFileWithALinkToItIsPutBackOnce(t *testing.T) {
	for name, meddle := range map[string]func(w world){
		"Changed": func(w world) { w.write("b.kv", "y=3") },
		"Gone":    func(w world) { w.remove("b.kv") },
		"Both": func(w world) {
			w.remove("b.kv")
			w.remove("alias.kv")
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, map[string]string{"a.kv": "x=1", "b.kv": "y=2"})
			w.mirror.Format.Keeps = true
			if err := os.Symlink("b.kv", filepath.Join(w.dir, "alias.kv")); err != nil {
				t.Fatal(err)
			}
			w.imports()
			w.allow(true)
			before := w.files()
			meddle(w)
			w.remove("a.kv")
			w.imports()
			w.undoes(0)
			w.wantFiles("after the undo", before)
		})
	}
}

func TestTheWholeFolderMayBeTidiedAway(t *testing.T) {
	w := newKept(t, map[string]string{"a.kv": "x=1", "n/b.kv": "y=2"})
	w.allow(true)
	before := w.files()
	for file := range before {
		w.remove(file)
	}
	w.imports()
	w.undoes(0)
	w.wantFiles("after the undo", before)
}

func TestUndoOfAnImportOverwritesNothingThatChangedSince(t *testing.T) {
	w := newKept(t, map[string]string{"a.kv": "x=1", "b.kv": "y=2", "c.kv": "z=3"})
	w.allow(true)
	w.remove("a.kv")
	w.write("b.kv", "y=3")
	w.imports()
	seq := w.lastSeq()
	w.write("a.kv", "x=later")
	w.write("c.kv", "z=4")
	now := w.files()
	_, err := w.undo(seq)
	var e *fault.Error
	if !errors.As(err, &e) || e.Code != fault.Conflict || fmt.Sprint(e.Details["paths"]) != "[a.kv]" {
		t.Errorf("Undo: %v, want a conflict for a.kv", err)
	}
	w.wantFiles("after the refusal", now)
	w.undoes(0) // what came since
	w.undoes(seq)
	w.wantFiles("after both", map[string]string{"a.kv": "x=1", "b.kv": "y=2", "c.kv": "z=3"})
}

func TestAVersionWithASecretIsKeptMaskedAndNotWritten(t *testing.T) {
	key := "AKIA" + "Q7Z2X4T9M5R3LPW8"
	w := newKept(t, map[string]string{"a.kv": "aws=" + key, "b.kv": "y=2", "c.kv": "z=3"})
	w.allow(true)
	w.remove("a.kv")
	w.remove("b.kv")
	w.write("c.kv", "aws="+key)
	w.imports()
	now := w.files()
	if n := dbtest.Count(t, w.mirror.DB, `select count(*) from versions where instr(bytes, ?)`, key); n != 0 {
		t.Errorf("%d versions hold the key", n)
	}
	if n := dbtest.Count(t, w.mirror.DB, `select count(*) from versions where masked`); n != 2 {
		t.Errorf("%d versions are masked, want 2", n)
	}
	r := w.undoes(0)
	now["b.kv"] = "y=2"
	w.wantFiles("after the undo", now)
	if len(r.Warnings) != 2 || !strings.Contains(r.Warnings[0], "a.kv stays as it is") || !strings.Contains(r.Warnings[1], "c.kv stays as it is") {
		t.Errorf("the warnings are %q", r.Warnings)
	}
	w.remove("c.kv")
	w.imports()
	if _, err := w.undo(0); fault.CodeOf(err) != fault.InvalidArgument || !strings.Contains(err.Error(), "secret") {
		t.Errorf("Undo of what cannot come back: %v", err)
	}
}

func TestAPurgeTakesTheVersionsOfAMemoryAlone(t *testing.T) {
	w := newKept(t, map[string]string{"a.kv": "x=1", "b.kv": "y=2"})
	w.allow(true)
	w.write("a.kv", "x=2")
	w.imports()
	w.remove("a.kv")
	w.remove("b.kv")
	w.imports()
	seq := w.lastSeq()
	if _, err := w.mirror.DB.Write(t.Context(), "tester", db.Now(), db.S(`delete from memories where uri = 'toy://v/a.kv'`)); err != nil {
		t.Fatal(err)
	}
	if got := w.rows(`select cast(bytes as text) from versions`); !slices.Equal(got, []string{"y=2"}) {
		t.Errorf("kept are %q, want b.kv alone", got)
	}
	w.undoes(seq)
	w.wantFiles("after the undo", map[string]string{"b.kv": "y=2"})
	if _, _, err := w.mirror.Forget(t.Context(), "forget", projection.Vault{Name: "v", Root: w.dir, Namespace: "default"}, true, journal.Batch{Operation: "forget"}); err != nil {
		t.Fatal(err)
	}
	if n := dbtest.Count(t, w.mirror.DB, `select (select count(*) from versions) + (select count(*) from kept_files)`); n != 0 {
		t.Errorf("%d rows are left of a purged folder", n)
	}
}

// A file system or a store that fails at any moment of an undo leaves each file as it was or as it is to be.
func TestAnUndoThatIsKilledCanBeFinished(t *testing.T) {
	for at := range 8 {
		w := newKept(t, map[string]string{"a.kv": "x=1", "b.kv": "y=2", "c.kv": "z=3"})
		w.allow(true)
		before := w.files()
		w.remove("a.kv")
		w.write("b.kv", "y=3")
		w.move("c.kv", "n/c.kv")
		w.write("d.kv", "new=1")
		w.imports()
		tidied := w.files()
		end := dbtest.RefuseAfter(t, w.mirror.DB.Path(), at)
		_, err := w.undo(0)
		end()
		for path, text := range w.files() {
			if text != before[path] && text != tidied[path] {
				t.Errorf("%d: %s is %q", at, path, text)
			}
		}
		if err == nil {
			w.wantFiles(strconv.Itoa(at), before)
			continue
		}
		// The next undo settles the interrupted one first.
		if maps.Equal(w.files(), tidied) {
			w.undoes(0)
			w.wantFiles(fmt.Sprint("again after ", at), before)
			continue
		}
		w.imports()
		w.wantFiles(fmt.Sprint("after ", at), before)
		w.undoes(w.lastSeq())
		w.wantFiles(fmt.Sprint("the redo after ", at), tidied)
	}
}

// histories is how many random histories are checked: more than the few of make test by HENCE_HISTORIES=1000.
func histories(t *testing.T) (n int) {
	n, err := strconv.Atoi(cmp.Or(os.Getenv("HENCE_HISTORIES"), "15"))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Of two undos at once one undoes, and the other says so.
func TestTwoUndosAtOnceAreOne(t *testing.T) {
	w := newKept(t, map[string]string{"a.kv": "x=1"})
	w.allow(true)
	w.remove("a.kv")
	w.imports()
	seq := w.lastSeq()
	failed := make(chan error, 4)
	for range cap(failed) {
		go func() {
			_, _, err := w.mirror.Undo(t.Context(), journal.UndoArgs{Seq: seq})
			failed <- err
		}()
	}
	done := 0
	for range cap(failed) {
		switch err := <-failed; {
		case err == nil:
			done++
		case fault.CodeOf(err) != fault.Conflict:
			t.Error(err)
		}
	}
	if done != 1 {
		t.Errorf("%d undos have undone it", done)
	}
	w.wantFiles("after all", map[string]string{"a.kv": "x=1"})
	if n := dbtest.Count(t, w.mirror.DB, `select count(*) from batches where operation = 'undo'`); n != 1 {
		t.Errorf("there are %d batches of undos", n)
	}
}

// An undo that fails midway takes back what it did.
func TestAnUndoThatCannotMakeAFileChangesNone(t *testing.T) {
	w := newKept(t, map[string]string{"a.kv": "x=1", "b.kv": "y=2", "sub/c.kv": "z=3"})
	w.allow(true)
	before := w.files()
	w.remove("a.kv")
	w.write("b.kv", "y=3")
	w.remove("sub/c.kv")
	w.remove("sub")
	w.write("d.kv", "new=1")
	w.imports()
	seq := w.lastSeq()
	if err := os.WriteFile(filepath.Join(w.dir, "sub"), []byte("a file"), 0o600); err != nil {
		t.Fatal(err)
	}
	now := w.files()
	if _, err := w.undo(seq); err == nil {
		t.Error("the folder is made where a file is")
	}
	w.wantFiles("after the refusal", now)
	w.remove("sub")
	w.undoes(seq)
	w.wantFiles("after the undo", before)
}

// A file in the place of a folder, and the other way round, gives way.
func TestAFolderBecomesAFileAndAFileAFolder(t *testing.T) {
	w := newKept(t, map[string]string{"a/b/c.kv": "x=1", "d": "y=2"})
	w.allow(true)
	before := w.files()
	if err := os.RemoveAll(filepath.Join(w.dir, "a")); err != nil {
		t.Fatal(err)
	}
	w.remove("d")
	w.write("a", "x=2")
	w.write("d/e/f.kv", "y=3")
	w.imports()
	after := w.files()
	by := w.undoes(0).By
	w.wantFiles("after the undo", before)
	w.undoes(by)
	w.wantFiles("after the redo", after)
}

// meddle does what a client may do to its files.
func (w world) meddle(r *rand.Rand) {
	names := []string{"a.kv", "b.kv", "c.kv", "n/a.kv", "n/b.kv", "MEMORY.md", "deep/er/x.kv"}
	pick := func() string { return names[r.IntN(len(names))] }
	there := slices.Sorted(maps.Keys(w.files()))
	switch one := pick(); {
	case len(there) > 0 && r.IntN(3) == 0:
		w.remove(there[r.IntN(len(there))])
	case len(there) > 0 && r.IntN(3) == 0:
		w.move(there[r.IntN(len(there))], one) // over another file too
	case r.IntN(8) == 0:
		if err := os.RemoveAll(filepath.Join(w.dir, path.Dir(one))); err != nil && path.Dir(one) != "." {
			w.Fatal(err)
		}
		if err := os.MkdirAll(w.dir, 0o755); err != nil {
			w.Fatal(err)
		}
	case r.IntN(2) == 0: // write and rename
		w.write(".tmp-"+path.Base(one), fmt.Sprintf("k=%d", r.IntN(6)))
		w.move(".tmp-"+path.Base(one), one)
	default:
		w.write(one, strings.Repeat(fmt.Sprintf("k=%d\r\n", r.IntN(6)), r.IntN(3)))
	}
}

// Whatever a client does between imports: each text that stood at an import is kept, files change only with
// leave, and undo and redo go through all states.
func TestNoTextThatStoodAtAnImportIsLost(t *testing.T) {
	dbtest.SkipUnderRace(t)
	for n := range histories(t) {
		r := rand.New(rand.NewPCG(7, uint64(n)))
		w := newKept(t, map[string]string{"a.kv": "k=1", "MEMORY.md": "- a", "n/b.kv": "k=2"})
		states, seqs := []map[string]string{w.files()}, []int64{0}
		for range 2 + r.IntN(5) {
			for range 1 + r.IntN(6) {
				w.meddle(r)
			}
			before := w.lastSeq()
			if r.IntN(4) == 0 { // an import is killed, and the client goes on
				end := dbtest.RefuseAfter(t, w.mirror.DB.Path(), r.IntN(6))
				_, err := w.mirror.Import(t.Context(), projection.ImportArgs{Dir: w.dir})
				if end(); err != nil {
					w.meddle(r)
				}
			}
			w.imports()
			if now := w.files(); w.lastSeq() != before {
				states, seqs = append(states, now), append(seqs, w.lastSeq())
			} else if !maps.Equal(now, states[len(states)-1]) {
				t.Fatalf("history %d: an import saw nothing of %v → %v", n, states[len(states)-1], now)
			}
		}
		for _, state := range states {
			for path, text := range state {
				if dbtest.Count(t, w.mirror.DB, `select count(*) from versions where hash = ? and bytes = ?`, db.Hash(text), []byte(text)) == 0 {
					t.Fatalf("history %d: %s was %q at an import, and is lost", n, path, text)
				}
			}
		}
		if len(states) == 1 {
			continue
		}
		now := w.files()
		if _, err := w.undo(seqs[len(seqs)-1]); fault.CodeOf(err) != fault.ReadOnly {
			t.Fatalf("history %d: Undo without leave: %v", n, err)
		}
		w.wantFiles("without leave", now)
		w.allow(true)
		undos := []int64{}
		for at := len(states) - 1; at > 0; at-- {
			undos = append(undos, w.undoes(seqs[at]).By)
			w.wantFiles(fmt.Sprintf("history %d, undone back to %d", n, at-1), states[at-1])
		}
		for at := 1; at < len(states); at++ {
			if by := undos[len(undos)-at]; by != 0 { // 0: nothing came of the import in the end
				w.undoes(by)
			}
			w.wantFiles(fmt.Sprintf("history %d, redone up to %d", n, at), states[at])
		}
		contents := projectiontest.Contents(t, w.mirror.DB)
		if diff := gocmp.Diff(w.fresh(dbtest.New(t))["files"], contents["files"]); diff != "" {
			t.Fatalf("history %d: the store (-fresh +kept):\n%s", n, diff)
		}
	}
}
