package ignore_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"hence/projection/folder/ignore"
)

func TestMatchAny(t *testing.T) {
	for _, c := range []struct {
		patterns, path string
		want           bool
	}{
		{"", "a.md", false},
		{"# a.md\n\n", "a.md", false},
		{"a.md", "a.md", true},
		{"a.md", "deep/er/a.md", true},
		{"a.md", "ba.md", false},
		{"/a.md", "deep/a.md", false},
		{"/a.md", "a.md", true},
		{"deep/a.md", "deep/a.md", true},
		{"deep/a.md", "more/deep/a.md", false},
		{"drafts", "drafts/x/y.md", true},
		{"drafts/", "drafts/x.md", true},
		{"drafts/", "sub/drafts/x.md", true},
		{"drafts/", "drafts", false},
		{"*.tmp.md", "x/a.tmp.md", true},
		{"*.md", "x/a.txt", false},
		{"a*z", "a/z", false},
		{"?.md", "x/a.md", true},
		{"?.md", "x/ab.md", false},
		{"**/log", "a/b/log", true},
		{"**/log", "log", true},
		{"a/**/z", "a/z", true},
		{"a/**/z", "a/b/c/z", true},
		{"a/**", "a/b/c", true},
		{"a/**", "a", false},
		{"*.md\n!keep.md", "keep.md", false},
		{"*.md\n!keep.md", "other.md", true},
		{"!keep.md\n*.md", "keep.md", true},
		{"dir/\n!dir/keep.md", "dir/keep.md", true},
		{"dir/*\n!dir/keep.md", "dir/keep.md", false},
		{`\#x`, "#x", true},
		{`\!x`, "!x", true},
		{`a\*`, "a*", true},
		{`a\*`, "ab", false},
		{"a.b", "axb", false},
		{"trailing  \n", "trailing", true},
		{"with\\ \n", "with ", true},
		{"crlf\r\n", "crlf", true},
		{"\ufeffbom", "bom", true},
		{"Ünï*", "x/Ünïcode", true},
		{"/", "a", false},
		{"[Bb]uild/", "build/x", true},
		{"[Bb]uild/", "guild/x", false},
		{"*.py[co]", "a/b.pyc", true},
		{"*.py[co]", "a/b.py", false},
		{"gen_[0-9].go", "gen_7.go", true},
		{"gen_[0-9].go", "gen_x.go", false},
		{"gen_[9-0].go", "gen_0.go", false},
		{"gen_[9-0].go", "gen_9.go", true},
		{"keep[!a].py", "keepb.py", true},
		{"keep[!a].py", "keepa.py", false},
		{"keep[^a].py", "keepa.py", false},
		{"a[!b]c/d", "a/c/d", false},
		{"a[/]c", "a/c", false},
		{"a[.-0]c", "a/c", false},
		{"a[.-0]c", "a0c", true},
		{"a[[:punct:]]c", "a/c", false},
		{"a[[:punct:]]c", "a_c", true},
		{"a[[:punct:]]c", "a[c", true},
		{"a[[:graph:][:space:]]c", "a c", true},
		{"[[:upper:]_]*", "_a", true},
		{"[[:upper:]_]*", "a", false},
		{"[[:none:]a]", "a", false},
		{"[]a]", "]", true},
		{"[!]a]", "]", false},
		{"[a-]", "-", true},
		{`[\]-_]`, "^", true},
		{`[\]-_]`, `\`, false},
		{"[a", "[a", false},
		{"[a", "a", false},
		{"[!", "b", false},
		{"[", "[", false},
		{`[a\`, "a", false},
		{`\[a]`, "[a]", true},
		{"a[b-d-z]", "a-", true},
		{"a[b-d-z]", "am", false},
		{"tab\t", "tab", false},
		{"tab\t", "tab\t", true},
	} {
		if got := matchAny(ignore.Parse(c.patterns), c.path); got != c.want {
			t.Errorf("%q leaves out %q: %v, want %v", c.patterns, c.path, got, c.want)
		}
		if _, err := exec.LookPath("git"); err != nil {
			continue
		}
		if git := matchGit(t, c.patterns, c.path); git != c.want {
			t.Errorf("git: %q leaves out %q: %v, want %v", c.patterns, c.path, git, c.want)
		}
	}
}

// matchGit is matchAny of git.
func matchGit(t *testing.T, patterns, path string) bool {
	t.Helper()
	dir := t.TempDir()
	for _, args := range [][]string{{"init", "-q"}, {"check-ignore", "-q", "--no-index", path}} {
		if args[0] == "check-ignore" {
			if err := os.WriteFile(filepath.Join(dir, ".gitignore"), []byte(patterns), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
		if out, err := cmd.CombinedOutput(); err != nil {
			if cmd.ProcessState.ExitCode() != 1 {
				t.Fatalf("git %q: %v\n%s", args, err, out)
			}
			return false
		}
	}
	return true
}

// matchAny reports whether a file's path or any folder above it is excluded.
func matchAny(all ignore.Patterns, path string) bool {
	for i := range len(path) {
		if path[i] == '/' {
			if excluded, _ := all.Decide(path[:i], true); excluded {
				return true
			}
		}
	}
	excluded, _ := all.Decide(path, false)
	return excluded
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"*.md\n!a", "/a/**/b/", "\\", "[a-z]", "**", "a\\", "\xff*", "!", "!/", "a**b", strings.Repeat("*a", 50)} {
		f.Add(seed, "a/b.md")
	}
	f.Fuzz(func(t *testing.T, patterns, path string) {
		all := ignore.Parse(patterns)
		all.Decide(path, true)
		if path != "" && !strings.Contains(path, "\\") && strings.Trim(path, "/#!*? \t\r\n") == path && !strings.ContainsAny(path, "\r\n*?[\ufeff") && strings.ToValidUTF8(path, "") == path {
			if excluded, _ := ignore.Parse("/"+path).Decide(path, false); !excluded {
				t.Errorf("the pattern /%s does not match its own path", path)
			}
		}
		if matchAny(ignore.Parse(patterns+"\n!**"), "x") {
			t.Errorf("%q leaves out what a later line takes back", patterns)
		}
	})
}
