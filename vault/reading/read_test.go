package reading_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/vault"
	"hence/vault/reading"
	"hence/vault/vaulttest"
)

func (f folder) read(a reading.ReadNoteArgs) reading.ReadNoteResult {
	f.T.Helper()
	result, err := f.reader().ReadNote(f.T.Context(), a)
	if err != nil {
		f.T.Fatalf("ReadNote(%+v): %v", a, err)
	}
	return result
}

func TestReadNote(t *testing.T) {
	text := "---\ntags: [b, a/c]\nup: \"[[x]]\"\nnone:\n---\n# One\n\ntext #a/c\n## Two\nmore\n"
	f := newFolder(t, map[string]string{"sub/Note.md": text})
	f.Imports()
	sum := sha256.Sum256([]byte(text))
	info, err := os.Stat(filepath.Join(f.Dir, "sub/Note.md"))
	if err != nil {
		t.Fatal(err)
	}
	want := reading.ReadNoteResult{
		Vault: "v", Path: "sub/Note.md", Content: text, StartLine: 1, EndLine: 10, TotalLines: 10,
		ContentHash: hex.EncodeToString(sum[:]), Size: int64(len(text)), Modified: info.ModTime().UTC().Format("2006-01-02T15:04:05.000Z"),
		Frontmatter: map[string]any{"tags": []any{"b", "a/c"}, "up": "[[x]]", "none": nil},
		Headings:    []reading.Heading{{Level: 1, Text: "One", Line: 6, EndLine: 10}, {Level: 2, Text: "Two", Line: 9, EndLine: 10}},
		Tags:        []string{"a/c", "b"}, Warnings: []string{},
	}
	for name, path := range map[string]string{
		"Path": "sub/Note.md", "WithoutExtension": "sub/Note", "URI": "obsidian-fs://v/sub/Note.md", "Title": "Note", "ID": f.ID("sub/Note.md"),
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(want, f.read(reading.ReadNoteArgs{Path: path})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// ReadNote returns the note as it is on disk now, not as it was imported.
func TestReadNote_EditedSince(t *testing.T) {
	f := newFolder(t, map[string]string{"a.md": "old"})
	f.Imports()
	f.Write("a.md", "new\n# H")
	f.Write("b.md", "came")
	if got := f.read(reading.ReadNoteArgs{Path: "a"}); got.Content != "new\n# H" || len(got.Headings) != 1 {
		t.Errorf("read %+v", got)
	}
	if got := f.read(reading.ReadNoteArgs{Path: "b"}); got.Content != "came" {
		t.Errorf("read %+v", got)
	}
}

func TestReadNote_Lines(t *testing.T) {
	f := newFolder(t, map[string]string{
		"n.md": "one\ntwo\nthree\n", "open.md": "one\ntwo", "crlf.md": "one\r\ntwo\r\n", "bom.md": "\uFEFFone\ntwo",
		"empty.md": "", "blank.md": "\n\n", "bytes.md": "a\xffb\nc\x00d",
	})
	f.Imports()
	for _, c := range []struct {
		path        string
		start, end  int
		want        string
		first, last int
		total       int
	}{
		{"n", 0, 0, "one\ntwo\nthree\n", 1, 3, 3},
		{"n", 1, 1, "one\n", 1, 1, 3},
		{"n", 2, 0, "two\nthree\n", 2, 3, 3},
		{"n", 0, 2, "one\ntwo\n", 1, 2, 3},
		{"n", 3, 3, "three\n", 3, 3, 3},
		{"n", 3, 99, "three\n", 3, 3, 3},
		{"open", 2, 2, "two", 2, 2, 2},
		{"open", 1, 1, "one\n", 1, 1, 2},
		{"crlf", 0, 0, "one\r\ntwo\r\n", 1, 2, 2},
		{"crlf", 2, 2, "two\r\n", 2, 2, 2},
		{"bom", 0, 0, "one\ntwo", 1, 2, 2},
		{"bom", 1, 1, "one\n", 1, 1, 2},
		{"bom", 2, 2, "two", 2, 2, 2},
		{"empty", 0, 0, "", 0, 0, 0},
		{"empty", 1, 5, "", 0, 0, 0},
		{"blank", 0, 0, "\n\n", 1, 2, 2},
		{"bytes", 0, 0, "a\uFFFDb\nc\uFFFDd", 1, 2, 2},
	} {
		got := f.read(reading.ReadNoteArgs{Path: c.path, StartLine: c.start, EndLine: c.end})
		if got.Content != c.want || got.StartLine != c.first || got.EndLine != c.last || got.TotalLines != c.total || got.Truncated {
			t.Errorf("%s %d to %d: %q, lines %d to %d of %d; want %q, %d to %d of %d", c.path, c.start, c.end,
				got.Content, got.StartLine, got.EndLine, got.TotalLines, c.want, c.first, c.last, c.total)
		}
	}
	for name, a := range map[string]reading.ReadNoteArgs{
		"BehindTheEnd": {Path: "n", StartLine: 4}, "BehindAnEmptyOne": {Path: "empty", StartLine: 2},
		"Backwards": {Path: "n", StartLine: 2, EndLine: 1}, "SectionToo": {Path: "n", StartLine: 1, Section: "x"}, "Negative": {Path: "n", StartLine: -1},
	} {
		if _, err := f.reader().ReadNote(t.Context(), a); fault.CodeOf(err) != fault.InvalidArgument {
			t.Errorf("%s: %v, want invalid_argument", name, err)
		}
	}
}

func TestReadNote_Section(t *testing.T) {
	f := newFolder(t, map[string]string{"n.md": "lead\n" + // 1
		"# A\n" + "a\n" + "## B\n" + "b\n" + "### Deep: the [[Link]]!\n" + "deep\n" + // 2 to 7
		"# C\n" + "## b\n" + "block ^Id-1\n" + "\n" + "Underlined\n=====\n" + // 8 to 13
		"# C# notes\n" + "end"}) // 14, 15
	f.Imports()
	for section, want := range map[string][2]int{
		"A": {2, 7}, "a": {2, 7}, "#A": {2, 7}, "## A": {2, 7}, "B": {4, 7}, "A#B": {4, 7}, "C#B": {9, 11}, "C#b": {9, 11},
		"A#Deep the Link": {6, 7}, "deep: the [[link]]!": {6, 7}, "A#B#deep the link": {6, 7}, "Underlined": {12, 13},
		"C# notes": {14, 15}, "^id-1": {10, 10}, "#^Id-1": {10, 10}, " A ": {2, 7},
	} {
		got := f.read(reading.ReadNoteArgs{Path: "n", Section: section})
		if got.StartLine != want[0] || got.EndLine != want[1] {
			t.Errorf("%q: lines %d to %d, want %d to %d", section, got.StartLine, got.EndLine, want[0], want[1])
		}
		for _, h := range got.Headings {
			if h.Line < want[0] || h.Line > want[1] {
				t.Errorf("%q: the heading %+v is not in the section", section, h)
			}
		}
	}
	for _, section := range []string{"D", "B#A", "A#C", "^none", "#", "##", "C#Underlined", " "} {
		if _, err := f.reader().ReadNote(t.Context(), reading.ReadNoteArgs{Path: "n", Section: section}); fault.CodeOf(err) != fault.NotFound {
			t.Errorf("%q: %v, want not_found", section, err)
		}
	}
}

func TestReadNote_SectionsOfOneNameAreToldApart(t *testing.T) {
	f := newFolder(t, map[string]string{"n.md": "# Setup\n" + "a\n" + "## Setup\n" + "b\n" + "### Use\n" + "# Other\n" + "## Setup\n" + "c\n" + "### Use\n" + "d\n" + "# One\n"})
	f.Imports()
	for section, want := range map[string]struct {
		first, last int
		doubt       string
	}{
		"One":              {11, 11, ""},
		"# Setup":          {1, 5, ""},
		"Setup":            {1, 5, "3 sections are called \"Setup\", on the lines 1, 3, 7"},
		"#Setup":           {1, 5, "3 sections are called \"#Setup\", on the lines 1, 3, 7"},
		"## Setup":         {3, 5, "2 sections are called \"## Setup\", on the lines 3, 7"},
		"##Setup":          {3, 5, "2 sections are called \"##Setup\", on the lines 3, 7"},
		"Other#Setup":      {7, 10, ""},
		"# Other## setup":  {7, 10, ""},
		"# Setup ## Setup": {3, 5, ""},
		"Other ### Use":    {9, 10, ""},
		"### One":          {11, 11, "no section \"### One\" has that level; this one has level 1"},
		"use":              {5, 5, "2 sections are called \"use\", on the lines 5, 9"},
		"## Other ### Use": {9, 10, "no section \"## Other ### Use\" has that level"},
	} {
		got := f.read(reading.ReadNoteArgs{Path: "n", Section: section})
		if got.StartLine != want.first || got.EndLine != want.last {
			t.Errorf("%q: lines %d to %d, want %d to %d", section, got.StartLine, got.EndLine, want.first, want.last)
		}
		if warned := strings.Join(got.Warnings, "\n"); !strings.HasPrefix(warned, want.doubt) || (warned == "") != (want.doubt == "") {
			t.Errorf("%q: the warnings %q, want %q", section, warned, want.doubt)
		}
	}
}

// Sections are the same as those of a naive reading of the lines.
func TestReadNote_SectionsAreThoseOfANaiveReading(t *testing.T) {
	dbtest.CheckTimes(t, 30)
	f := newFolder(t, nil)
	f.Write("n.md", "")
	f.Imports()
	names := []string{"a", "b", "C", "d e"}
	rapid.Check(t, func(r *rapid.T) {
		type line struct {
			level int
			name  string
		}
		lines := rapid.SliceOfN(rapid.Custom(func(r *rapid.T) line {
			return line{rapid.IntRange(0, 4).Draw(r, "level"), rapid.SampledFrom(names).Draw(r, "name")}
		}), 1, 12).Draw(r, "lines")
		var text strings.Builder
		for _, l := range lines {
			if l.level > 0 {
				text.WriteString(strings.Repeat("#", l.level) + " ")
			}
			text.WriteString(l.name + "\n")
		}
		f.Write("n.md", text.String())
		wanted := rapid.SliceOfN(rapid.SampledFrom(names), 1, 3).Draw(r, "section")

		// The first heading with the last name whose outer headings have the other names, in
		// order.
		first, last := 0, 0
		for i, l := range lines {
			if l.level == 0 || l.name != wanted[len(wanted)-1] || first > 0 {
				continue
			}
			above, level := []string{}, l.level
			for j := i - 1; j >= 0; j-- {
				if lines[j].level > 0 && lines[j].level < level {
					above, level = append([]string{lines[j].name}, above...), lines[j].level
				}
			}
			if !isSubsequence(wanted[:len(wanted)-1], above) {
				continue
			}
			for first, last = i+1, i+1; last < len(lines) && (lines[last].level == 0 || lines[last].level > l.level); last++ {
			}
		}
		got, err := f.reader().ReadNote(t.Context(), reading.ReadNoteArgs{Path: "n", Section: strings.Join(wanted, "#")})
		switch {
		case first == 0:
			if fault.CodeOf(err) != fault.NotFound {
				r.Fatalf("%q in\n%s\n%v, want not_found", wanted, text.String(), err)
			}
		case err != nil || got.StartLine != first || got.EndLine != last:
			r.Fatalf("%q in\n%s\nlines %d to %d (%v), want %d to %d", wanted, text.String(), got.StartLine, got.EndLine, err, first, last)
		}
	})
}

func isSubsequence(short, long []string) bool {
	for _, s := range long {
		if len(short) > 0 && s == short[0] {
			short = short[1:]
		}
	}
	return len(short) == 0
}

// The result is within the budget for any note, and has the beginning of the note.
func TestReadNote_BudgetHolds(t *testing.T) {
	dbtest.CheckTimes(t, 75)
	f := newFolder(t, nil)
	long := strings.Repeat("deep/", 40) + "note.md"
	for _, path := range []string{"n.md", long} {
		f.Write(path, "")
	}
	f.Imports()
	piece := rapid.SampledFrom([]string{
		"# Heading\n", "## " + strings.Repeat("long ", 60) + "\n", "a line of text\n", "word ", "\r\n", "\n", "\"quoted\" <b>\t", "日本語 ", "\x01\x01", "🙂", "#tag/" + strings.Repeat("x", 30) + " ",
		strings.Repeat("x", 500),
	})
	rapid.Check(t, func(r *rapid.T) {
		var text strings.Builder
		if rapid.Bool().Draw(r, "frontmatter") {
			text.WriteString("---\nkey: " + rapid.SampledFrom([]string{"v", "[broken", strings.Repeat("v", 300)}).Draw(r, "value") + "\n---\n")
		}
		for _, p := range rapid.SliceOfN(piece, 0, 60).Draw(r, "pieces") {
			text.WriteString(p)
		}
		path := rapid.SampledFrom([]string{"n.md", long}).Draw(r, "path")
		f.Write(path, text.String())
		whole := f.read(reading.ReadNoteArgs{Path: path})
		tokens := rapid.IntRange(64, 1200).Draw(r, "budget")
		got := f.read(reading.ReadNoteArgs{Path: path, TokenBudget: tokens})
		raw, err := json.Marshal(got)
		if err != nil {
			r.Fatal(err)
		}
		if cost := (len(raw) + 3) / 4; cost > tokens {
			r.Fatalf("the answer costs %d of %d tokens: %s", cost, tokens, raw)
		}
		if bytes.Contains(raw, []byte("null")) && !strings.Contains(text.String(), "null") {
			r.Fatalf("null in %s", raw)
		}
		if all, err := json.Marshal(whole); err == nil && (len(all)+3)/4 <= tokens {
			if diff := cmp.Diff(whole, got); diff != "" {
				r.Fatalf("what fits is cut (-want +got):\n%s", diff)
			}
			return
		}
		begins := strings.TrimSuffix(got.Content, "…")
		if !got.Truncated || got.Next == "" || !strings.HasPrefix(whole.Content, begins) {
			r.Fatalf("%q (next %q) of %q", got.Content, got.Next, whole.Content)
		}
		if got.Next == "start_line" {
			rest := f.read(reading.ReadNoteArgs{Path: path, StartLine: got.EndLine + 1})
			if got.Content+rest.Content != whole.Content {
				r.Fatalf("%q and then %q is not %q", got.Content, rest.Content, whole.Content)
			}
		}
	})
}

func TestReadNote_BrokenFrontmatterIsAWarning(t *testing.T) {
	f := newFolder(t, map[string]string{"a.md": "---\nkey: [open\n---\ntext"})
	f.Imports()
	got := f.read(reading.ReadNoteArgs{Path: "a"})
	if len(got.Warnings) != 1 || !strings.HasPrefix(got.Warnings[0], "line 2: invalid YAML") || len(got.Frontmatter) != 0 || !strings.HasSuffix(got.Content, "text") {
		t.Errorf("read %+v", got)
	}
	front, err := f.reader().Frontmatter(t.Context(), reading.FrontmatterArgs{Path: "a"})
	if err != nil || len(front.Warnings) != 1 || front.Frontmatter == nil || front.ContentHash != got.ContentHash {
		t.Errorf("Frontmatter: %+v, %v", front, err)
	}
}

func TestFrontmatterSaysWhetherThereIsSome(t *testing.T) {
	f := newFolder(t, map[string]string{
		"none.md": "text", "empty.md": "---\n---\ntext", "broken.md": "---\n[\n---\n", "some.md": "---\nk: 1\n---\n", "rule.md": "text\n\n---\n",
	})
	f.Imports()
	for path, want := range map[string]bool{"none": false, "empty": true, "broken": true, "some": true, "rule": false} {
		if got, err := f.reader().Frontmatter(t.Context(), reading.FrontmatterArgs{Path: path}); err != nil || got.HasFrontmatter != want {
			t.Errorf("%s: has_frontmatter %v, %v; want %v", path, got.HasFrontmatter, err, want)
		}
	}
}

func TestReading_Refuses(t *testing.T) {
	f := newFolder(t, map[string]string{"a.md": "x", "same.md": "1", "pic.png": "p", ".hidden/h.md": "h", "board.canvas": `{"nodes":[]}`})
	g := newFolder(t, map[string]string{"b.md": "y", "same.md": "2"})
	g.Importer.DB = f.Importer.DB
	f.Imports()
	if _, err := g.Importer.Import(t.Context(), vault.ImportArgs{Dir: g.Dir, Name: "w"}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(filepath.Dir(f.Dir), "outside.md"), []byte("secret"), 0o644); err != nil {
		t.Fatal(err)
	}
	vaulttest.Symlink(t, "../outside.md", filepath.Join(f.Dir, "link.md"))
	for name, c := range map[string]struct {
		vault, path string
		code        fault.Code
	}{
		"Missing":      {"", "none", fault.NotFound},
		"OtherVault":   {"v", "b", fault.NotFound},
		"UnknownVault": {"nowhere", "a", fault.NotFound},
		"Ambiguous":    {"", "same.md", fault.Ambiguous},
		"Up":           {"", "../outside.md", fault.OutsideVault},
		"Absolute":     {"", "/etc/passwd", fault.OutsideVault},
		"Link":         {"v", "link.md", fault.OutsideVault},
		"Hidden":       {"", ".hidden/h.md", fault.OutsideVault},
		"Backslash":    {"", `..\outside.md`, fault.OutsideVault},
		"NUL":          {"", "a\x00.md", fault.OutsideVault},
		"Picture":      {"", "pic.png", fault.InvalidArgument},
		"Canvas":       {"", "board.canvas", fault.InvalidArgument},
		"Empty":        {"", " ", fault.InvalidArgument},
		"URIElsewhere": {"w", "obsidian-fs://v/a.md", fault.InvalidArgument},
	} {
		t.Run(name, func(t *testing.T) {
			_, read := f.reader().ReadNote(t.Context(), reading.ReadNoteArgs{Path: c.path, Vault: c.vault})
			_, headings := f.reader().Headings(t.Context(), reading.HeadingsArgs{Path: c.path, Vault: c.vault})
			_, front := f.reader().Frontmatter(t.Context(), reading.FrontmatterArgs{Path: c.path, Vault: c.vault})
			for _, err := range []error{read, headings, front} {
				if fault.CodeOf(err) != c.code {
					t.Errorf("%v, want %s", err, c.code)
				}
				if err != nil && strings.Contains(err.Error(), "secret") {
					t.Errorf("%v", err)
				}
			}
		})
	}
	if got := f.read(reading.ReadNoteArgs{Path: "same", Vault: "w"}); got.Content != "2" {
		t.Errorf("read %+v", got)
	}
}

// If the folder of a vault is gone, the error says what to do, and the imported notes can
// still be listed.
func TestReading_FolderGone(t *testing.T) {
	f := newFolder(t, map[string]string{"a.md": "[[b]] #t", "b.md": "x"})
	f.Imports()
	if err := os.Rename(f.Dir, f.Dir+"-elsewhere"); err != nil {
		t.Fatal(err)
	}
	_, read := f.reader().ReadNote(t.Context(), reading.ReadNoteArgs{Path: "a"})
	_, again := f.Importer.Reimport(t.Context(), vault.ReimportArgs{})
	for _, err := range []error{read, again} {
		if fault.CodeOf(err) != fault.Unavailable || !strings.Contains(err.Error(), "mount it") {
			t.Errorf("%v, want unavailable with the mend", err)
		}
	}
	list, err := f.reader().ListNotes(t.Context(), reading.ListNotesArgs{})
	if err != nil || list.TotalCount != 2 {
		t.Errorf("ListNotes: %+v, %v", list, err)
	}
	if links, err := f.reader().Backlinks(t.Context(), reading.BacklinksArgs{Path: "b"}); err != nil || links.LinkedCount != 1 {
		t.Errorf("Backlinks: %+v, %v", links, err)
	}
}

func TestHeadings(t *testing.T) {
	f := newFolder(t, map[string]string{"n.md": "lead\n## Two\n\n# One\n### Three\n# Last", "none.md": "text"})
	f.Imports()
	got, err := f.reader().Headings(t.Context(), reading.HeadingsArgs{Path: "n"})
	if err != nil {
		t.Fatal(err)
	}
	want := []reading.Heading{{Level: 2, Text: "Two", Line: 2, EndLine: 3}, {Level: 1, Text: "One", Line: 4, EndLine: 5}, {Level: 3, Text: "Three", Line: 5, EndLine: 5}, {Level: 1, Text: "Last", Line: 6, EndLine: 6}}
	if diff := cmp.Diff(want, got.Headings); diff != "" || got.Truncated || got.TotalCount != 4 {
		t.Errorf("%+v (-want +got):\n%s", got, diff)
	}
	if few, err := f.reader().Headings(t.Context(), reading.HeadingsArgs{Path: "n", Limit: 3}); err != nil || !few.Truncated || few.Next != "limit" || !slices.Equal(few.Headings, want[:3]) {
		t.Errorf("with a limit: %+v, %v", few, err)
	}
	if none, err := f.reader().Headings(t.Context(), reading.HeadingsArgs{Path: "none"}); err != nil || none.Headings == nil || len(none.Headings) != 0 {
		t.Errorf("without headings: %+v, %v", none, err)
	}
}

// memory_get reads the rest of a line that exceeds every budget, and a warning says so.
func TestReadNote_OfALongLineSaysHowToGoOn(t *testing.T) {
	f := newFolder(t, map[string]string{"n.md": "one\n" + strings.Repeat("word ", 5000)})
	f.Imports()
	got := f.read(reading.ReadNoteArgs{Path: "n", StartLine: 2, TokenBudget: 1000})
	if got.EndLine != 2 || len(got.Content) < 2000 || len(got.Warnings) != 1 || !strings.Contains(got.Warnings[0], "line 2 is cut; memory_get reads on in it by offset") {
		t.Errorf("%d bytes, line %d, warnings %q", len(got.Content), got.EndLine, got.Warnings)
	}
	if got := f.read(reading.ReadNoteArgs{Path: "n", TokenBudget: 1000}); got.Next != "start_line" || len(got.Warnings) > 0 {
		t.Errorf("%+v", got)
	}
}
