package resolve_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/vault/note"
	"hence/vault/resolve"
)

// shared returns a folder of the shared test data beside the project, or skips.
func shared(t *testing.T, name string) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; ; dir = filepath.Dir(dir) {
		folder := filepath.Join(dir, "shared", name)
		if info, err := os.Stat(folder); err == nil && info.IsDir() {
			return folder
		}
		if dir == filepath.Dir(dir) {
			t.Skipf("no folder shared/%s above the package: the observed cases are not at hand", name)
		}
	}
}

// observed is one observed case of the resolution in Obsidian.
type observed struct {
	ID     int
	Files  []any // a path, or a path and its content
	Source string
	Text   string
	Expect []*string
	Kind   string // "body" or "fm": where the links are
	Note   string
}

func TestObservedCasesOfObsidian(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(shared(t, "cases"), "resolution_cases.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []observed
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	if len(cases) != 44 {
		t.Errorf("%d cases, want 44", len(cases))
	}
	for _, c := range cases {
		t.Run(fmt.Sprintf("case %d", c.ID), func(t *testing.T) {
			x := resolve.New([]string{c.Source})
			for _, f := range c.Files {
				addObserved(t, x, f)
			}
			var got []string
			for _, l := range note.Parse([]byte(c.Text)).Links {
				if l.Lenient == note.Faithful && (l.Form == note.Property) == (c.Kind == "fm") {
					got = append(got, faithful(x, c.Source, l.Target))
				}
			}
			if len(got) != len(c.Expect) {
				t.Fatalf("%q: resolved %q, want %d links (%s)", c.Text, got, len(c.Expect), c.Note)
			}
			for i, want := range c.Expect {
				if !accepts(want, got[i]) {
					t.Errorf("%q: link %d means %q, want %q (%s)", c.Text, i, got[i], text(want), c.Note)
				}
			}
		})
	}
}

func addObserved(t *testing.T, x *resolve.Index, f any) {
	t.Helper()
	switch f := f.(type) {
	case string:
		x.Add(f)
	case []any:
		name, content := f[0].(string), f[1].(string)
		x.Add(name)
		x.Aliases(name, note.Parse([]byte(content)).Aliases)
	default:
		t.Fatalf("a file given as %T", f)
	}
}

// faithful returns the file to which Obsidian itself would resolve a target.
func faithful(x *resolve.Index, source, target string) string {
	r := x.Resolve(source, target)
	if r.By == resolve.ByAlias {
		return ""
	}
	return r.Path
}

// accepts reports whether got is a wanted file: nil means a dangling link, and "ANY:a|b"
// means either of two files.
func accepts(want *string, got string) bool {
	if want == nil {
		return got == ""
	}
	if either, ok := strings.CutPrefix(*want, "ANY:"); ok {
		for _, one := range strings.Split(either, "|") {
			if got == one {
				return true
			}
		}
		return false
	}
	return got == *want
}

func text(s *string) string {
	if s == nil {
		return "nothing"
	}
	return *s
}

func TestObsidianResolvesEveryLinkOfItsReportAlike(t *testing.T) {
	reports, err := filepath.Glob(filepath.Join(shared(t, "oracle"), "tasks-demo-notes", "*.json"))
	if err != nil || len(reports) == 0 {
		t.Fatalf("no reports: %v", err)
	}
	x := resolve.New(filesIn(t, filepath.Join(shared(t, "vaults"), "tasks-demo")))
	links := 0
	for _, name := range reports {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var report struct {
			FilePath          string
			ResolveLinkToPath map[string]*string
		}
		if err := json.Unmarshal(data, &report); err != nil {
			t.Fatal(err)
		}
		want, got := map[string]string{}, map[string]string{}
		for link, path := range report.ResolveLinkToPath {
			links++
			want[link] = ""
			if path != nil {
				want[link] = *path
			}
			target, _, _ := strings.Cut(link, "#")
			got[link] = faithful(x, report.FilePath, target)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-Obsidian +ours):\n%s", report.FilePath, diff)
		}
	}
	if links == 0 {
		t.Error("the reports resolve no link")
	}
	t.Logf("%d links", links)
}

// filesIn lists a vault's files as paths from its root.
func filesIn(t *testing.T, root string) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(root, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		rel, err := filepath.Rel(root, name)
		files = append(files, filepath.ToSlash(rel))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
