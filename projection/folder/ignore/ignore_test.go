package ignore_test

import (
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
	} {
		if got := matchAny(ignore.Parse(c.patterns), c.path); got != c.want {
			t.Errorf("%q leaves out %q: %v, want %v", c.patterns, c.path, got, c.want)
		}
	}
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
		if path != "" && !strings.Contains(path, "\\") && strings.Trim(path, "/#!*? \t\r\n") == path && !strings.ContainsAny(path, "\r\n*?\ufeff") && strings.ToValidUTF8(path, "") == path {
			if excluded, _ := ignore.Parse("/"+path).Decide(path, false); !excluded {
				t.Errorf("the pattern /%s does not match its own path", path)
			}
		}
		if matchAny(ignore.Parse(patterns+"\n!**"), "x") {
			t.Errorf("%q leaves out what a later line takes back", patterns)
		}
	})
}
