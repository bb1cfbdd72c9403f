package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"hence/cmd/hence/internal/screen"
	"hence/memory"
	"hence/memory/recall"
	"hence/tools/show"
)

// ran runs a command line and returns what it prints on both streams.
func ran(t *testing.T, words ...string) (out, errs string) {
	t.Helper()
	var o, e bytes.Buffer
	run(t.Context(), words, strings.NewReader(""), &o, &e)
	return o.String(), e.String()
}

// A misspelt flag or type of edge gets the one that was meant; another word gets none.
func TestDidYouMean(t *testing.T) {
	store := filepath.Join(t.TempDir(), "a.db")
	for _, title := range []string{"One", "Two"} {
		ran(t, "store", title+" is a number.", "--title", title, "--db", store)
	}
	for _, c := range []struct{ line, want string }{
		{"list --lmit 3", "did you mean --limit?"},
		{"list --tag x", "did you mean --tags?"},
		{"search x --kids code", "did you mean --kinds?"},
		{"expand One --edge-type causes", "did you mean --edge-types?"},
		{"list --namespce x", "did you mean --namespace?"},
		{"neighborhood One --dept 2", "did you mean --depth?"},
		{"list --jsom", "did you mean --json?"},
		{"list --wholly", "see hence list --help"},
		{"link One dependson Two", "did you mean depends-on?"},
		{"link One suports Two", "did you mean supports?"},
		{"link One superseds Two", "did you mean supersedes?"},
		{"link One causedby Two", "did you mean caused-by?"},
		{"link One contradict Two", "did you mean contradicts?"},
		{"unlink One dependson Two", "did you mean depends-on?"},
		{"expand One --edge-types dependson", "did you mean depends-on?"},
		{"path One Two --edge-types partof", "did you mean part-of?"},
		{"link One adores Two", "the types are supersedes"},
	} {
		words := append(strings.Fields(c.line), "--db", store)
		if _, said := ran(t, words...); !strings.Contains(said, c.want) || strings.Contains(said, "did you mean") != strings.Contains(c.want, "did you mean") {
			t.Errorf("%s: %s, want %s", c.line, said, c.want)
		}
	}
}

// The shell completes titles wherever a memory is named, and nothing where there is no store.
func TestCompletion_Titles(t *testing.T) {
	store := filepath.Join(t.TempDir(), "a.db")
	ran(t, "store", "The queue drains.", "--title", "Drain time", "--db", store)
	t.Setenv("HENCE_DB", store)
	for _, line := range []string{"get Dra", "link Dra", "link x supports Dra", "path Dra", "path x Dra", "expand x Dra", "neighborhood Dra", "trace Dra", "history Dra", "forget Dra", "verify Dra", "related Dra"} {
		if out, _ := ran(t, append([]string{"__complete"}, strings.Fields(line)...)...); !strings.HasPrefix(out, "Drain time\n") {
			t.Errorf("%s completes to %s", line, out)
		}
	}
	for _, line := range []string{"get Drum", "path x y Dra", "history x Dra", "search Dra"} {
		if out, _ := ran(t, append([]string{"__complete"}, strings.Fields(line)...)...); strings.Contains(out, "Drain") {
			t.Errorf("%s completes to %s", line, out)
		}
	}
	t.Setenv("HENCE_DB", filepath.Join(t.TempDir(), "none.db"))
	if out, _ := ran(t, "__complete", "get", "Dra"); out != ":4\n" {
		t.Errorf("without a store: %q", out)
	}
}

// A stopped command says what holds, whichever it is; with --dry-run that nothing was written.
func TestStopped(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("HENCE_DB", filepath.Join(dir, "hence.db"))
	t.Setenv("XDG_STATE_HOME", dir)
	t.Chdir(dir)
	ran(t, "store", "One.")
	for path, text := range map[string]string{"notes/a.md": "[[b]]", "lines.jsonl": "{}\n"} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	const goesOn = "is kept, and the same command goes on from there"
	for line, want := range map[string]string{
		"import notes":                   "; what was taken in " + goesOn,
		"import notes --dry-run":         "; nothing was written",
		"import lines.jsonl":             "; what was taken in " + goesOn,
		"import lines.jsonl --merge":     "; what was taken in " + goesOn,
		"import notes --from codex":      "; what was taken in " + goesOn,
		"import - --dry-run":             "; nothing was written",
		"sync lines.jsonl":               "; what was merged " + goesOn,
		"sync lines.jsonl --dry-run":     "; nothing was written",
		"sync --folder .hence --first":   "; what was merged " + goesOn,
		"sync --folder .hence --dry-run": "; nothing was written",
		"backup copy.db":                 "; no copy was made; run it again",
		"export copy.jsonl":              "; what was written is not all; run it again",
		"export --vault made":            "; the folder has a part of the notes; remove it, and run it again",
		"vacuum":                         "; the store holds what it held; run it again",
		"tidy":                           "; what was accepted before is kept",
		"doctor":                         "",
		"doctor --fix":                   "; what was mended before " + goesOn,
		"store Two.":                     "",
		"search one":                     "",
	} {
		var out, errs bytes.Buffer
		code := run(ctx, strings.Fields(line), strings.NewReader("{}\n"), &out, &errs)
		if code != 1 || errs.String() != "hence: stopped"+want+"\n" || out.Len() > 0 {
			t.Errorf("%s: exit %d, %q%q, want %q", line, code, out.String(), errs.String(), want)
		}
	}
	for _, path := range []string{"copy.db", "copy.jsonl", ".hence"} {
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s was made", path)
		}
	}
}

// A list ends with a limit that is easy to type, and with a cursor only where that is at its
// maximum.
func TestMore_Limit(t *testing.T) {
	const cursor = "vNY_4AAAAAAAAAD4xtHawmgs"
	for _, c := range []struct {
		name string
		args any
		more show.More
		want string
	}{
		{"List", memory.ListArgs{Limit: 20}, show.More{Next: "cursor", Cursor: cursor, Returned: 20, Of: 150}, "20 of 150; for more, --limit 150"},
		{"LongList", memory.ListArgs{Limit: 20}, show.More{Next: "cursor", Cursor: cursor, Returned: 20, Of: 301}, "20 of 301; for more, --limit 200"},
		{"AtMaximum", memory.ListArgs{Limit: 200}, show.More{Next: "cursor", Cursor: cursor, Returned: 200, Of: 301}, "200 of 301; for more, --cursor " + cursor},
		{"Search", recall.SearchArgs{Limit: 10}, show.More{Next: "cursor", Cursor: cursor, Returned: 10, Of: 64}, "10 of 64; for more, --limit 64"},
		{"AtLeast", recall.SearchArgs{Limit: 10}, show.More{Next: "cursor", Cursor: cursor, Returned: 10, Of: 64, AtLeast: true}, "10 of at least 64; for more, raise --limit"},
		{"Walk", memory.ListArgs{Limit: 20}, show.More{Next: "cursor", Cursor: cursor}, "there is more: raise --limit"},
		{"WalkAtMaximum", memory.ListArgs{Limit: 200}, show.More{Next: "cursor", Cursor: cursor}, "there is more: --cursor " + cursor},
		{"Budget", memory.ListArgs{Limit: 20}, show.More{Next: "token_budget"}, "there is more: raise --token-budget"},
	} {
		v := &view{Page: screen.PageFor(&bytes.Buffer{}), args: c.args}
		if got := v.more(c.more); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// Each command has its texts in help.txt, and each text there is of a command.
func TestDescribe_EachCommandOnce(t *testing.T) {
	named := map[string]bool{}
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		named[strings.TrimPrefix(cmd.CommandPath(), "hence ")] = true
		if cmd.Short == "" {
			t.Errorf("help.txt has no text for %s", cmd.CommandPath())
		}
		for _, below := range cmd.Commands() {
			walk(below)
		}
	}
	walk(new(session).root())
	for line := range strings.Lines(helpText) {
		if head, ok := strings.CutPrefix(strings.TrimSpace(line), "== "); ok && !named[firstArgument().ReplaceAllString(head, "")] {
			t.Errorf("help.txt has a text for %q, which is no command", head)
		}
	}
}
