package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const cookbook = "../../docs/sqlite.md"

// recipe is a query of docs/sqlite.md with what it answers.
var recipe = regexp.MustCompile("(?s)\n```sql\n(.*?)```\n\n```text\n(.*?)```\n")

// TestTheCookbookIsTrue runs every query of docs/sqlite.md with the sqlite3
// program on the example vault. With UPDATE set it writes the answers down.
func TestTheCookbookIsTrue(t *testing.T) {
	shell, err := exec.LookPath("sqlite3")
	if err != nil {
		t.Skip("there is no sqlite3 shell on PATH")
	}
	file := filepath.Join(t.TempDir(), "hence.db")
	if out, err := exec.Command(program(t), "import", "../../examples/vault", "--db", file).CombinedOutput(); err != nil {
		t.Fatalf("import: %v\n%s", err, out)
	}
	text, err := os.ReadFile(cookbook)
	if err != nil {
		t.Fatal(err)
	}
	recipes := 0
	now := recipe.ReplaceAllStringFunc(string(text), func(query string) string {
		recipes++
		parts := recipe.FindStringSubmatch(query)
		out, err := exec.Command(shell, "-box", file, parts[1]).CombinedOutput()
		if err != nil {
			t.Errorf("%s\n%v: %s", parts[1], err, out)
		}
		if len(out) == 0 {
			t.Errorf("nothing answers\n%s", parts[1])
		}
		if string(out) != parts[2] && os.Getenv("UPDATE") == "" {
			t.Errorf("%s\nanswers\n%s\nand the page says\n%s", parts[1], out, parts[2])
		}
		return strings.Replace(query, "```text\n"+parts[2], "```text\n"+string(out), 1)
	})
	if recipes != 20 {
		t.Errorf("the page has %d queries with answers, want 20", recipes)
	}
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(cookbook, []byte(now), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
