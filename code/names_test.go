package code_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"

	"hence/edges/walk"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/memory/recall"
)

var named = map[string]string{
	"go.mod":                       "module m\n",
	"internal/repository/prune.go": "package repository\n\n// PlanPrune plans.\nfunc PlanPrune() { (&Plan{}).Run() }\n\ntype Plan struct{}\n\nfunc (p *Plan) Run() {}\n",
	"internal/repository/other.go": "package repository\n\nfunc Other() { PlanPrune() }\n",
	"cmd/other.go":                 "package cmd\n\nfunc Other() {}\n",
	"src/web.ts":                   "export class Page {\n  draw() {}\n}\nexport function render() { new Page().draw() }\n",
	"lib/shape.py":                 "class Shape:\n    def area(self):\n        return 1\n",
	"lib/shape.rs":                 "struct Circle;\nimpl Circle {\n    fn girth(&self) {}\n}\n",
}

// A symbol is named by its bare name where one has it, by that of its type and itself, and by
// its file and either.
func TestASymbolIsNamedByItsNameAndByItsFile(t *testing.T) {
	w := newWorld(t, named)
	w.imports()
	for name, want := range map[string]string{
		"PlanPrune":                              "repository.PlanPrune",
		"PlanPrune()":                            "repository.PlanPrune",
		"internal/repository/prune.go#PlanPrune": "repository.PlanPrune",
		"repo/internal/repository/prune.go#PlanPrune":  "repository.PlanPrune",
		"code://repo/internal/repository/prune.go#Run": "repository.Plan.Run",
		"Plan.Run":                               "repository.Plan.Run",
		"Run":                                    "repository.Plan.Run",
		"internal/repository/prune.go#Plan.Run":  "repository.Plan.Run",
		"internal/repository#Plan.Run":           "repository.Plan.Run",
		"repo/internal/repository":               "package internal/repository",
		"internal/repository":                    "package internal/repository",
		"cmd/other.go#Other":                     "cmd.Other",
		"Page.draw":                              "web.Page.draw",
		"render":                                 "web.render",
		"src/web.ts#draw":                        "web.Page.draw",
		"area":                                   "shape.Shape.area",
		"lib/shape.rs#girth":                     "shape.Circle.girth",
		"Other":                                  string(fault.Ambiguous),
		"internal/repository/other.go#PlanPrune": string(fault.NotFound),
		"internal/repository/none.go#PlanPrune":  string(fault.NotFound),
		"planprune":                              string(fault.NotFound),
		"Prune":                                  string(fault.NotFound),
	} {
		got := ""
		err := w.into.DB.Read(t.Context(), func(r *db.Reader) error {
			m, err := w.into.Caller.Find(t.Context(), r, name)
			got = m.Title
			return err
		})
		if err != nil {
			got = string(fault.CodeOf(err))
		}
		if got != want {
			t.Errorf("%s names %s; want %s", name, got, want)
		}
	}
	w.write("go/run.go", "package run\n\nfunc Run() {}\n")
	w.imports()
	w.remove("internal/repository/prune.go")
	w.imports()
	err := w.into.DB.Read(t.Context(), func(r *db.Reader) error {
		m, err := w.into.Caller.Find(t.Context(), r, "Run")
		if m.Title != "run.Run" {
			t.Errorf("Run names %q after the other Run is gone", m.Title)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// A symbol of Go is under the path of its file, though its uri names the package.
func TestASymbolIsUnderThePathOfItsFile(t *testing.T) {
	w := newWorld(t, named)
	w.imports()
	for prefix, want := range map[string][]string{
		"internal/repository/prune.go":             {"repository.Plan", "repository.Plan.Run", "repository.PlanPrune"},
		"./internal/repository/prune.go":           {"repository.Plan", "repository.Plan.Run", "repository.PlanPrune"},
		"repo/internal/repository/prune.go":        {"repository.Plan", "repository.Plan.Run", "repository.PlanPrune"},
		"code://repo/internal/repository/prune.go": {"repository.Plan", "repository.Plan.Run", "repository.PlanPrune"},
		"internal/repository/prune.go#Plan.":       {"repository.Plan.Run"},
		"internal/repository#Other":                {"repository.Other"},
		"internal/repository/Other":                {"repository.Other"},
		"internal/repository/o":                    {"repository.Other"},
		"code://repo/internal/repository/none.go":  {},
		"src/web.ts": {"web.Page", "web.Page.draw", "web.render"},
		"lib/":       {"shape.Circle", "shape.Circle.girth", "shape.Shape", "shape.Shape.area"},
	} {
		got := map[string]bool{}
		for _, title := range w.found(recall.SearchArgs{Query: "kind:code", PathPrefix: []string{prefix}}) {
			got[title] = true
		}
		wanted := map[string]bool{}
		for _, title := range want {
			wanted[title] = true
		}
		if fmt.Sprint(got) != fmt.Sprint(wanted) {
			t.Errorf("under %s are %v; want %v", prefix, got, wanted)
		}
	}
}

// Rows of symbols have their file and first line; rows of files their path; packages neither.
func TestRowsOfCodeHaveTheirFileAndLine(t *testing.T) {
	w := newWorld(t, named)
	w.imports()
	want := map[string]string{
		"repository.PlanPrune": "internal/repository/prune.go:4", "repository.Plan": "internal/repository/prune.go:6",
		"repository.Plan.Run": "internal/repository/prune.go:8", "repository.Other": "internal/repository/other.go:3",
		"internal/repository/prune.go": "internal/repository/prune.go:0", "package internal/repository": ":0", "web.Page.draw": "src/web.ts:2",
	}
	check := func(where string, rows map[string]string, atLeast int) {
		known := 0
		for title, got := range rows {
			if place, ok := want[title]; ok {
				known++
				if got != place {
					t.Errorf("%s: %s is at %s; want %s", where, title, got, place)
				}
			}
		}
		if known < atLeast {
			t.Errorf("%s has the rows %v; want %d of %v", where, rows, atLeast, want)
		}
	}
	searcher, graph := recall.Searcher{DB: w.into.DB, Caller: w.into.Caller}, walk.Graph{DB: w.into.DB, Caller: w.into.Caller}
	found, err := searcher.Search(t.Context(), recall.SearchArgs{Query: "plan prune run page draw", Kinds: []string{"code"}})
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]string{}
	for _, f := range found.Results {
		rows[f.Title] = fmt.Sprintf("%s:%d", f.File, f.StartLine)
	}
	check("search", rows, 4)
	related, err := searcher.FindRelated(t.Context(), recall.RelatedArgs{ID: "PlanPrune"})
	if err != nil {
		t.Fatal(err)
	}
	rows = map[string]string{}
	for _, f := range related.Results {
		rows[f.Title] = fmt.Sprintf("%s:%d", f.File, f.StartLine)
	}
	check("related", rows, 1)
	expanded, err := graph.Expand(t.Context(), walk.ExpandArgs{Seeds: []string{"PlanPrune"}, Hops: 2})
	if err != nil {
		t.Fatal(err)
	}
	rows = map[string]string{}
	for _, x := range expanded.Results {
		rows[x.Title] = fmt.Sprintf("%s:%d", x.File, x.StartLine)
	}
	check("expand", rows, 5)
	near, err := graph.Neighborhood(t.Context(), walk.NeighborhoodArgs{ID: "PlanPrune"})
	if err != nil {
		t.Fatal(err)
	}
	rows = map[string]string{}
	for _, n := range near.Nodes {
		rows[n.Title] = fmt.Sprintf("%s:%d", n.File, n.StartLine)
	}
	check("neighborhood", rows, 2)
	trace, err := graph.Trace(t.Context(), walk.TraceArgs{ID: "PlanPrune", Direction: "downstream"})
	if err != nil {
		t.Fatal(err)
	}
	rows = map[string]string{}
	for _, n := range trace.Results {
		rows[n.Title] = fmt.Sprintf("%s:%d", n.File, n.StartLine)
	}
	check("trace", rows, 1)
}

// A worktree and a clone are the same repository: an import there updates the same symbols, and
// what rests on them stays tied. A fork is another one.
func TestAWorktreeIsTheSameRepository(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	w := newWorld(t, map[string]string{"go.mod": "module m\n", "a/a.go": "package a\n\n// Write writes.\nfunc Write() int { return 1 }\n"})
	git := func(dir string, words ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=Ada", "-c", "user.email=ada@example.com"}, words...)...)
		if output, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v: %s", words, err, output)
		}
	}
	git(w.dir, "init", "-q", "-b", "main")
	git(w.dir, "add", ".")
	git(w.dir, "commit", "-q", "-m", "first")
	w.imports()
	w.rests("a#Write")
	symbols := w.rows(`select id from memories where kind = 'code' order by id`)
	for _, c := range []struct {
		name string
		make []string
		same bool
	}{
		{"wt1", []string{"worktree", "add", "-q", "../wt1"}, true},
		{"clone", []string{"clone", "-q", ".", "../clone"}, true},
		{"fork", []string{"clone", "-q", ".", "../fork"}, false},
	} {
		git(w.dir, c.make...)
		other := world{t, filepath.Join(filepath.Dir(w.dir), c.name), w.into}
		if !c.same {
			git(other.dir, "remote", "set-url", "origin", "https://example.com/fork")
		}
		if report := other.imports(); (report.Vault == "repo") != c.same {
			t.Errorf("%s is imported as %s", c.name, report.Vault)
		}
		if got := w.rows(`select id from memories where kind = 'code' and uri like 'code://repo%' order by id`); fmt.Sprint(got) != fmt.Sprint(symbols) {
			t.Errorf("%s: the symbols are %q; want %q", c.name, got, symbols)
		}
	}
	worktree := world{t, filepath.Join(filepath.Dir(w.dir), "wt1"), w.into}
	worktree.write("a/a.go", "package a\n\n// Write writes.\nfunc Write() int { return 2 + 3 }\n")
	worktree.imports()
	w.same(w.rows(`select because_title from stale`), []string{"a.Write"})
	w.imports() // the last one read counts
	w.same(w.rows(`select because_title from stale`), []string{})
	if got := w.rows(`select count(*) from mirrors`); fmt.Sprint(got) != "[2]" {
		t.Errorf("%s repositories", got)
	}
}
