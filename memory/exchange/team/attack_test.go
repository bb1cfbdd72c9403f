package team

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A value that nests deeply is refused before it is decoded, in time that grows with its length.
func TestDeepValuesOfATeamsFileAreRefused(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		ok   bool
	}{
		"lists as deep as properties may": {strings.Repeat("[", 499) + "1" + strings.Repeat("]", 499), true},
		"lists without quotes":            {strings.Repeat("[", 10_001) + "x" + strings.Repeat("]", 10_001), false},
		"many brackets":                   {strings.Repeat("[", 100_000) + "x" + strings.Repeat("]", 100_000), false},
		"objects":                         {strings.Repeat(`{"a":`, 600) + "1" + strings.Repeat("}", 600), false},
		"lists and objects":               {strings.Repeat(`[{"a":`, 300) + "1" + strings.Repeat("}]", 300), false},
		"open brackets":                   {strings.Repeat("[", 100_000), false},
		"behind a quote":                  {`["x, ` + strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000) + `, y"z]`, false},
		"behind a quote, fewer":           {`["x, ` + strings.Repeat("[", 9_000) + strings.Repeat("]", 9_000) + `, y"z]`, false},
		"behind closing ones":             {"[" + strings.Repeat("]", 10_000) + ", " + strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000) + ", x]", false},
		"a list of words":                 {"[one, two, [three]]", true},
		"a long flat list":                {"[" + strings.Repeat("x,", 50_000) + "x]", true},
	} {
		began := time.Now()
		if _, err := asJSON(c.text); (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
		if took := time.Since(began); took > 20*time.Second {
			t.Errorf("%s took %v", name, took)
		}
	}
	if raw, err := asJSON("[one, two, 3]"); err != nil || string(raw) != `["one","two",3]` {
		t.Errorf("%s, %v", raw, err)
	}
}

// A file is written through no link, and under a name that no other process uses.
func TestFilesOfATeamAreReplacedThroughNoLink(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"README.md": "mine", "a.md": "old"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{".hence-writing": "README.md", "b.md": "README.md", "c.md": "/etc/passwd"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Skip("links cannot be made here")
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for _, name := range []string{"a.md", "b.md", "c.md", "new.md"} {
		if err := replaceFile(root, name, []byte("text of "+name)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if raw, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !bytes.Equal(raw, []byte("text of "+name)) {
			t.Errorf("%s holds %q, %v", name, raw, err)
		}
	}
	if raw, _ := os.ReadFile(filepath.Join(dir, "README.md")); string(raw) != "mine" {
		t.Errorf("README.md holds %q", raw)
	}
	if err := os.Mkdir(filepath.Join(dir, "folder.md"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := replaceFile(root, "folder.md", nil); err == nil {
		t.Error("a folder was replaced")
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".hence-*.tmp")); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
}
