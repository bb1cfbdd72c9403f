package projection_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hence/internal/db/dbtest"
	"hence/internal/fault"
	_ "hence/internal/repeattest"
	"hence/internal/script"
	"hence/memory/journal"
	"hence/projection"
	"hence/projection/folder"
	"hence/projection/projectiontest"
)

func TestImportMakesMemoriesSitesAndEdges(t *testing.T) {
	w := newWorld(t, map[string]string{
		"base.kv": "port=80\nhost=elsewhere", "app.kv": "import=base\nref=base:port\nref=base:none\nowner=ann\nowner=nobody",
		"ann.kv": "status=superseded\nfriend=base", "old/note.txt": "text",
	})
	if got, want := count(w.imports()), "added 4 updated 0 moved 0 removed 0 unchanged 0 links 4 edges 3 dangling 1 ambiguous 0 refused 0 mentions 1"; got != want {
		t.Errorf("report\n%s, want\n%s", got, want)
	}
	w.want("ann mentions base", "app depends-on base", "app refers-to ann", "app refers-to base")
	if got := w.rows(`select target from sites where resolved_by = ''`); !slices.Equal(got, []string{"base:none"}) {
		t.Errorf("dangling: %q", got)
	}
	if got := w.rows(`select title from memories where status = 'superseded'`); !slices.Equal(got, []string{"ann"}) {
		t.Errorf("superseded: %q", got)
	}
	if got, want := count(w.imports()), "added 0 updated 0 moved 0 removed 0 unchanged 4 links 4 edges 3 dangling 1 ambiguous 0 refused 0 mentions 1"; got != want {
		t.Errorf("again: report\n%s, want\n%s", got, want)
	}
}

func TestAnEditIsTakenInAlone(t *testing.T) {
	w := newWorld(t, map[string]string{"a.kv": "import=b\nimport=c", "b.kv": "", "c.kv": "x=1"})
	w.imports()
	edge := w.rows(`select id from edges order by key limit 1`)
	w.write("a.kv", "import=b\nsupersedes=c")
	if r := w.imports(); r.Updated != 1 || r.Unchanged != 2 {
		t.Errorf("report %s, want one updated", count(r))
	}
	w.want("a depends-on b", "a supersedes c")
	if got := w.rows(`select id from edges where kind = 'depends-on'`); !slices.Equal(got, edge) {
		t.Errorf("the edge that is still declared is %q, was %q", got, edge)
	}
}

func TestAMovedFileKeepsItsIDAndItsEdges(t *testing.T) {
	w := newWorld(t, map[string]string{"a.kv": "import=b", "b.kv": "port=80", "c.kv": "import=a\nref=a:port"})
	w.imports()
	id, edges := w.id("b.kv"), w.rows(`select id from edges order by id`)
	w.move("b.kv", "sub/b.kv")
	if r := w.imports(); r.Moved != 1 || r.Added+r.Removed != 0 {
		t.Errorf("report %s, want one moved", count(r))
	}
	if got := w.id("sub/b.kv"); got != id {
		t.Errorf("the moved file is %s, was %s", got, id)
	}
	if got := w.rows(`select id from edges order by id`); !slices.Equal(got, edges) {
		t.Errorf("edges %q, were %q", got, edges)
	}
	w.want("a depends-on b", "c depends-on a", "c refers-to b")
}

// TestFilesThatAreAlikeMoveByTheirNames moves files that have the same bytes. Those that no name tells
// apart are other files.
func TestFilesThatAreAlikeMoveByTheirNames(t *testing.T) {
	for name, moves := range map[string]map[string]string{ // from → to; "" for a file that is a new one
		"AFolder":            {"in/a.kv": "out/a.kv", "in/b.kv": "out/b.kv", "in/deep/a.kv": "out/deep/a.kv"},
		"TwoFoldersToOthers": {"x/1/index.kv": "y/1/index.kv", "x/2/index.kv": "y/2/index.kv"},
		"OneIsRenamedToo":    {"a.kv": "sub/a.kv", "b.kv": "sub/c.kv"},
		"IntoTheRoot":        {"in/a.kv": "a.kv", "in/b.kv": "b.kv"},
		"NoNameTellsWhich":   {"a/x.kv": "", "b/x.kv": ""},
	} {
		t.Run(name, func(t *testing.T) {
			files := map[string]string{"stays.kv": "text=alike"}
			for from := range moves {
				files[from] = "text=alike"
			}
			w, ids, moved := newWorld(t, files), map[string]string{}, 0
			w.imports()
			for from, to := range moves {
				if ids[to] = w.id(from); to == "" {
					to = "new/" + from[:1] + "/y.kv"
				} else {
					moved++
				}
				w.move(from, to)
			}
			if r := w.imports(); r.Moved != moved || r.Added != len(moves)-moved {
				t.Errorf("report %s, want %d moved", count(r), moved)
			}
			for to, id := range ids {
				if to != "" && w.id(to) != id {
					t.Errorf("%s is %s, was %s", to, w.id(to), id)
				}
			}
		})
	}
}

// TestAFileThatMovesAndIsEditedIsKnownByItsNameAndWords moves a file and edits it before the next import.
func TestAFileThatMovesAndIsEditedIsKnownByItsNameAndWords(t *testing.T) {
	words := func(from, to int) (text string) {
		for i := from; i < to; i++ {
			text += fmt.Sprintf("w%d=%d\n", i, i)
		}
		return text
	}
	for _, c := range []struct {
		name, to, text string
		moves          bool
	}{
		{"some words are others", "sub/b.kv", words(3, 43), true},
		{"most words are others", "sub/b.kv", words(20, 60), false},
		{"another name", "sub/c.kv", words(3, 43), false},
		{"few words", "sub/b.kv", words(0, 10), false},
		{"other case", "B.kv", "x=2", true},
		{"a folder of other case", "Sub/é.kv", "x=2", true},
		{"other Unicode form", "sub/e\u0301.kv", "x=2", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, map[string]string{"a.kv": "import=b", "b.kv": words(0, 40), "c.kv": "x=1", "sub/é.kv": "x=1"})
			w.imports()
			from := "b.kv"
			if script.FoldCase(c.to) == "sub/é.kv" {
				from = "sub/é.kv"
			}
			id := w.id(from)
			w.remove(from)
			w.write(c.to, c.text)
			if r := w.imports(); (r.Moved == 1) != c.moves || (w.id(c.to) == id) != c.moves {
				t.Errorf("report %s; moved is to be %v", count(r), c.moves)
			}
		})
	}
}

func TestEdgesOfADeletedFileDangleUntilItComesBack(t *testing.T) {
	w := newWorld(t, map[string]string{"a.kv": "import=b\nowner=b\nref=b:x\nlike=b", "b.kv": "x=1", "keep.kv": ""})
	w.imports()
	want := projectiontest.Contents(t, w.mirror.DB)
	id := w.id("b.kv")
	text, info := read(t, w, "b.kv")
	w.remove("b.kv")
	if r := w.imports(); r.Removed != 1 || r.Dangling != 2 || r.Mentions != 0 {
		t.Errorf("report %s, want one removed, two dangling", count(r))
	}
	w.want()
	if got := w.rows(`select target || ' ' || resolved_by from sites order by 1`); !slices.Equal(got, []string{"b ", "b nobody", "b:x "}) {
		t.Errorf("sites %q", got)
	}
	w.write("b.kv", text)
	if err := os.Chtimes(filepath.Join(w.dir, "b.kv"), info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	w.imports()
	if diff := cmp.Diff(want, projectiontest.Contents(t, w.mirror.DB)); diff != "" {
		t.Errorf("once it is back (-before +after):\n%s", diff)
	}
	if w.id("b.kv") != id {
		t.Error("the file that came back has another id")
	}
}

func read(t *testing.T, w world, file string) (text string, info os.FileInfo) {
	t.Helper()
	bytes, err := os.ReadFile(filepath.Join(w.dir, file))
	if err == nil {
		info, err = os.Stat(filepath.Join(w.dir, file))
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(bytes), info
}

func TestADanglingSiteBecomesAnEdgeWhenItsTargetAppears(t *testing.T) {
	w := newWorld(t, map[string]string{"a.kv": "import=b\nowner=b\nref=b:x\nlike=b"})
	w.imports()
	w.want()
	w.write("b.kv", "x=1")
	if r := w.imports(); r.Added != 1 || r.Updated != 0 || r.Dangling != 0 {
		t.Errorf("report %s, want one added and nothing dangling", count(r))
	}
	w.want("a depends-on b", "a mentions b", "a refers-to b", "a refers-to b")
}

// A reference may resolve through an imported file, so that an edit of that file changes the
// references of an unchanged one.
func TestAnEditBindsTheReferencesOfDependents(t *testing.T) {
	w := newWorld(t, map[string]string{
		"app.kv": "import=base\nref=base:port", "base.kv": "import=net", "net.kv": "port=80", "other.kv": "port=8080",
	})
	w.imports()
	w.want("app depends-on base", "app refers-to net", "base depends-on net")
	for _, step := range []struct {
		file, text string
		want       []string
	}{
		{"base.kv", "import=other", []string{"app depends-on base", "app refers-to other", "base depends-on other"}},
		{"other.kv", "", []string{"app depends-on base", "base depends-on other"}},
		{"other.kv", "import=net", []string{"app depends-on base", "app refers-to net", "base depends-on other", "other depends-on net"}},
		{"base.kv", "port=1", []string{"app depends-on base", "app refers-to base", "other depends-on net"}},
	} {
		w.write(step.file, step.text)
		if r := w.imports(); r.Updated != 1 {
			t.Errorf("%s: report %s, want one updated", step.text, count(r))
		}
		w.want(step.want...)
	}
}

func TestDeclaredCycleIsRefusedUntilItsRivalIsGone(t *testing.T) {
	w := newWorld(t, map[string]string{"a.kv": "import=b", "b.kv": "import=a", "c.kv": ""})
	r := w.imports()
	want := []projection.Place{{Path: "b.kv", Line: 1, Target: "a", Rel: "import", Why: "cycle"}}
	if diff := cmp.Diff(want, r.RefusedLinks); diff != "" {
		t.Errorf("refused (-want +got):\n%s", diff)
	}
	w.want("a depends-on b")
	w.write("a.kv", "import=c")
	w.imports()
	w.want("a depends-on c", "b depends-on a")
}

func TestChangedSettingsReadEveryFile(t *testing.T) {
	w := newWorld(t, map[string]string{"a.kv": "import=b\nref=b:x", "b.kv": "x=1"})
	w.imports()
	w.write(".kvkind", "supports")
	if r := w.imports(); r.Updated != 2 {
		t.Errorf("report %s, want both updated", count(r))
	}
	w.want("a depends-on b", "a supports b")
}

func TestForgetPutsAFolderAway(t *testing.T) {
	w := newWorld(t, map[string]string{"a.kv": "import=b", "b.kv": "x=1"})
	w.imports()
	id := w.id("a.kv")
	vaults, err := w.mirror.Vaults(t.Context())
	if err != nil || len(vaults) != 1 {
		t.Fatalf("vaults %v, %v", vaults, err)
	}
	if _, _, err := w.mirror.Forget(t.Context(), "forget", vaults[0], false, journal.Batch{Operation: "forget"}); err != nil {
		t.Fatal(err)
	}
	w.want()
	w.imports()
	w.want("a depends-on b")
	if w.id("a.kv") != id {
		t.Error("the file that came back has another id")
	}
	if _, _, err := w.mirror.Forget(t.Context(), "forget", vaults[0], true, journal.Batch{Operation: "forget"}); err != nil {
		t.Fatal(err)
	}
	if n := dbtest.Count(t, w.mirror.DB, `select count(*) from memories`); n != 0 {
		t.Errorf("%d memories are left", n)
	}
}

// TestAnImportCutOffAfterAnyTransactionGoesOn stops a first import, and an import of changes,
// before each of their transactions. After the next import the store is the same as after an
// import that was not stopped.
func TestAnImportCutOffAfterAnyTransactionGoesOn(t *testing.T) {
	dbtest.SkipUnderRace(t)
	before := map[string]string{
		"a.kv": "import=b\nref=b:x\nlike=c", "b.kv": "import=c", "c.kv": "x=1\nsupersedes=d", "d.kv": "import=a\nowner=e", "gone.kv": "import=a", "moved.kv": "text=moved",
	}
	change := func(w world) {
		w.write("b.kv", "import=e")
		w.write("e.kv", "x=2\nsupersedes=d")
		w.remove("gone.kv")
		w.move("moved.kv", "sub/moved.kv")
	}
	for _, first := range []bool{true, false} {
		t.Run(map[bool]string{true: "First", false: "OfChanges"}[first], func(t *testing.T) {
			for n := 0; ; n++ {
				w := newWorld(t, before)
				if !first {
					w.imports()
					change(w)
				}
				end := dbtest.RefuseAfter(t, w.mirror.DB.Path(), n)
				_, err := w.mirror.Import(t.Context(), projection.ImportArgs{Dir: w.dir})
				end()
				if err == nil {
					if n < 5 {
						t.Errorf("an import takes %d transactions only", n)
					}
					return
				}
				w.imports()
				if diff := cmp.Diff(w.fresh(dbtest.New(t)), projectiontest.Contents(t, w.mirror.DB)); diff != "" {
					t.Fatalf("cut off after %d transactions (-fresh +gone on):\n%s", n, diff)
				}
			}
		})
	}
}

func TestAStoppedImportSaysSoAndGoesOn(t *testing.T) {
	w := newWorld(t, map[string]string{"a.kv": "import=b", "b.kv": ""})
	ctx, cancel := context.WithCancel(t.Context())
	w.mirror.Progress = func(int, int) { cancel() }
	if _, err := w.mirror.Import(ctx, projection.ImportArgs{Dir: w.dir}); fault.CodeOf(err) != fault.Unavailable && !errors.Is(err, ctx.Err()) {
		t.Fatalf("Import: %v, want that it was stopped", err)
	}
	w.mirror.Progress = nil
	w.imports()
	w.want("a depends-on b")
}

// The names and texts of the files of the state test. There are few names, so that references
// often find a file.
var (
	statePaths = []string{"a.kv", "b.kv", "c.kv", "sub/a.kv", "sub/d.kv", "e.kv", "pic.png"}
	stateNames = []string{"a", "b", "c", "d", "e", "none"}
	stateKeys  = []string{"x", "y"}
)

func stateText(t *rapid.T) (text string) {
	name := rapid.SampledFrom(stateNames)
	for range rapid.IntRange(0, 5).Draw(t, "lines") {
		switch rapid.SampledFrom([]string{"import", "import", "ref", "ref", "supersedes", "owner", "value", "status"}).Draw(t, "what") {
		case "import":
			text += "import=" + name.Draw(t, "import")
		case "ref":
			text += "ref=" + name.Draw(t, "ref") + ":" + rapid.SampledFrom(stateKeys).Draw(t, "key")
		case "supersedes":
			text += "supersedes=" + name.Draw(t, "old")
		case "owner":
			text += "owner=" + name.Draw(t, "owner")
		case "value":
			text += rapid.SampledFrom(stateKeys).Draw(t, "key") + "=" + name.Draw(t, "value")
		case "status":
			text += "status=superseded"
		}
		text += "\n"
	}
	return text
}

func (w world) change(t *rapid.T) {
	file := rapid.SampledFrom(statePaths).Draw(t, "path")
	_, err := os.Stat(filepath.Join(w.dir, file))
	switch exists := err == nil; {
	case rapid.IntRange(0, 20).Draw(t, "settings?") == 0:
		w.write(".kvkind", rapid.SampledFrom([]string{"refers-to", "supports"}).Draw(t, "kind"))
	case exists && rapid.IntRange(0, 3).Draw(t, "remove?") == 0:
		w.remove(file)
	case exists && rapid.IntRange(0, 2).Draw(t, "move?") == 0:
		w.move(file, rapid.SampledFrom(statePaths).Draw(t, "to"))
	case exists && rapid.IntRange(0, 3).Draw(t, "touch?") == 0:
		projectiontest.Touch(w, w.dir, file)
	default:
		w.write(file, stateText(t))
	}
}

// TestIncrementalImportEqualsOneFromNothing edits, moves and deletes at random, and imports
// each change with the whole folder, or file by file, as writers do.
func TestIncrementalImportEqualsOneFromNothing(t *testing.T) {
	dbtest.CheckTimes(t, 15)
	rapid.Check(t, func(rt *rapid.T) {
		w := newWorld(t, map[string]string{"keep.txt": "so that the folder is never empty"})
		w.mirror.DB = dbtest.New(rt)
		w.imports()
		for range rapid.IntRange(2, 5).Draw(rt, "imports") {
			for range rapid.IntRange(1, 4).Draw(rt, "changes") {
				w.change(rt)
			}
			w.imports()
			if rapid.Bool().Draw(rt, "write?") {
				file := rapid.SampledFrom(statePaths[:6]).Draw(rt, "written")
				w.write(file, stateText(rt))
				w.project(file)
			}
			if diff := cmp.Diff(w.fresh(dbtest.New(rt)), projectiontest.Contents(t, w.mirror.DB)); diff != "" {
				rt.Fatalf("the store after changes (-fresh +incremental):\n%s", diff)
			}
			if again := w.imports(); again.HasChanged() {
				rt.Fatalf("importing again changes something: %+v", again)
			}
		}
	})
}

// project imports a file that was written.
func (w world) project(file string) {
	w.Helper()
	vaults, err := w.mirror.Vaults(w.Context())
	if err != nil || len(vaults) != 1 {
		w.Fatalf("vaults %v, %v", vaults, err)
	}
	f, err := folder.Open(w.dir)
	if err != nil {
		w.Fatal(err)
	}
	defer f.Close()
	source, err := toy.Open(f)
	if err == nil {
		err = w.mirror.Project(w.Context(), journal.Batch{Operation: "update"}, vaults[0], source, file)
	}
	if err != nil {
		w.Fatal(err)
	}
}
