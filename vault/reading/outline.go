package reading

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hence/internal/budget"
	"hence/internal/lists"
	"hence/internal/pattern"
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
	p, err := n.openPage(ctx, operation, &a, a.Vault, a.Path)
	if err != nil {
		return result, err
	}
	all := headingsOf(p.note, len(p.lines))
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
var headingMarks = pattern.Lazy("[!\"#$%&()*+,.:;<=>?@^`{|}~/\\[\\]\\\\\\s]+")

// foldHeading returns the form in which headings are compared.
func foldHeading(text string) string {
	return strings.ToLower(strings.TrimSpace(headingMarks().ReplaceAllString(text, " ")))
}

// step is one heading of a section's name; Level is 0 for any.
type step struct {
	text  string
	level int
}

// sectionPart is one heading in a section's name, with the marks before it.
var sectionPart = pattern.Lazy(`(#*)([^#]+)`)

// stepsOf returns the headings that a section's name consists of. Two marks or more before a
// heading give its level, and so does one with a blank at the start of the name.
func stepsOf(name string) (steps []step) {
	for i, part := range sectionPart().FindAllStringSubmatch(name, -1) {
		s := step{text: foldHeading(part[2])}
		if marks := len(part[1]); marks > 1 || marks == 1 && i == 0 && strings.HasPrefix(part[2], " ") {
			s.level = marks
		}
		steps = append(steps, s)
	}
	return steps
}

// sectionLines returns the lines of a section or block. name has the form of the part of a
// link after its #: "Heading"; "Outer#Inner", the first Inner within an Outer, at any depth;
// "## Heading", of that level if there is one; or "^id", a block. Case and punctuation do not
// count. doubt says that another section may be meant.
func sectionLines(n *note.Note, all []Heading, name string) (lines note.Lines, doubt string, ok bool) {
	name = strings.TrimSpace(name)
	if id, isBlock := strings.CutPrefix(strings.TrimPrefix(name, "#"), "^"); isBlock {
		for _, b := range n.Blocks {
			if strings.EqualFold(b.ID, id) {
				lines = note.Lines{First: b.Span.Start.Line, Last: b.Span.End.Line}
				if strings.HasSuffix(n.Text[:b.Span.End.Offset], "\n") && lines.Last > lines.First {
					lines.Last-- // it ends with its last line's end
				}
				return lines, "", true
			}
		}
		return lines, "", false
	}
	steps := stepsOf(name)
	anyLevel := slices.Clone(steps)
	for i := range anyLevel {
		anyLevel[i].level = 0
	}
	// A heading may contain a # itself.
	for i, wanted := range [][]step{steps, anyLevel, {{text: foldHeading(name)}}} {
		found := findHeadings(all, wanted)
		if len(found) == 0 {
			continue
		}
		if i == 1 {
			doubt = fmt.Sprintf("no section %q has that level; this one has level %d", name, found[0].Level)
		}
		if len(found) > 1 {
			at := lists.Map(found[:min(len(found), 20)], func(h Heading) string { return strconv.Itoa(h.Line) })
			doubt = fmt.Sprintf("%d sections are called %q, on the lines %s; this is the first; name one by its outer heading (Outer#Inner), its level (## Inner) or its lines", len(found), name, strings.Join(at, ", "))
		}
		return note.Lines{First: found[0].Line, Last: found[0].EndLine}, doubt, true
	}
	return lines, "", false
}

// findHeadings returns the headings that are the last of the steps and lie within headings
// that are the other steps.
func findHeadings(all []Heading, steps []step) (found []Heading) {
	if len(steps) == 0 {
		return nil
	}
	var above []Heading // the headings that the current one lies in
	for _, h := range all {
		for len(above) > 0 && above[len(above)-1].Level >= h.Level {
			above = above[:len(above)-1]
		}
		if steps[len(steps)-1].fits(h) && liesIn(above, steps[:len(steps)-1]) {
			found = append(found, h)
		}
		above = append(above, h)
	}
	return found
}

func (s step) fits(h Heading) bool {
	return (s.level == 0 || s.level == h.Level) && foldHeading(h.Text) == s.text
}

// liesIn reports whether headings, from the outside in, are all steps in order.
func liesIn(above []Heading, steps []step) bool {
	for _, h := range above {
		if len(steps) > 0 && steps[0].fits(h) {
			steps = steps[1:]
		}
	}
	return len(steps) == 0
}
