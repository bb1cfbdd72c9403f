package agents

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"hence/projection"
	"hence/projection/folder"
)

// FuzzRead reads any bytes as any of the files. The text is that of the file or less, its sections and
// sites lie within it, and nothing raises its trust.
func FuzzRead(f *testing.F) {
	_ = filepath.WalkDir("testdata", func(name string, d os.DirEntry, err error) error {
		if text, err := os.ReadFile(name); err == nil {
			f.Add("projects/a/memory/"+filepath.Base(name), text)
			f.Add("CLAUDE.md", text)
		}
		return nil
	})
	f.Add(".cursor/rules/x.mdc", []byte("---\nglobs: *.go\n---\n@a.md [[b]]"))
	for _, hostile := range []string{"---\ntype: 3\nname: [a]\nmetadata: [1]\n---\n", "---\nmetadata:\n  modified: 9999-99-99\n---\nx", "<!-- hence:begin\n<!-- hence:end -->", "- [a](b.md)\n- [", "\xff\x00---\n"} {
		f.Add("projects/a/memory/MEMORY.md", []byte(hostile))
	}
	opened := source{Source: plain, name: "claude-code", projects: &projects{root: f.TempDir()}}
	f.Add("memories/MEMORY.md", []byte("x\n# Task Group: a/b #c\r\ncwd=/a\n# Task Group: a/b #c\n# Task Group:\ny\n# Task Group: a/b #c-2\nz"))
	ofRepo, ofCodex := opened, opened
	ofCodex.rules, _ = rulesOf("codex")
	opened.rules, _ = rulesOf("claude-code")
	ofRepo.rules, ofRepo.isRepository = repository, true
	f.Fuzz(func(t *testing.T, name string, text []byte) {
		if !fs.ValidPath(name) || strings.ContainsRune(name, 0) {
			t.Skip("no scan lists such a file")
		}
		for _, s := range []source{opened, ofRepo, ofCodex} {
			d := projection.Document{Entry: folder.Entry{Path: name}, Kind: "note", Properties: map[string]any{}}
			s.Read(&d, text)
			if d.Kind == "" || d.Title == "" || !utf8.ValidString(d.Title+d.Content+d.Kind) {
				t.Errorf("%q is a %q called %q", name, d.Kind, d.Title)
			}
			if d.TextSource == "person" || d.TextSource == "note" || s.isRepository && d.TextSource == "agent" {
				t.Errorf("%q is from a %s", name, d.TextSource)
			}
			units := map[string]bool{}
			for _, u := range d.Units {
				if units[u.Name] || u.Title == "" || u.Content == "" || !utf8.ValidString(u.Name+u.Title+u.Content) || strings.ContainsAny(u.Name+u.Title, "\x00\r\n") && !strings.ContainsAny(name, "\r\n") {
					t.Errorf("a unit is %+v", u)
				}
				units[u.Name] = true
			}
			for _, one := range d.Sections {
				if one.BodyStart > one.BodyEnd || one.BodyEnd > len(d.Content)+1 {
					t.Errorf("a section is %d to %d of %d bytes", one.BodyStart, one.BodyEnd, len(d.Content))
				}
			}
			for _, site := range d.Sites {
				if site.ContextEnd > len(d.Content) || strings.Contains(site.Target, "\n") {
					t.Errorf("a site is %+v of %d bytes", site, len(d.Content))
				}
			}
		}
	})
}
