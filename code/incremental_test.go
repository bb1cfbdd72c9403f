package code_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"hence/code"
	"hence/internal/db/dbtest"
	_ "hence/internal/repeattest"
)

// program is a random repository: packages of functions that call each other.
type program struct {
	files map[string][]string // path → declarations
	next  int
}

func packageOf(path string) string {
	folder, _, _ := strings.Cut(path, "/")
	return folder
}

func (p *program) text(path string) string {
	imports := ""
	for _, other := range []string{"a", "b", "c"} {
		if strings.Contains(strings.Join(p.files[path], ""), other+".") && other != packageOf(path) {
			imports += fmt.Sprintf("import %q\n", "m/"+other)
		}
	}
	return "package " + packageOf(path) + "\n\n" + imports + "\n" + strings.Join(p.files[path], "\n")
}

// declare returns a random declaration.
func (p *program) declare(t *rapid.T) string {
	name := fmt.Sprintf("F%d", rapid.IntRange(0, 5).Draw(t, "name")) // a package may have several functions of one name
	body := "\tx := 0\n"
	for range rapid.IntRange(0, 3).Draw(t, "statements") {
		callee := fmt.Sprintf("F%d", rapid.IntRange(0, 5).Draw(t, "callee"))
		if qualifier := rapid.SampledFrom([]string{"", "", "a.", "b.", "c."}).Draw(t, "of"); qualifier != "" {
			callee = qualifier + callee
		}
		body += fmt.Sprintf("\tx += %s(x, %d)\n", callee, rapid.IntRange(0, 9).Draw(t, "number"))
	}
	switch rapid.IntRange(0, 5).Draw(t, "sort") {
	case 0:
		return fmt.Sprintf("type T%s struct{ n int }\n\nfunc (t T%s) %s(a, b int) int {\n%s\treturn x + t.n\n}\n", name, name, name, body)
	case 1:
		return fmt.Sprintf("type I%s interface{ %s(a, b int) int }\n", name, name)
	}
	return fmt.Sprintf("func %s(a, b int) int {\n%s\treturn x\n}\n", name, body)
}

// edit changes the program, as a person would.
func (p *program) edit(t *rapid.T) {
	paths := slices.Sorted(maps.Keys(p.files))
	path := rapid.SampledFrom(paths).Draw(t, "path")
	list := p.files[path]
	index := 0
	if len(list) > 0 {
		index = rapid.IntRange(0, len(list)-1).Draw(t, "at")
	}
	to := rapid.SampledFrom([]string{"a/x.go", "a/y.go", "a/y_windows.go", "b/x.go", "b/y_test.go", "c/x.go"}).Draw(t, "to")
	switch edit := rapid.SampledFrom([]string{"add", "delete", "edit", "comment", "reformat", "move", "rename", "remove file", "move file"}).Draw(t, "edit"); {
	case edit == "add" || len(list) == 0:
		p.files[to] = append(slices.Clone(p.files[to]), p.declare(t))
	case edit == "delete":
		p.files[path] = slices.Delete(slices.Clone(list), index, index+1)
	case edit == "edit":
		p.set(path, index, strings.Replace(list[index], "x := 0", "x := 1 + 1", 1))
	case edit == "comment":
		p.set(path, index, "// A comment.\n"+list[index])
	case edit == "reformat":
		p.set(path, index, strings.ReplaceAll(list[index], "\t", "  "))
	case edit == "move":
		p.files[path] = slices.Delete(slices.Clone(list), index, index+1)
		p.files[to] = append(slices.Clone(p.files[to]), list[index])
	case edit == "rename":
		p.next++
		p.set(path, index, strings.Replace(list[index], "func F", fmt.Sprintf("func G%d", p.next), 1))
	case edit == "remove file" && len(paths) > 1:
		delete(p.files, path)
	case edit == "move file" && p.files[to] == nil:
		p.files[to] = list
		delete(p.files, path)
	}
}

func (p *program) set(path string, index int, text string) {
	p.files[path] = slices.Clone(p.files[path])
	p.files[path][index] = text
}

// contents returns all rows about a repository, without ids and times.
func (w world) contents() []string {
	w.Helper()
	return slices.Concat(
		w.rows(`
select f.uri || ' ' || e.kind || ' ' || e.rel || ' ' || t.uri || ' ' || e.origin || ' ' || s.resolved_by || ' ' || n.uri || ' ' || s.line || ' ' || s.start_byte || '-' || s.end_byte
from sites s
join memories n on n.key = s.note
left join edges e on e.key = s.edge
left join memories f on f.key = e.from_key
left join memories t on t.key = e.to_key
order by 1`),
		w.rows(`
select m.uri || ' ' || m.kind || ' ' || m.title || ' ' || m.content || ' ' || m.aliases || ' ' || m.tags || ' ' || m.content_hash || ' ' || m.status || ' ' || coalesce(c.heading, '-')
from memories m
left join sections c on c.memory = m.key
where m.status <> 'forgotten'
order by 1`),
		w.rows(`
select m.uri || ' ' || coalesce(f.uri, '-') || ' ' || s.sort || ' ' || s.exported || ' ' || s.start_line || '-' || s.end_line || ' ' || s.start_byte || '-' || s.end_byte
  || ' ' || s.text_hash || ' ' || s.tokens || ' ' || coalesce(hex(s.sketch), '-')
from symbols s
join memories m on m.key = s.memory
left join memories f on f.key = s.file
order by 1`),
		w.rows(`select path || ' ' || file_hash || ' ' || words from files order by 1`),
		w.rows(`select count(*) from edges where declared = 'site' and not exists (select 1 from sites where edge = edges.key)`))
}

// TestAnImportOfChangesLeavesWhatOneFromNothingLeaves compares a store that has imported every
// state of a repository with one that has imported only the last state.
func TestAnImportOfChangesLeavesWhatOneFromNothingLeaves(t *testing.T) {
	dbtest.CheckTimes(t, 6)
	rapid.Check(t, func(r *rapid.T) {
		p := &program{files: map[string][]string{"a/x.go": nil, "b/x.go": nil, "c/x.go": nil}}
		for range rapid.IntRange(1, 6).Draw(r, "declarations") {
			path := rapid.SampledFrom([]string{"a/x.go", "b/x.go", "c/x.go"}).Draw(r, "in")
			p.files[path] = append(p.files[path], p.declare(r))
		}
		w := newWorld(t, map[string]string{"go.mod": "module m\n"})
		onDisk := map[string]string{}
		for range rapid.IntRange(1, 5).Draw(r, "imports") {
			now := map[string]string{}
			for path := range p.files {
				now[path] = p.text(path)
			}
			for path := range onDisk {
				if _, ok := now[path]; !ok {
					w.remove(path)
				}
			}
			for path, text := range now {
				if onDisk[path] != text {
					w.write(path, text)
				}
			}
			onDisk = now
			w.imports()
			for range rapid.IntRange(1, 3).Draw(r, "edits") {
				p.edit(r)
			}
		}
		fresh := w
		fresh.into = code.Importer{DB: dbtest.New(t), Caller: w.into.Caller}
		fresh.imports()
		w.same(w.contents(), fresh.contents())
		if t.Failed() {
			r.FailNow()
		}
	})
}

// A file whose calls lead elsewhere now keeps the numbers of its symbols, whether its own
// module has changed or another.
func TestAFileReadAgainForItsCallsKeepsTheNumbersOfItsSymbols(t *testing.T) {
	for _, target := range []string{"a/y.go", "b/y.go"} {
		t.Run(target, func(t *testing.T) {
			w := newWorld(t, map[string]string{
				"go.mod":         "module m\n",
				"a/x.go":         "package a\n\nfunc Open() {}\n",
				"a/x_windows.go": "package a\n\nimport \"m/b\"\n\nfunc Open() { Close(); b.Close() }\n",
				"b/x.go":         "package b\n",
			})
			w.imports()
			w.write(target, "package "+packageOf(target)+"\n\nfunc Close() {}\n")
			w.imports()
			fresh := w
			fresh.into = code.Importer{DB: dbtest.New(t), Caller: w.into.Caller}
			fresh.imports()
			w.same(w.contents(), fresh.contents())
		})
	}
}

// A changed file keeps the numbers of its symbols when a file of a third module is read again.
func TestAChangedFileKeepsTheNumbersOfItsSymbols(t *testing.T) {
	w := newWorld(t, map[string]string{
		"go.mod":         "module m\n",
		"a/x.go":         "package a\n\nfunc Open() {}\n",
		"a/x_windows.go": "package a\n\nfunc Open() {}\n",
		"b/x.go":         "package b\n",
		"c/z.go":         "package c\n\nimport \"m/b\"\n\nfunc Go() { b.Close() }\n",
	})
	w.imports()
	w.write("a/x_windows.go", "package a\n\nfunc Open() { println() }\n")
	w.write("b/y.go", "package b\n\nfunc Close() {}\n")
	w.imports()
	fresh := w
	fresh.into = code.Importer{DB: dbtest.New(t), Caller: w.into.Caller}
	fresh.imports()
	w.same(w.contents(), fresh.contents())
}
