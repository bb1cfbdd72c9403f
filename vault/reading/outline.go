package reading

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"hence/internal/args"
	"hence/internal/budget"
	"hence/vault/note"
)

// Heading is a heading of a note, and the last line of its section, which ends before the
// next heading of the same level or a higher one.
type Heading struct {
	Level   int    `json:"level"`
	Text    string `json:"text"`
	Line    int    `json:"line"`
	EndLine int    `json:"end_line" jsonschema:"of its section"`
}

// headingsOf returns the headings of a note that has lastLine lines, in order.
func headingsOf(n *note.Note, lastLine int) []Heading {
	all := make([]Heading, len(n.Headings))
	for i, h := range n.Headings {
		all[i] = Heading{Level: h.Level, Text: h.Text, Line: h.Span.Start.Line, EndLine: lastLine}
		for _, next := range n.Headings[i+1:] {
			if next.Level <= h.Level {
				all[i].EndLine = next.Span.Start.Line - 1
				break
			}
		}
	}
	return all
}

// HeadingsArgs name a note.
type HeadingsArgs struct {
	Path        string `json:"path"`
	Vault       string `json:"vault,omitempty"`
	Limit       int    `json:"limit,omitempty" default:"200" min:"1" max:"2000"`
	TokenBudget int    `json:"token_budget,omitempty" min:"64"`
}

// HeadingsResult is the outline of a note, as it is on disk now.
type HeadingsResult struct {
	Vault         string    `json:"vault"`
	Path          string    `json:"path"`
	ContentHash   string    `json:"content_hash"`
	Headings      []Heading `json:"headings"`
	TotalCount    int       `json:"total_count"`
	ReturnedCount int       `json:"returned_count"`
	Truncated     bool      `json:"truncated"`
	Next          string    `json:"next,omitempty"`
}

// Headings returns a note's headings as they are on disk now. It fails as
// ReadNote does.
func (n Reader) Headings(ctx context.Context, a HeadingsArgs) (result HeadingsResult, err error) {
	const operation = "get_headings"
	if err := args.Check(operation, &a); err != nil {
		return result, err
	}
	p, err := n.openPage(ctx, operation, a.Vault, a.Path)
	if err != nil {
		return result, err
	}
	all := headingsOf(p.note, p.lines())
	headings := all[:min(len(all), a.Limit)]
	return budget.Hold(ctx, operation, a.TokenBudget, len(headings), func(n, bytes int) HeadingsResult {
		result := HeadingsResult{
			Vault: p.vault, Path: p.path, ContentHash: p.hash,
			Headings: slices.Clone(headings[:n]), TotalCount: len(all), ReturnedCount: n, Truncated: n < len(all) || bytes < budget.Whole,
		}
		for i, h := range result.Headings {
			result.Headings[i].Text, _ = budget.Cut(h.Text, bytes)
		}
		switch {
		case n < len(headings) || bytes < budget.Whole:
			result.Next = budget.Next
		case result.Truncated:
			result.Next = "limit"
		}
		return result
	})
}

// headingMarks are the characters that Obsidian ignores when it compares headings,
// because a link cannot contain all of them.
var headingMarks = regexp.MustCompile("[!\"#$%&()*+,.:;<=>?@^`{|}~/\\[\\]\\\\\\s]+")

// foldHeading returns the form in which headings are compared.
func foldHeading(text string) string {
	return strings.ToLower(strings.TrimSpace(headingMarks.ReplaceAllString(text, " ")))
}

// sectionLines returns the lines of a section or block. name has the form of the part of a
// link after its #: "Heading"; "Outer#Inner", the first Inner within an Outer, at any depth;
// or "^id", a block. Case and punctuation do not count.
func sectionLines(n *note.Note, all []Heading, name string) (lines note.Lines, ok bool) {
	name = strings.TrimSpace(name)
	if id, isBlock := strings.CutPrefix(strings.TrimPrefix(name, "#"), "^"); isBlock {
		for _, b := range n.Blocks {
			if strings.EqualFold(b.ID, id) {
				lines = note.Lines{First: b.Span.Start.Line, Last: b.Span.End.Line}
				if b.Span.End.Col == 0 && lines.Last > lines.First {
					lines.Last-- // it ends with its last line's end
				}
				return lines, true
			}
		}
		return lines, false
	}
	parts := []string{}
	for part := range strings.SplitSeq(name, "#") {
		if part != "" {
			parts = append(parts, foldHeading(part))
		}
	}
	// A heading may contain a # itself.
	for _, wanted := range [][]string{parts, {foldHeading(name)}} {
		if h, ok := findHeading(all, wanted); ok {
			return note.Lines{First: h.Line, Last: h.EndLine}, true
		}
	}
	return lines, false
}

// findHeading returns the first heading whose text is the last of names, and which lies
// within headings with the other names.
func findHeading(all []Heading, names []string) (heading Heading, ok bool) {
	if len(names) == 0 {
		return heading, false
	}
	var above []Heading // the headings that the current one lies in
	for _, h := range all {
		for len(above) > 0 && above[len(above)-1].Level >= h.Level {
			above = above[:len(above)-1]
		}
		if foldHeading(h.Text) == names[len(names)-1] && liesIn(above, names[:len(names)-1]) {
			return h, true
		}
		above = append(above, h)
	}
	return heading, false
}

// liesIn reports whether headings, from the outside in, have all names in order.
func liesIn(above []Heading, names []string) bool {
	for _, h := range above {
		if len(names) > 0 && foldHeading(h.Text) == names[0] {
			names = names[1:]
		}
	}
	return len(names) == 0
}
