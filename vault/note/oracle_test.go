package note_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"hence/vault/note"
)

// shared returns a folder of the shared test data beside the project, or skips.
func shared(t *testing.T, name string) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; ; dir = filepath.Dir(dir) {
		if folder := filepath.Join(dir, "shared", name); isDir(folder) {
			return folder
		}
		if dir == filepath.Dir(dir) {
			t.Skipf("no folder shared/%s above the package: what Obsidian reported is not at hand", name)
		}
	}
}

func isDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// report is the entry of a note in Obsidian's metadata cache.
type report struct {
	Contents string `json:"fileContents"`
	Cache    struct {
		Links, Embeds    []reportLink
		FrontmatterLinks []reportLink
		Tags             []reportTag
		Headings         []reportHeading
		Blocks           map[string]reportBlock
		Frontmatter      map[string]any
		FMPosition       *place `json:"frontmatterPosition"`
	} `json:"cachedMetadata"`
	AllTags         []string `json:"getAllTags"`
	FrontmatterTags []string `json:"parseFrontMatterTags"`
}

type reportLink struct {
	Link, Original, DisplayText, Key string
	Position                         place
}

type reportTag struct {
	Tag      string
	Position place
}

type reportHeading struct {
	Heading  string
	Level    int
	Position place
}

type reportBlock struct {
	ID       string
	Position place
}

type place struct{ Start, End point }

type point struct{ Line, Col, Offset int }

// placeOf returns a span in the form of Obsidian: lines from 0, UTF-16 units.
func placeOf(src string, s note.Span) place {
	at := func(p note.Pos) point {
		return point{Line: p.Line - 1, Col: column(src, p.Offset), Offset: len(utf16.Encode([]rune(src[:p.Offset])))}
	}
	return place{Start: at(s.Start), End: at(s.End)}
}

// column returns the UTF-16 units between the start of a line, without a byte order mark, and an
// offset in it.
func column(src string, offset int) int {
	line := src[strings.LastIndexByte(src[:offset], '\n')+1 : offset]
	return len(utf16.Encode([]rune(strings.TrimPrefix(line, "\ufeff"))))
}

func TestObsidianAgreesOnEveryNoteOfItsReport(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(shared(t, "oracle"), "tasks-demo-notes", "*.json"))
	if err != nil || len(files) != 89 {
		t.Fatalf("found %d reports, want 89 (%v)", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var want report
			if err := json.Unmarshal(data, &want); err != nil {
				t.Fatal(err)
			}
			compare(t, want, reportOf(want.Contents))
		})
	}
}

// reportOf parses a note and returns the result in the form of Obsidian.
func reportOf(src string) report {
	n := note.Parse([]byte(src))
	got := report{Contents: src}
	got.Cache.Frontmatter = n.Properties
	for _, l := range n.Links {
		if l.Lenient != note.Faithful {
			continue
		}
		r := reportLink{
			Link: l.Target + l.Anchor, DisplayText: l.Display,
			Original: src[l.Span.Start.Offset:l.Span.End.Offset], Position: placeOf(src, l.Span),
		}
		if r.DisplayText == "" {
			r.DisplayText = strings.ReplaceAll(strings.TrimPrefix(r.Link, "#"), "#", " > ")
		}
		switch l.Form {
		case note.Embed, note.MarkdownEmbed:
			got.Cache.Embeds = append(got.Cache.Embeds, r)
		case note.Property:
			r.Key, r.Position = l.Key, place{} // Obsidian reports no position for it
			got.Cache.FrontmatterLinks = append(got.Cache.FrontmatterLinks, r)
		default:
			got.Cache.Links = append(got.Cache.Links, r)
		}
	}
	for _, tag := range n.Tags {
		if tag.Property {
			got.FrontmatterTags = append(got.FrontmatterTags, "#"+tag.Name)
			continue
		}
		got.Cache.Tags = append(got.Cache.Tags, reportTag{Tag: "#" + tag.Name, Position: placeOf(src, tag.Span)})
	}
	got.AllTags = append(got.AllTags, got.FrontmatterTags...)
	for _, tag := range got.Cache.Tags {
		got.AllTags = append(got.AllTags, tag.Tag)
	}
	for _, h := range n.Headings {
		got.Cache.Headings = append(got.Cache.Headings, reportHeading{Heading: h.Text, Level: h.Level, Position: placeOf(src, h.Span)})
	}
	for _, b := range n.Blocks {
		if got.Cache.Blocks == nil {
			got.Cache.Blocks = map[string]reportBlock{}
		}
		got.Cache.Blocks[b.ID] = reportBlock{ID: b.ID, Position: placeOf(src, b.Span)}
	}
	if n.Properties != nil {
		start, end := 0, 0
		for i, line := range strings.SplitAfter(src, "\n")[:n.Frontmatter.Last] {
			if i+1 == n.Frontmatter.Last {
				end = start + len(strings.TrimRight(line, "\r\n"))
			}
			start += len(line)
		}
		got.Cache.FMPosition = &place{End: point{
			Line: n.Frontmatter.Last - 1, Col: 3, Offset: len(utf16.Encode([]rune(src[:end]))),
		}}
	}
	return got
}

func compare(t *testing.T, want, got report) {
	t.Helper()
	// Encode both sides as JSON, so that they have the same number types and no nil lists.
	for _, part := range []struct {
		name      string
		want, got any
	}{
		{"links", want.Cache.Links, got.Cache.Links},
		{"embeds", want.Cache.Embeds, got.Cache.Embeds},
		{"frontmatter links", want.Cache.FrontmatterLinks, got.Cache.FrontmatterLinks},
		{"tags", want.Cache.Tags, got.Cache.Tags},
		{"all tags", want.AllTags, got.AllTags},
		{"frontmatter tags", want.FrontmatterTags, got.FrontmatterTags},
		{"headings", want.Cache.Headings, got.Cache.Headings},
		{"blocks", want.Cache.Blocks, got.Cache.Blocks},
		{"properties", want.Cache.Frontmatter, got.Cache.Frontmatter},
		{"frontmatter's place", want.Cache.FMPosition, got.Cache.FMPosition},
	} {
		if diff := cmp.Diff(plain(t, part.want), plain(t, part.got)); diff != "" {
			t.Errorf("%s (-Obsidian +ours):\n%s", part.name, diff)
		}
	}
}

func plain(t *testing.T, v any) any {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var p any
	if err := json.Unmarshal(data, &p); err != nil {
		t.Fatal(err)
	}
	if list, ok := p.([]any); ok && len(list) == 0 {
		return nil
	}
	return p
}
