package note_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"hence/vault/note"
)

// checkNote tests the properties that every parsed note must have.
func checkNote(t *testing.T, src []byte, n *note.Note) {
	t.Helper()
	for _, l := range slices.Concat(n.Links, n.Values) {
		checkSpan(t, src, "link", l.Span)
		for _, s := range []string{l.Target, l.Anchor, l.Display, l.Key, l.Context} {
			checkText(t, "link", s)
		}
		if utf8.RuneCountInString(l.Context) > 200 {
			t.Errorf("a context of %d runes", utf8.RuneCountInString(l.Context))
		}
		if l.Target == "" && l.Anchor == "" {
			t.Errorf("a link to nothing: %+v", l)
		}
		if strings.ContainsAny(l.Target, "\n\r") && l.Form == note.Wikilink {
			t.Errorf("a link over two lines: %q", l.Target)
		}
		if (l.Key == "") != (l.KeyKind == note.KeyNone) && l.KeyKind != note.KeyProperty {
			t.Errorf("key %q of kind %q", l.Key, l.KeyKind)
		}
	}
	for _, g := range n.Tags {
		checkSpan(t, src, "tag", g.Span)
		checkText(t, "tag", g.Name)
		if got := string(src[g.Span.Start.Offset:g.Span.End.Offset]); !g.Property && got != "#"+g.Name {
			t.Errorf("tag %q at %q", g.Name, got)
		}
	}
	for _, h := range n.Headings {
		checkSpan(t, src, "heading", h.Span)
		checkText(t, "heading", h.Text)
	}
	for _, b := range n.Blocks {
		checkSpan(t, src, "block", b.Span)
	}
	for _, p := range n.Plain {
		if p.Start < 0 || p.Start >= p.End || p.End > len(p.Line) || !bytes.HasPrefix(src[p.Offset:], []byte(p.Line)) {
			t.Fatalf("a stretch out of its line: %+v", p)
		}
		if strings.Count(string(src[:p.Offset]), "\n")+1 != p.Number {
			t.Errorf("a stretch on line %d at offset %d", p.Number, p.Offset)
		}
	}
	for _, a := range n.Aliases {
		checkText(t, "alias", a)
	}
	if _, err := json.Marshal(n.Properties); err != nil {
		t.Errorf("properties are not JSON: %v", err)
	}
	lines := strings.Count(string(src), "\n") + 1
	for _, w := range n.Warnings {
		if w.Line < 0 || w.Line > lines {
			t.Errorf("a warning on line %d of %d", w.Line, lines)
		}
		checkText(t, "warning", w.Text)
	}
}

func checkText(t *testing.T, what, s string) {
	t.Helper()
	if !utf8.ValidString(s) {
		t.Errorf("%s: invalid UTF-8 in %q", what, s)
	}
}

func checkSpan(t *testing.T, src []byte, what string, s note.Span) {
	t.Helper()
	if s.Start.Offset < 0 || s.Start.Offset > s.End.Offset || s.End.Offset > len(src) {
		t.Fatalf("%s: span %+v outside of %d bytes", what, s, len(src))
	}
	for _, p := range []note.Pos{s.Start, s.End} {
		// In invalid UTF-8 a span need not be at the boundary of a rune.
		if p.Offset < len(src) && !utf8.RuneStart(src[p.Offset]) && utf8.Valid(src) {
			t.Errorf("%s: offset %d is inside a rune", what, p.Offset)
		}
		if want := strings.Count(string(src[:p.Offset]), "\n") + 1; p.Line != want {
			t.Errorf("%s: offset %d on line %d, want %d", what, p.Offset, p.Line, want)
		}
	}
}

// checkSections tests that the sections of a note have each line of its body once, in order,
// except blank lines before the first section.
func checkSections(t *testing.T, src []byte, n *note.Note) {
	t.Helper()
	lines := strings.SplitAfter(string(src), "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	next := n.Frontmatter.Last + 1
	for i, s := range n.Sections {
		if s.Ordinal != i {
			t.Errorf("section %d has ordinal %d", i, s.Ordinal)
		}
		if i == 0 && s.StartLine >= next {
			checkBlank(t, lines[next-1:s.StartLine-1])
			next = s.StartLine
		}
		if s.StartLine != next || s.EndLine < s.StartLine {
			t.Fatalf("section %d has lines %d to %d, want a start on %d", i, s.StartLine, s.EndLine, next)
		}
		text := strings.ToValidUTF8(strings.TrimPrefix(strings.Join(lines[s.StartLine-1:s.EndLine], ""), "\ufeff"), "\ufffd")
		if !strings.HasSuffix(text, s.Body) || s.Level == 0 && text != s.Body {
			t.Errorf("section %d: body %q is not the end of %q", i, s.Body, text)
		}
		next = s.EndLine + 1
	}
	if next <= len(lines) {
		checkBlank(t, lines[next-1:])
	}
}

func checkBlank(t *testing.T, lines []string) {
	t.Helper()
	if rest := strings.TrimPrefix(strings.Join(lines, ""), "\ufeff"); strings.TrimSpace(rest) != "" {
		t.Errorf("in no section: %q", rest)
	}
}

func FuzzParse(f *testing.F) {
	for _, h := range hostile {
		f.Add([]byte(strings.Repeat(h.unit, 5)))
	}
	for _, h := range whole {
		f.Add([]byte(h.build(60)))
	}
	f.Add([]byte("---\na: \"[[b]]\"\ntags: [c]\n---\n# D\n\n- e:: [[f#g|h]] ^i\n\n| j |\n|---|\n| [[k\\|l]] |\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		n := note.Parse(src)
		checkNote(t, src, n)
		checkSections(t, src, n)
	})
}

func FuzzCanvas(f *testing.F) {
	f.Add([]byte(`{"nodes":[{"id":"a","type":"file","file":"A.md","subpath":"#B"},{"id":"b","type":"text","text":"# C\n[[D]] #e"}],"edges":[{"fromNode":"a","toNode":"b","label":"l"}]}`))
	f.Add([]byte("\ufeff{}"))
	f.Add([]byte(`{"nodes":null,"edges":{},"x":[[[]]]}`))
	f.Add([]byte("{\"nodes\":[{\"type\":\"text\",\"text\":\"a\n[[D]]\",},1,{\"type\":\"file\",\"file\":\"A.md\""))
	f.Fuzz(func(t *testing.T, src []byte) {
		n, err := note.ParseCanvas(src)
		if err != nil {
			if n != nil {
				t.Error("a note beside an error")
			}
			return
		}
		for i := range n.Tags {
			n.Tags[i].Property = true // its span is that of the node
		}
		checkNote(t, src, n)
	})
}
