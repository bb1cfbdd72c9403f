package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"hence/internal/db/dbtest"
)

// newColumn are the changes by which a memory gets another column: its lines in schema.sql, of which a test
// of memory/record names those in triggers, and its field in memory/record.
var newColumn = map[string][][2]string{
	"schema.sql": {
		{"\n  origin        text not null default 'person' check (", "\n  mood          text check (mood <> ''),$"},
		{" importance, pinned, everywhere, confidence, valid_from, valid_to,\n", " importance, pinned, everywhere, confidence, mood, valid_from, valid_to,\n"},
		{" new.everywhere, new.confidence,", " new.everywhere, new.confidence, new.mood,"},
		{" old.everywhere, old.confidence,", " old.everywhere, old.confidence, old.mood,"},
		{"      union all select 'source', 0,", "      union all select 'mood', 0, old.mood where new.mood is not old.mood$"},
	},
	"memory/record/memory.go": {
		{"\tOrigin       string ", "\tMood string `json:\"mood,omitempty\" is:\"null journaled edited stamped team shown\"`\n$"},
	},
}

// A column is added in two places, schema.sql and the table of memory/record. The test builds a Hence whose
// memories have a column mood, and follows it through all that a memory goes through.
func TestAColumnIsAddedInTwoPlaces(t *testing.T) {
	dbtest.SkipUnderRace(t)
	if os.Getenv("HENCE_CHECKS") == "" {
		t.Skip("building another Hence takes a minute: make test CHECKS=50, as CI does")
	}
	dir := t.TempDir()
	run := runnerOf(t, buildWithColumn(t, dir))
	a, b := filepath.Join(dir, "a.db"), filepath.Join(dir, "b.db")
	has := func(what, text, want string) {
		t.Helper()
		if !strings.Contains(text, want) {
			t.Errorf("%s does not show %s:\n%s", what, want, text)
		}
	}
	line := `{"type":"memory","id":"sea","title":"Sea","content":"It is deep.","mood":"calm"}`
	file := filepath.Join(dir, "in.jsonl")
	if err := os.WriteFile(file, []byte(line+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	run(a, "import", file)
	has("get", run(a, "get", "sea", "--json"), `"mood":"calm"`)
	has("a store's answer", run(a, "update", "sea", "--tags", "water", "--json"), `"mood":"calm"`)
	exported := run(a, "export")
	has("export", exported, `"mood":"calm"`)
	if err := os.WriteFile(file, []byte(exported), 0o600); err != nil {
		t.Fatal(err)
	}
	run(b, "import", file)
	if again := run(b, "export"); again != exported {
		t.Errorf("an import of an export gives\n%s, want\n%s", again, exported)
	}

	dbtest.Script(t, b, `update memories set mood = 'rough' where id = 'sea'`)
	has("the log", run(b, "log"), "mood")
	run(a, "sync", b)
	has("get after a merge", run(a, "get", "sea", "--json"), `"mood":"rough"`)
	run(a, "undo")
	has("get after the undo of a merge", run(a, "get", "sea", "--json"), `"mood":"calm"`)
	run(b, "undo")
	run(b, "undo")
	has("get after the undo of a change", run(b, "get", "sea", "--json"), `"mood":"calm"`)

	team := filepath.Join(dir, "team")
	run(a, "sync", "--folder", team, "--first")
	files, err := filepath.Glob(filepath.Join(team, "*", "*.md"))
	if err != nil || len(files) == 0 {
		files, _ = filepath.Glob(filepath.Join(team, "*.md"))
	}
	found := ""
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		found += string(text)
	}
	has("the team's folder", found, `mood: "calm"`)
}

// buildWithColumn builds Hence with newColumn, and returns its path.
func buildWithColumn(t *testing.T, dir string) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	replace := map[string]string{}
	for file, changes := range newColumn {
		bytes, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		text := string(bytes)
		for _, c := range changes {
			if !strings.Contains(text, c[0]) {
				t.Fatalf("%s has no %q any more", file, c[0])
			}
			text = strings.ReplaceAll(text, c[0], strings.Replace(c[1], "$", c[0], 1))
		}
		replace[filepath.Join(root, file)] = filepath.Join(dir, filepath.Base(file))
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(file)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "overlay.json"), overlay, 0o600); err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(dir, "hence")
	// Without optimizing, nearly all packages are compiled in half the time.
	build := exec.Command("go", "build", "-overlay", filepath.Join(dir, "overlay.json"), "-ldflags=-s", "-gcflags=hence/...=-N -l", "-o", binary, ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return binary
}

// runnerOf returns a function that runs a command of a program on a store, and returns what it prints.
func runnerOf(t *testing.T, binary string) func(store string, args ...string) string {
	home := t.TempDir()
	return func(store string, args ...string) string {
		t.Helper()
		c := exec.Command(binary, append(args, "--db", store)...)
		c.Env = append(os.Environ(), "HOME="+home, "XDG_STATE_HOME="+home, "XDG_CONFIG_HOME="+home)
		c.Dir = home
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("hence %s: %v: %s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
}
