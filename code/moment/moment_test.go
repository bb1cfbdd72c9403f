package moment_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/code"
	"hence/code/moment"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/recall/answer"
	"hence/projection"
	"hence/projection/projectiontest"
)

const storeGo = `package db

// Open opens.
func Open(name string) error {
	return nil
}

// Close closes.
func Close() error { return nil }
`

const storeTS = `export class Store {
  get(key: string) {
    return key
  }
  set(key: string) {
    return key + "!"
  }
}
`

// world is an imported repository with decisions that are tied to it.
type world struct {
	*testing.T
	dir string
	v   ref.View
}

func newWorld(t *testing.T) world {
	w := world{t, filepath.Join(dbtest.Folder(t), "repo"), ref.View{DB: dbtest.New(t), Caller: ref.Caller{Actor: "ada", Project: "repo"}}}
	if err := os.MkdirAll(filepath.Join(w.dir, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"db/store.go": storeGo, "web/store.ts": storeTS, "web/index.ts": "export const a = 1\n", "index.ts": "export const b = 1\n"} {
		projectiontest.Write(t, w.dir, name, text)
	}
	into := code.Importer{DB: w.v.DB, Caller: w.v.Caller}
	if _, err := into.Mirror().Import(t.Context(), projection.ImportArgs{Dir: w.dir}); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w world) store(a memory.StoreArgs, title, to, kind string) {
	w.Helper()
	if a.Title, a.Dedup = &title, "off"; a.Content == "" {
		a.Content = "It was decided."
	}
	if to != "" {
		a.Links = []memory.NewLink{{To: to, Type: kind}}
	}
	if _, err := memory.Store(w.v).Remember(w.Context(), a, nil); err != nil {
		w.Fatal(err)
	}
}

func titles(found []answer.Found) string {
	all := []string{}
	for _, f := range found {
		mark := ""
		if len(f.Stale) > 0 {
			mark = " stale"
		}
		all = append(all, f.Title+mark)
	}
	return strings.Join(all, ", ")
}

func TestRecall_OfEdits(t *testing.T) {
	w := newWorld(t)
	other := w
	other.v.Caller.Project = "elsewhere"
	w.store(memory.StoreArgs{}, "Of Open", "db.Open", "depends-on")
	w.store(memory.StoreArgs{}, "Of what Open decides", "Of Open", "depends-on")
	w.store(memory.StoreArgs{}, "Beside Close", "db.Close", "relates-to")
	w.store(memory.StoreArgs{}, "Of get", "code://repo/web/store.ts#Store.get", "depends-on")
	w.store(memory.StoreArgs{}, "Of Store", "code://repo/web/store.ts#Store", "derived-from")
	w.store(memory.StoreArgs{Content: "The root's index.ts, beside web, is made by a script; web/index.ts is not."}, "Of index", "", "")
	w.store(memory.StoreArgs{}, "Old", "db.Open", "depends-on")
	w.store(memory.StoreArgs{Supersedes: []string{"Old"}}, "New", "", "")
	other.store(memory.StoreArgs{Content: "db/new.go is ours."}, "Of another project", "", "")
	w.store(memory.StoreArgs{Content: "db/new.go was.", ValidFrom: "2020-01-01", ValidTo: "2021-01-01"}, "Over", "", "")

	none := w
	none.v.Caller = ref.Caller{Actor: "ada", Origin: "person"}
	none.store(memory.StoreArgs{Content: "db/close.go is somebody's."}, "Of no project", "", "")
	none.store(memory.StoreArgs{Content: "db/close.go is never deleted.", Kind: "preference"}, "A rule of no project", "", "")
	none.store(memory.StoreArgs{Content: "db/close.go is everybody's.", Everywhere: true}, "For everywhere", "", "")
	none.store(memory.StoreArgs{}, "Tied, of no project", "code://repo/web/index.ts", "depends-on")

	text := func(s string) *string { return &s }
	change := func(old, now string) []moment.Change { return []moment.Change{{Old: old, New: now}} }
	for _, c := range []struct {
		name string
		edit moment.Edit
		want string
	}{
		{"ABody", moment.Edit{Path: "db/store.go", Changes: change("\treturn nil\n", "\treturn flush()\n")}, "Of Open, Of what Open decides"},
		{"ItsComment", moment.Edit{Path: "db/store.go", Changes: change("// Open opens.", "// Open opens a file.")}, ""},
		{"ALinkedOne", moment.Edit{Path: "db/store.go", Changes: change("func Close() error { return nil }", "func Close() error { return flush() }")}, "Beside Close"},
		{"BehindAll", moment.Edit{Path: "db/store.go", Changes: change("error { return nil }\n", "error { return nil }\n\nfunc New() {}\n")}, ""},
		{"AllOfIt", moment.Edit{Path: "db/store.go", Content: text("package db\n")}, "Beside Close, Of Open, Of what Open decides"},
		{"Moved", moment.Edit{Path: "db/store.go", Content: text("package db\n\nvar A = 1\n\n// Close closes.\nfunc Close() error { return nil }\n\nfunc Open(name string) error {\n\treturn nil\n}\n")}, ""},
		{"Deleted", moment.Edit{Path: "db/store.go"}, "Beside Close, Of Open, Of what Open decides"},
		{"AMethod", moment.Edit{Path: "web/store.ts", Changes: change("return key\n", "return key + 1\n")}, "Of get, Of Store"},
		{"AnotherMethod", moment.Edit{Path: "web/store.ts", Changes: change(`return key + "!"`, "return key")}, "Of Store"},
		{"ANameOfTwo", moment.Edit{Path: "web/index.ts", Content: text("")}, "Tied, of no project, Of index"},
		{"OfNoProject", moment.Edit{Path: "db/close.go", Content: text("package db\n")}, "A rule of no project, For everywhere"},
		{"OfOthersOrOver", moment.Edit{Path: "db/new.go", Content: text("package db\n")}, ""},
		{"Nothing", moment.Edit{Path: "README.md", Content: text("# R\n")}, ""},
		{"Outside", moment.Edit{Path: "../x.go", Content: text("package x\n")}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.edit.Path = filepath.Join(w.dir, c.edit.Path)
			found, err := moment.Finder(w.v).Recall(t.Context(), moment.Act{Edits: []moment.Edit{c.edit}}, nil)
			if diff := cmp.Diff(c.want, titles(found)); diff != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}

// A symbol whose new text contains the old one is changed, and one that only moves is not.
func TestRecall_OfEditsThatAddToAText(t *testing.T) {
	w := newWorld(t)
	files := map[string]string{
		"n/n.go": "package n\n\nconst Limit = 10\n\nfunc Add() {\n\tone()\n}\n\nfunc Twin() {}\n",
		"n.py":   "def double(x):\n    return x\n\n\nclass A:\n    def f(self):\n        return 1\n",
	}
	for name, text := range files {
		projectiontest.Write(t, w.dir, name, text)
	}
	into := code.Importer{DB: w.v.DB, Caller: w.v.Caller}
	if _, err := into.Mirror().Import(t.Context(), projection.ImportArgs{Dir: w.dir}); err != nil {
		t.Fatal(err)
	}
	for _, to := range []string{"n.Limit", "n.Add", "n.Twin", "code://repo/n.py#double", "code://repo/n.py#A", "code://repo/n.py#A.f"} {
		w.store(memory.StoreArgs{}, "Of "+to[strings.LastIndexAny(to, ".#")+1:], to, "depends-on")
	}
	for _, c := range []struct{ file, old, now, want string }{
		{"n/n.go", "const Limit = 10", "const Limit = 100", "Of Limit"},
		{"n/n.go", "\tone()\n}", "\tone()\n\ttwo()\n}", "Of Add"},
		{"n/n.go", "\tone()\n", "\tone() // once\n", ""},
		{"n/n.go", "func Twin() {}\n", "", "Of Twin"},
		{"n/n.go", "func Twin() {}", "func Other() {}", "Of Twin"},
		{"n/n.go", "const Limit = 10\n", "func Twin() {}\n\nconst Limit = 10\n", ""},
		{"n/n.go", "const Limit = 10\n", "const Limit = (10\n", "Of Limit"},
		{"n.py", "return x", "return x * 2", "Of double"},
		{"n.py", "class A:", "class B:", "Of A"},
		{"n.py", "return 1", "return 1 + 1", "Of f, Of A"},
		{"n.py", "        return 1\n", "        return 1\n\n    def g(self):\n        pass\n", "Of A"},
	} {
		full := filepath.Join(w.dir, filepath.FromSlash(c.file))
		act := moment.Act{Edits: []moment.Edit{{Path: full, Changes: []moment.Change{{Old: c.old, New: c.now}}}}}
		recall := func(act moment.Act) string {
			t.Helper()
			found, err := moment.Finder(w.v).Recall(t.Context(), act, nil)
			if err != nil {
				t.Fatal(err)
			}
			return titles(found)
		}
		if got := recall(act); got != c.want {
			t.Errorf("before %q becomes %q: %q, want %q", c.old, c.now, got, c.want)
		}
		projectiontest.Write(t, w.dir, c.file, strings.Replace(files[c.file], c.old, c.now, 1))
		if got := recall(act.Done()); got != c.want {
			t.Errorf("after %q became %q: %q, want %q", c.old, c.now, got, c.want)
		}
		projectiontest.Write(t, w.dir, c.file, files[c.file])
	}
}

// The disk tells what is stale, without an import.
func TestDoubts(t *testing.T) {
	w := newWorld(t)
	w.store(memory.StoreArgs{}, "Of Open", "db.Open", "depends-on")
	w.store(memory.StoreArgs{}, "Of Close", "db.Close", "depends-on")
	w.store(memory.StoreArgs{}, "Of the file", "db/store.go", "depends-on")
	w.store(memory.StoreArgs{}, "Beside Open", "db.Open", "relates-to")
	paths := []string{filepath.Join(w.dir, "db", "store.go"), filepath.Join(w.dir, "gone.go")}
	for _, c := range []struct{ name, from, to, want string }{
		{"Unchanged", "", "", ""},
		{"AComment", "// Open opens.", "// Open opens a file.", "Of the file stale"},
		{"ABody", "\treturn nil\n", "\treturn flush()\n", "Of Open stale, Of the file stale"},
		{"Broken", "func Close() error {", "func Close( error {{", "Of Close stale, Of the file stale"},
		{"Removed", "// Close closes.\nfunc Close() error { return nil }\n", "", "Of Close stale, Of the file stale"},
	} {
		t.Run(c.name, func(t *testing.T) {
			projectiontest.Write(t, w.dir, "db/store.go", strings.Replace(storeGo, c.from, c.to, 1))
			found, err := moment.Finder(w.v).Doubts(t.Context(), paths, "2020-01-01T00:00:00.000Z", nil)
			if diff := cmp.Diff(c.want, titles(found)); diff != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
	into := code.Importer{DB: w.v.DB, Caller: w.v.Caller}
	if _, err := into.Mirror().Import(t.Context(), projection.ImportArgs{Dir: w.dir}); err != nil {
		t.Fatal(err)
	}
	if found, err := moment.Finder(w.v).Doubts(t.Context(), paths, "2020-01-01T00:00:00.000Z", nil); titles(found) != "Of Close stale, Of the file stale" || err != nil {
		t.Errorf("after an import: %s, %v", titles(found), err)
	}
	if found, err := moment.Finder(w.v).Doubts(t.Context(), paths, "2999-01-01T00:00:00.000Z", nil); titles(found) != "" || err != nil {
		t.Errorf("in doubt before the session: %s, %v", titles(found), err)
	}
}

// A file in another worktree, beside the repository that was imported or in it, is the one of that.
func TestRecall_InAnotherWorktree(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not here")
	}
	w := newWorld(t)
	w.store(memory.StoreArgs{}, "Of Open", "db.Open", "depends-on")
	trees := []string{filepath.Join(filepath.Dir(w.dir), "second"), filepath.Join(w.dir, ".claude", "worktrees", "third")}
	for _, words := range [][]string{
		{"init", "-q"}, {"add", "."}, {"-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x"}, {"worktree", "add", "-q", trees[0]}, {"worktree", "add", "-q", trees[1]},
	} {
		if out, err := exec.Command("git", append([]string{"-C", w.dir}, words...)...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v %s", words, err, out)
		}
	}
	for _, tree := range trees {
		edit := moment.Edit{Path: filepath.Join(tree, "db", "store.go"), Changes: []moment.Change{{Old: "\treturn nil", New: "\treturn x"}}}
		if found, err := moment.Finder(w.v).Recall(t.Context(), moment.Act{Edits: []moment.Edit{edit}}, nil); titles(found) != "Of Open" || err != nil {
			t.Errorf("%s: %s, %v", tree, titles(found), err)
		}
	}
}
