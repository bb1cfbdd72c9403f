package hence_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/edges"
)

// TestEdgeVocabularyIsDocumented holds the table of docs/edges.md against the
// one table of the code.
func TestEdgeVocabularyIsDocumented(t *testing.T) {
	text, err := os.ReadFile("docs/edges.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string][]string{}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 4 || !strings.HasPrefix(strings.TrimSpace(cells[0]), "`") {
			continue
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		documented[strings.Trim(cells[0], "`")] = cells[1:]
	}
	want := map[string][]string{}
	for _, k := range edges.Kinds() {
		same, inverse := k.Words()
		want[string(k)] = []string{k.Reads(), strings.Join(same[1:], ", "), strings.Join(inverse, ", ")}
	}
	if diff := cmp.Diff(want, documented); diff != "" {
		t.Errorf("docs/edges.md (-code +docs):\n%s", diff)
	}
}

// TestDrawingsCanBeRead: each drawing of docs is well-formed, says in words what it shows,
// and has colours for the dark.
func TestDrawingsCanBeRead(t *testing.T) {
	files, err := filepath.Glob("docs/pictures/*.svg")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		d := xml.NewDecoder(bytes.NewReader(text))
		for err == nil {
			_, err = d.Token()
		}
		if !errors.Is(err, io.EOF) {
			t.Errorf("%s: %v", file, err)
		}
		for _, has := range []string{"viewBox=", `role="img"`, "aria-label=", "prefers-color-scheme: dark"} {
			if !bytes.Contains(text, []byte(has)) {
				t.Errorf("%s has no %s", file, has)
			}
		}
	}
}

var (
	// link finds the target of a link to a file of the project.
	link = regexp.MustCompile(`(?:\]\(|(?:src|href)=")([^)"#:\s]*)(#[^)"]*)?[)"]`)
	// code is what a page shows as code.
	code = regexp.MustCompile("(?s)```.*?```|`[^`\n]*`")
)

// TestLinksOfPagesLeadSomewhere: to a file that is there and, within pages, to a heading.
func TestLinksOfPagesLeadSomewhere(t *testing.T) {
	pages, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range append(pages, "README.md", "CHANGELOG.md", "SECURITY.md", "CODE_OF_CONDUCT.md", "CONTRIBUTING.md", "ARCHITECTURE.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range link.FindAllStringSubmatch(code.ReplaceAllString(string(text), ""), -1) {
			target := filepath.Join(filepath.Dir(page), match[1])
			if match[1] == "" {
				target = page
			}
			below, err := os.ReadFile(target)
			if info, statErr := os.Stat(target); statErr == nil && info.IsDir() {
				continue
			}
			if err != nil {
				t.Errorf("%s: %s leads nowhere", page, match[0])
				continue
			}
			if match[2] != "" && !slices.Contains(anchors(string(below)), strings.TrimPrefix(match[2], "#")) {
				t.Errorf("%s: %s leads to no heading", page, match[0])
			}
		}
	}
}

// anchors are the names by which GitHub links to the headings of a page.
func anchors(page string) (names []string) {
	for line := range strings.Lines(page) {
		if heading := strings.TrimLeft(line, "#"); heading != line && strings.HasPrefix(heading, " ") {
			name := strings.ReplaceAll(strings.ToLower(strings.TrimSpace(heading)), " ", "-")
			names = append(names, regexp.MustCompile(`[^\pL\pN_-]`).ReplaceAllString(name, ""))
		}
	}
	return names
}

// TestTheReadmeIsOneScreen: what comes before "Why this, and not" is 1,400 pixels high at the width
// that GitHub gives a page, where a line of text takes 24, of code 20, and a row of a
// table 31, with what is around them.
func TestTheReadmeIsOneScreen(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	before, _, ok := strings.Cut(string(text), "\n## Why this")
	if !ok {
		t.Fatal(`README.md has no heading "Why this"`)
	}
	lines := strings.Count(before, "\n")
	code := strings.Count(regexp.MustCompile("(?s)```.*?```").FindString(before), "\n")
	if lines > 60 || code > 14 {
		t.Errorf("it has %d lines, %d of them code; at most 60 and 14 are one screen", lines, code)
	}
}
