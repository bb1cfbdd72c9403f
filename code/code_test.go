package code_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/code"
	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/memory"
	"hence/projection"
	"hence/projection/projectiontest"
)

// world is a repository on disk, with a store that mirrors it.
type world struct {
	*testing.T
	dir  string
	into code.Importer
}

func newWorld(t *testing.T, files map[string]string) world {
	w := world{t, filepath.Join(dbtest.Folder(t), "repo"), code.Importer{DB: dbtest.New(t), Caller: ref.Caller{Actor: "tester"}}}
	if err := os.Mkdir(w.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, file := range slices.Sorted(maps.Keys(files)) {
		w.write(file, files[file])
	}
	return w
}

func (w world) write(file, text string) {
	w.Helper()
	projectiontest.Write(w, w.dir, file, text)
}

func (w world) move(from, to string) {
	w.Helper()
	projectiontest.Move(w, w.dir, from, to)
}

func (w world) remove(file string) {
	w.Helper()
	projectiontest.Remove(w, w.dir, file)
}

func (w world) imports() projection.Report {
	w.Helper()
	report, err := w.into.Mirror().Import(w.Context(), projection.ImportArgs{Dir: w.dir})
	if err != nil {
		w.Fatal(err)
	}
	return report
}

func (w world) rows(query string, args ...any) []string {
	w.Helper()
	return projectiontest.Rows(w, w.into.DB, query, args...)
}

// edges lists the edges between uris with their evidence.
func (w world) edges(where string) []string {
	w.Helper()
	return w.rows(`
select distinct substr(f.uri, 8) || ' ' || e.kind || iif(e.rel = '', '', ' ' || e.rel) || ' ' || substr(t.uri, 8) || ' by ' || s.resolved_by
from edges e
join memories f on f.key = e.from_key
join memories t on t.key = e.to_key
join sites s on s.edge = e.key
where ` + where + `
order by 1`)
}

func (w world) symbols() []string {
	w.Helper()
	return w.rows(`
select substr(m.uri, 8) || ' ' || m.title || ' ' || m.tags || ' ' || s.sort
from memories m
join symbols s on s.memory = m.key
where m.status = 'current'
order by 1`)
}

var small = map[string]string{
	"go.mod": "module example.com/small\n",
	"db/write.go": `// Package db stores.
package db

// Write writes a batch.
func Write(text string) error { return flush(text, len(text)+1) }

func flush(text string, n int) error { return nil }
`,
	"db/write_test.go": `package db

import "testing"

func TestWrite(t *testing.T) { Write("x") }
`,
	"main.go": `package main

import "example.com/small/db"

func main() { db.Write("hello") }
`,
	"README.md": "# Small\n",
}

func TestARepositoryBecomesSymbolsAndEdges(t *testing.T) {
	w := newWorld(t, small)
	w.imports()
	w.same(w.symbols(), []string{
		`repo repository repo [] repository`,
		`repo/.#main main.main ["lang/go"] func`,
		`repo/db package db ["lang/go"] package`,
		`repo/db#TestWrite db.TestWrite ["lang/go","test"] func`,
		`repo/db#Write db.Write ["lang/go"] func`,
		`repo/db#flush db.flush ["lang/go"] func`,
	})
	w.same(w.edges("e.kind <> 'part-of'"), []string{
		"repo imports repo/db by types",
		"repo/.#main calls repo/db#Write by types",
		"repo/db#TestWrite calls repo/db#Write by types",
		"repo/db#Write calls repo/db#flush by types",
	})
	w.same(w.edges("e.kind = 'part-of'"), []string{
		"repo/.#main part-of repo/main.go by file",
		"repo/README.md part-of repo by file",
		"repo/db part-of repo by file",
		"repo/db#TestWrite part-of repo/db/write_test.go by file",
		"repo/db#Write part-of repo/db/write.go by file",
		"repo/db#flush part-of repo/db/write.go by file",
		"repo/db/write.go part-of repo/db by file",
		"repo/db/write_test.go part-of repo/db by file",
		"repo/go.mod part-of repo by file",
		"repo/main.go part-of repo by file",
	})
	w.same(w.rows(`select content from memories where uri in ('code://repo/db', 'code://repo/db#Write') order by uri`),
		[]string{"Package db stores.", "func Write(text string) error\n\nWrite writes a batch."})
	w.same(w.rows(`select s.start_line || '-' || s.end_line || ' ' || s.tokens || ' ' || s.exported from symbols s join memories m on m.key = s.memory where m.title = 'db.Write'`), []string{"5-5 21 1"})
	if before := w.rows(`select max(seq) from journal`); !slices.Equal(before, func() []string { w.imports(); return w.rows(`select max(seq) from journal`) }()) {
		t.Error("an import that finds nothing new writes to the journal")
	}
}

func (w world) same(got, want []string) {
	w.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		w.Errorf("(-want +got):\n%s", diff)
	}
}

// id returns the id of the current memory of a uri, or "" if there is none.
func (w world) id(name string) string {
	w.Helper()
	return strings.Join(w.rows(`select id from memories where uri = ? and status = 'current'`, "code://repo/"+name), " ")
}

// rests adds a decision that depends on a symbol.
func (w world) rests(name string) {
	w.Helper()
	dbtest.Fill(w, w.into.DB,
		db.S(`insert or ignore into memories (id, title) values ('decision-0001', 'A decision')`),
		db.S(`insert into edges (from_key, to_key, kind) select d.key, s.key, 'depends-on' from memories d, memories s where d.id = 'decision-0001' and s.uri = ?`, "code://repo/"+name))
}

// doubts returns the reasons why the decision is stale.
func (w world) doubts() []string {
	w.Helper()
	return w.rows(`select because_title || ' ' || reason from stale where id = 'decision-0001'`)
}

const long = `func Long(a, b int) int {
	sum := 0
	for i := a; i < b; i++ {
		if i%2 == 0 {
			sum += i * a
		} else {
			sum -= i * b
		}
	}
	return sum
}
`

func TestWhatAnEditDoesToASymbolAndToWhatRestsOnIt(t *testing.T) {
	const head, other = "package p\n\n", "\nfunc Other(x string) string { return x + x + x }\n\nfunc caller() int { return Long(1, 2) }\n"
	edited := strings.Replace(long, "sum += i * a", "sum += i * a * a", 1)
	renamed := func(text string) string { return strings.ReplaceAll(text, "Long(", "Longer(") }
	for _, c := range []struct {
		name   string
		tied   bool
		edit   func(w world)
		uri    string // the new uri of the memory; "": it is gone
		doubts []string
	}{
		{"a comment", true, func(w world) { w.write("p/a.go", head+"// Long is long.\n"+long+other) }, "p#Long", nil},
		{"the layout", true, func(w world) { w.write("p/a.go", head+strings.ReplaceAll(long, "\t", "  ")+other) }, "p#Long", nil},
		{"a neighbour", true, func(w world) { w.write("p/a.go", head+strings.Replace(other, "x + x", "x", 1)+long) }, "p#Long", nil},
		{"another file of the package", true, func(w world) { w.write("p/a.go", head+other); w.write("p/b.go", head+long) }, "p#Long", nil},
		{"the name of the file", true, func(w world) { w.move("p/a.go", "p/z.go") }, "p#Long", nil},
		{"the name of the symbol", false, func(w world) { w.write("p/a.go", head+renamed(long+other)) }, "p#Longer", nil},
		{"another package", true, func(w world) { w.move("p/a.go", "q/a.go") }, "q#Long", nil},
		{"a token", true, func(w world) { w.write("p/a.go", head+edited+other) }, "p#Long", []string{"p.Long changed"}},
		{"a token and the name", true, func(w world) { w.write("p/a.go", head+renamed(edited+other)) }, "p#Longer", []string{"p.Longer changed"}},
		{"a token and the name of what nobody knows", false, func(w world) { w.write("p/a.go", head+renamed(edited+other)) }, "", nil},
		{"gone", true, func(w world) { w.write("p/a.go", head+strings.Replace(other, "Long(1, 2)", "0", 1)) }, "", []string{"p.Long forgotten"}},
		{"two of the same tokens", false, func(w world) {
			w.write("p/a.go", head+renamed(long+other)+strings.Replace(long, "Long(", "Second(", 1))
		}, "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, map[string]string{"go.mod": "module m\n", "p/a.go": head + long + other})
			w.imports()
			id := w.id("p#Long")
			if c.tied {
				w.rests("p#Long")
			}
			c.edit(w)
			w.imports()
			for _, name := range []string{"p#Long", "p#Longer", "q#Long", "p#Second"} {
				if is := w.id(name) == id; is != (name == c.uri) {
					t.Errorf("%s is the symbol: %v", name, is)
				}
			}
			w.same(w.doubts(), append([]string{}, c.doubts...))
			if c.uri == "p#Longer" {
				w.same(w.rows(`select title || ' ' || (select heading from sections where memory = m.key) from memories m where id = ?`, id), []string{"p.Longer longer"})
			}
		})
	}
}

// A version of Hence that counts other tokens does not make what rests on a symbol stale, unless its file was edited too.
func TestAnotherVersionMakesNothingStale(t *testing.T) {
	for _, edited := range []bool{false, true} {
		w := newWorld(t, map[string]string{"a.py": "def f(a):\n    return a\n"})
		w.imports()
		dbtest.Fill(w, w.into.DB,
			db.S(`update memories set content_hash = 'of an earlier version' where uri = 'code://repo/a.py#f'`),
			db.S(`update mirrors set extraction = 1`))
		w.rests("a.py#f")
		if edited {
			w.write("a.py", "def f(a):\n    return a + 1\n")
		}
		w.imports()
		if doubts := w.doubts(); (len(doubts) > 0) != edited {
			t.Errorf("edited %v: %q", edited, doubts)
		}
		w.write("a.py", "def f(a):\n    return a + 2\n")
		w.imports()
		w.same(w.doubts(), []string{"a.f changed"})
	}
}

// A symbol moves with its file, also where it is too short to be known by its tokens.
func TestASymbolMovesWithItsFile(t *testing.T) {
	const short = "export const limit = 5;\nexport function f() {}\n"
	for _, c := range []struct {
		name  string
		files map[string]string
		moves [][2]string
		names [][2]string // of a symbol, before and after
	}{
		{"a file", map[string]string{"a.ts": short}, [][2]string{{"a.ts", "in/b.ts"}}, [][2]string{{"a.ts#limit", "in/b.ts#limit"}, {"a.ts#f", "in/b.ts#f"}}},
		{"two that are alike", map[string]string{"x/a.ts": short, "x/b.ts": short}, [][2]string{{"x/a.ts", "y/a.ts"}, {"x/b.ts", "y/b.ts"}},
			[][2]string{{"x/a.ts#f", "y/a.ts#f"}, {"x/b.ts#f", "y/b.ts#f"}}},
		{"a file beside one that is alike", map[string]string{"a.ts": short, "b.ts": short}, [][2]string{{"a.ts", "c.ts"}}, [][2]string{{"a.ts#f", "c.ts#f"}, {"b.ts#f", "b.ts#f"}}},
		{"a file of Rust", map[string]string{"src/a.rs": "pub fn f() {}\n"}, [][2]string{{"src/a.rs", "src/a/mod.rs"}}, [][2]string{{"src/a.rs#f", "src/a/mod.rs#f"}}},
		{"a file of Go", map[string]string{"go.mod": "module m\n", "p/a.go": "package p\n\nfunc F() {}\n"}, [][2]string{{"p/a.go", "q/a.go"}}, [][2]string{{"p#F", "q#F"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, c.files)
			w.imports()
			ids := []string{}
			for _, name := range c.names {
				ids = append(ids, w.id(name[0]))
			}
			for _, one := range c.moves {
				w.move(one[0], one[1])
			}
			w.imports()
			for i, name := range c.names {
				if got := w.id(name[1]); got != ids[i] || got == "" {
					t.Errorf("%s is %q, was %q", name[1], got, ids[i])
				}
			}
		})
	}
}

// Symbols of one name are told apart by numbers, in the order of their places. What rests on one
// rests on the same after another came before it, went or changed places with it.
func TestASymbolIsKnownWhenItsNumberChanges(t *testing.T) {
	const one, two, three = "int f(int a) { return a + 1; }\n", "int f(String b) { return b.length() * 3; }\n", "int f(boolean c, int d) { return c ? d : 7; }\n"
	const long = "int f(long a, long b) { for (long i = a; i < b - 1; i++) { if (i % 7 == 3) { return (int) (i * a + b); } } return (int) (a / b); }\n"
	for _, c := range []struct {
		name          string
		before, after []string
		want          []string // the uris of those before, "" for one that is gone
		doubts        []string
	}{
		{"another before it", []string{one}, []string{two, one}, []string{"f~2"}, nil},
		{"two changed places", []string{one, two}, []string{two, one}, []string{"f~2", "f"}, nil},
		{"three changed places", []string{one, two, three}, []string{three, one, two}, []string{"f~2", "f~3", "f"}, nil},
		{"the first is gone", []string{one, two}, []string{two}, []string{"", "f"}, []string{"A.f forgotten"}},
		{"another got the name of the first", []string{one, strings.Replace(two, "f(", "g(", 1)}, []string{two, one}, []string{"f~2", "f"}, nil},
		{"two changed places and one was edited", []string{two, long}, []string{strings.Replace(long, "b - 1", "b", 1), two}, []string{"f~2", "f"}, []string{"A.f changed"}},
		{"one was edited", []string{one, two}, []string{strings.Replace(one, "1", "2", 1), two}, []string{"f", "f~2"}, []string{"A.f changed"}},
		{"the first is gone and another behind", []string{one, two}, []string{two, three}, []string{"", "f"}, []string{"A.f forgotten"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			class := func(methods []string) string { return "class A {\n" + strings.Join(methods, "") + "}\n" }
			w := newWorld(t, map[string]string{"A.java": class(c.before)})
			w.imports()
			ids := []string{}
			for i := range c.before {
				name := w.rows(`select substr(uri, 13) from memories where uri like '%#A.%' order by (select start_line from symbols where memory = key)`)[i]
				ids = append(ids, w.id(name))
				w.rests(name)
			}
			w.write("A.java", class(c.after))
			w.imports()
			for i, name := range c.want {
				if name != "" && w.id("A.java#A."+name) != ids[i] {
					t.Errorf("symbol %d is not %s", i+1, name)
				}
			}
			w.same(w.doubts(), append([]string{}, c.doubts...))
			fresh := w
			fresh.into = code.Importer{DB: dbtest.New(t), Caller: w.into.Caller}
			fresh.imports()
			w.same(w.edges("e.origin = 'code'"), fresh.edges("e.origin = 'code'"))
		})
	}
}

func TestASymbolThatComesBackIsTheSame(t *testing.T) {
	w := newWorld(t, small)
	w.imports()
	id := w.id("db#Write")
	w.remove("db/write.go")
	w.imports()
	if got := w.id("db#Write"); got != "" {
		t.Errorf("the symbol of a file that is gone is %s", got)
	}
	w.same(w.rows(`select m.title from symbols s join memories m on m.key = s.memory order by 1`), []string{"db.TestWrite", "main.main", "package db", "repository repo"})
	w.same(w.edges("e.kind = 'calls'"), []string{})
	w.write("db/write.go", small["db/write.go"])
	w.imports()
	if got := w.id("db#Write"); got != id {
		t.Errorf("it came back as %s, was %s", got, id)
	}
	w.same(w.edges("e.kind = 'calls'"), []string{
		"repo/.#main calls repo/db#Write by types", "repo/db#TestWrite calls repo/db#Write by types", "repo/db#Write calls repo/db#flush by types",
	})
}

// A purge of a file keeps the memories of its symbols. The next import adds the file again
// and updates its symbols.
func TestAFileOfCodeIsPurged(t *testing.T) {
	w := newWorld(t, small)
	w.imports()
	id := w.id("db#Write")
	store := memory.Store{DB: w.into.DB, Caller: w.into.Caller}
	if _, err := store.Forget(t.Context(), memory.ForgetArgs{ID: "code://repo/db/write.go", Purge: true}); err != nil {
		t.Fatal(err)
	}
	w.same(w.rows(`select m.title from symbols s join memories m on m.key = s.memory order by 1`), []string{"db.TestWrite", "main.main", "package db", "repository repo"})
	w.imports()
	if got := w.id("db#Write"); got != id {
		t.Errorf("the symbol is %s, was %s", got, id)
	}
	fresh := w
	fresh.into = code.Importer{DB: dbtest.New(t), Caller: w.into.Caller}
	fresh.imports()
	if diff := cmp.Diff(fresh.contents(), w.contents()); diff != "" {
		t.Errorf("after another import (-fresh +this):\n%s", diff)
	}
}

func TestWhatIsLeftOut(t *testing.T) {
	w := newWorld(t, map[string]string{
		"go.mod": "module m\n", "a.go": "package m\n", ".gitignore": "*.log\n/build/\n", "x.log": "x", "build/a.go": "package m\n",
		"in/.gitignore": "/only.go\n!keep.log\n", "in/only.go": "package in\n", "in/keep.log": "x", "in/deep/only.go": "package deep\n",
		"vendor/v/v.go": "package v\n", "node_modules/n/n.go": "package n\n", "nested/.git": "gitdir: elsewhere\n", "nested/n.go": "package n\n",
		".henceignore": "secret/\n!vendor/\n", "secret/s.go": "package s\n", "big.go": "package big\n//" + strings.Repeat("x", 1<<20),
		"gen/gen.go": "// Code generated by x. DO NOT EDIT.\n\npackage gen\n\nfunc F() {}\n",
	})
	w.imports()
	w.same(w.rows(`select path from files order by 1`), []string{"a.go", "gen/gen.go", "go.mod", "in/deep/only.go", "in/keep.log", "vendor/v/v.go"})
	w.same(w.rows(`select title || ' ' || tags from memories where kind = 'file' and tags like '%generated%'`), []string{`gen/gen.go ["generated","lang/go"]`})
	w.same(w.rows(`select count(*) from symbols where sort = 'func'`), []string{"0"})
	w.write(".gitignore", "*.log\n")
	w.imports()
	w.same(w.rows(`select path from files where path like 'build/%'`), []string{"build/a.go"})
}

func TestFilesOfOtherLanguagesAreModules(t *testing.T) {
	w := newWorld(t, map[string]string{
		"src/a.ts": "import { take } from './b'\n\n/** Runs it. */\nexport function runAll(n: number) { return take(n) }\n",
		"src/b.ts": "export function take(n: number) { return n + 1 }\n",
		"tool.py":  "def take(n):\n    return n\n\ndef other(n):\n    return take(n)\n",
	})
	w.imports()
	w.same(w.edges("e.kind <> 'part-of'"), []string{
		"repo/src/a.ts imports repo/src/b.ts by import",
		"repo/src/a.ts#runAll calls repo/src/b.ts#take by import",
		"repo/tool.py#other calls repo/tool.py#take by file",
	})
	w.same(w.symbols(), []string{
		"repo repository repo [] repository",
		`repo/src/a.ts#runAll a.runAll ["lang/typescript"] func`,
		`repo/src/b.ts#take b.take ["lang/typescript"] func`,
		`repo/tool.py#other tool.other ["lang/python"] func`,
		`repo/tool.py#take tool.take ["lang/python"] func`,
	})
	id := w.id("src/b.ts#take")
	w.move("src/b.ts", "src/c.ts")
	w.write("src/a.ts", "import { take } from './c'\n\nexport function runAll(n: number) { return take(n) }\n")
	w.imports()
	if now := w.id("src/c.ts#take"); now != id {
		t.Errorf("a symbol of a file that moved is %s, was %s", now, id)
	}
	w.same(w.edges("e.kind = 'calls'"), []string{
		"repo/src/a.ts#runAll calls repo/src/c.ts#take by import",
		"repo/tool.py#other calls repo/tool.py#take by file",
	})
}

// A file whose names would take too much work is imported, and the report says what it lacks.
func TestAFileThatTakesTooMuchWorkIsImportedWithAWord(t *testing.T) {
	dbtest.SkipUnderRace(t)
	circle := strings.Builder{}
	for i := range 1600 {
		fmt.Fprintf(&circle, "type S%d struct{ *S%d }\n", i, (i+1)%1600)
	}
	w := newWorld(t, map[string]string{"a/a.go": "package a\n" + circle.String(), "a/b.go": "package a\n\nfunc F() { g() }\n\nfunc g() {}\n"})
	report := w.imports()
	if len(report.Warnings) != 1 || report.Warnings[0].Path != "a/a.go" || !strings.Contains(report.Warnings[0].Text, "too much work") {
		t.Errorf("warnings: %v", report.Warnings)
	}
	w.same(w.edges("e.kind = 'calls'"), []string{"repo/a#F calls repo/a#g by types"})
	w.same(w.rows(`select count(*) from symbols s join memories m on m.key = s.memory where m.title like 'a.S%'`), []string{"1600"})
}

// An import that was stopped after it had given a number to another symbol leaves none behind.
func TestASymbolWhoseNumberAnotherGotIsForgottenAfterAStoppedImport(t *testing.T) {
	const one, two = "int f(int a) { return a + 1; }\n", "int f(String b) { return b.length() * 3; }\n"
	w := newWorld(t, map[string]string{"A.java": "class A {\n" + one + two + "}\n"})
	w.imports()
	w.rests("A.java#A.f")
	w.write("A.java", "class A {\n"+two+"}\n")
	dbtest.Script(t, w.into.DB.Path(), `create trigger stop before insert on files begin select raise(abort, 'stopped'); end`)
	if _, err := w.into.Mirror().Import(t.Context(), projection.ImportArgs{Dir: w.dir}); err == nil {
		t.Fatal("the import was not stopped")
	}
	dbtest.Script(t, w.into.DB.Path(), `drop trigger stop`)
	w.imports()
	w.same(w.rows(`select uri from memories where title = 'A.f' and status = 'current'`), []string{"code://repo/A.java#A.f"})
	w.same(w.doubts(), []string{"A.f forgotten"})
}
