package reading_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hence/code"
	"hence/code/reading"
	"hence/internal/budget"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/projection"
	"hence/projection/projectiontest"
)

const source = `// Package queue keeps jobs.
package queue

// Queue is a list of jobs.
type Queue struct{ jobs []string }

// Drain empties the queue.
func (q *Queue) Drain() int { return q.drainOnce(1) + q.drainOnce(2) }

func (q *Queue) drainOnce(n int) int {
	return n + 1
}

func New() *Queue { q := &Queue{}; q.Drain(); return q }
`

func newWorld(t *testing.T, files map[string]string) (reading.Reader, string) {
	t.Helper()
	dir := filepath.Join(dbtest.Folder(t), "repo")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		projectiontest.Write(t, dir, name, text)
	}
	v := ref.View{DB: dbtest.New(t), Caller: ref.Caller{Actor: "tester"}}
	if _, err := (code.Importer{DB: v.DB, Caller: v.Caller}).Mirror().Import(t.Context(), projection.ImportArgs{Dir: dir}); err != nil {
		t.Fatal(err)
	}
	return reading.Reader(v), dir
}

func small() map[string]string {
	return map[string]string{"go.mod": "module example.com/repo\n", "queue/queue.go": source, "queue/empty.go": "package queue\n", "data.bin": "a\x00b"}
}

func TestOutline(t *testing.T) {
	r, _ := newWorld(t, small())
	titles := func(a reading.OutlineArgs) string {
		t.Helper()
		result, err := r.Outline(t.Context(), a)
		if err != nil {
			t.Fatal(err)
		}
		all := []string{}
		for _, s := range result.Symbols {
			all = append(all, fmt.Sprintf("%s %s %d-%d %d/%d", s.Sort, s.Title, s.StartLine, s.EndLine, s.Callers, s.Callees))
		}
		return strings.Join(all, "\n")
	}
	whole := `type queue.Queue 5-5 0/0
method queue.Queue.Drain 8-8 1/1
method queue.Queue.drainOnce 10-12 1/0
func queue.New 14-14 0/1`
	for _, a := range []reading.OutlineArgs{{Path: "queue/queue.go"}, {ID: "code://repo/queue"}} {
		if got := titles(a); got != whole {
			t.Errorf("%+v:\n%s\nwant\n%s", a, got, whole)
		}
	}
	if got, want := titles(reading.OutlineArgs{ID: "queue.Queue"}), strings.Join(strings.Split(whole, "\n")[1:3], "\n"); got != want {
		t.Errorf("a type:\n%s\nwant\n%s", got, want)
	}
	for _, name := range []string{"code://repo", "repo"} {
		if got := titles(reading.OutlineArgs{ID: name}); got != "package package queue 0-0 0/0" {
			t.Errorf("%s: %s", name, got)
		}
	}
	if got := titles(reading.OutlineArgs{Path: "queue/empty.go"}); got != "" {
		t.Errorf("an empty file: %s", got)
	}
	if _, err := r.Outline(t.Context(), reading.OutlineArgs{}); fault.CodeOf(err) != fault.InvalidArgument {
		t.Errorf("nothing named: %v", err)
	}
	if _, err := r.Outline(t.Context(), reading.OutlineArgs{Path: "nowhere.go"}); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("no such file: %v", err)
	}
}

func TestOutlineOfARepositoryHasTheCodeInItsRoot(t *testing.T) {
	r, _ := newWorld(t, map[string]string{
		"go.mod": "module example.com/repo\n", "main.go": "package main\n\nfunc main() {}\n", "run.py": "class Run:\n    def go(self):\n        pass\n",
		"src/web.ts": "export function web() {}\n", "db/db.go": "package db\n\nfunc Open() {}\n",
	})
	for _, a := range []reading.OutlineArgs{{Path: "repo"}, {Path: "."}, {ID: "repo"}} {
		result, err := r.Outline(t.Context(), a)
		got := ""
		for _, s := range result.Symbols {
			got += s.Title + " " + s.Path + "\n"
		}
		if want := "package db \nmain.main main.go\nrun.Run run.py\nweb.web src/web.ts\n"; got != want || err != nil {
			t.Errorf("%+v: %v\n%s\nwant\n%s", a, err, got, want)
		}
	}
}

func TestOutlineOfALongFileKeepsWhatIsCalledMost(t *testing.T) {
	var b strings.Builder
	b.WriteString("package long\n\nfunc Hub() {}\n")
	for n := range 300 {
		fmt.Fprintf(&b, "\n// F%d does one thing of many.\nfunc F%d(a, b string) (int, error) {\n\tHub()\n\n\n\n\n\n\treturn 0, nil\n}\n", n, n)
	}
	r, _ := newWorld(t, map[string]string{"go.mod": "module example.com/repo\n", "long/long.go": b.String()})
	result, err := r.Outline(t.Context(), reading.OutlineArgs{Path: "long/long.go"})
	if err != nil {
		t.Fatal(err)
	}
	cost, err := budget.Tokens(result)
	if err != nil || cost > 1500 {
		t.Errorf("%d tokens, %v", cost, err)
	}
	if !result.Truncated || result.TotalCount != 301 || result.Symbols[0].Title != "long.Hub" || result.Symbols[0].Callers != 300 {
		t.Errorf("%d of %d, %+v", result.ReturnedCount, result.TotalCount, result.Symbols[0])
	}
}

func TestRead(t *testing.T) {
	r, dir := newWorld(t, small())
	read := func(a reading.ReadArgs) reading.ReadResult {
		t.Helper()
		result, err := r.Read(t.Context(), a)
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
	body := "10\tfunc (q *Queue) drainOnce(n int) int {\n11\t\treturn n + 1\n12\t}\n"
	if got := read(reading.ReadArgs{ID: "queue.Queue.drainOnce"}); got.Text != body || got.Changed || got.Path != "queue/queue.go" || got.ID == "" {
		t.Errorf("%+v", got)
	}
	if got := read(reading.ReadArgs{ID: "queue.Queue.drainOnce", Context: 1}); got.StartLine != 9 || got.EndLine != 13 {
		t.Errorf("with context: %+v", got)
	}
	if got := read(reading.ReadArgs{Path: "queue/queue.go", StartLine: 2, EndLine: 2}); got.Text != "2\tpackage queue\n" || got.TotalLines != 14 {
		t.Errorf("lines: %+v", got)
	}
	if got := read(reading.ReadArgs{Path: "queue/queue.go", TokenBudget: 150}); !got.Truncated || got.Next != "start_line" || got.EndLine >= 14 {
		t.Errorf("within a budget: %+v", got)
	}
	if got := read(reading.ReadArgs{Path: "queue/empty.go"}); got.Text != "1\tpackage queue\n" {
		t.Errorf("%+v", got)
	}
	if _, err := r.Read(t.Context(), reading.ReadArgs{Path: "data.bin"}); fault.CodeOf(err) != fault.InvalidArgument {
		t.Errorf("bytes that are not text: %v", err)
	}
	if _, err := r.Read(t.Context(), reading.ReadArgs{Path: "queue/queue.go", StartLine: 15}); fault.CodeOf(err) != fault.InvalidArgument {
		t.Errorf("a line beyond the end: %v", err)
	}

	// The file has changed since the import: the reader returns the symbol at its new lines,
	// and never other lines under its name.
	projectiontest.Write(t, dir, "queue/queue.go", strings.Replace(source, "// Queue is", "// Another line.\n// Queue is", 1))
	moved := strings.NewReplacer("10\t", "11\t", "11\t", "12\t", "12\t", "13\t").Replace(body)
	if got := read(reading.ReadArgs{ID: "queue.Queue.drainOnce"}); got.Text != moved || !got.Changed {
		t.Errorf("after an edit above: %+v", got)
	}
	projectiontest.Write(t, dir, "queue/queue.go", strings.ReplaceAll(source, "drainOnce", "drainTwice"))
	if _, err := r.Read(t.Context(), reading.ReadArgs{ID: "queue.Queue.drainOnce"}); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("a symbol that is gone: %v", err)
	}
	projectiontest.Remove(t, dir, "queue/queue.go")
	if _, err := r.Read(t.Context(), reading.ReadArgs{Path: "queue/queue.go"}); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("a file that is gone: %v", err)
	}
}
