package main

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"

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

// A stopped command says what is kept of work that goes on from there.
func TestReport_Stopped(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	for doing, want := range map[string]string{
		"":          "hence: stopped\n",
		"importing": "hence: stopped while importing; what is done is kept, and the same command goes on from there\n",
		"embedding": "hence: stopped while embedding; what is done is kept, and the same command goes on from there\n",
	} {
		var errs bytes.Buffer
		s := &session{err: &errs}
		if doing != "" {
			_, done := s.progressBar(doing)
			done()
		}
		if code := s.report(ctx, ctx.Err()); code != 1 || errs.String() != want {
			t.Errorf("%q: exit %d, %q, want %q", doing, code, errs.String(), want)
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
