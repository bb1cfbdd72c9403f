package reading

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"hence/internal/args"
	"hence/internal/budget"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/projection/folder"
)

// ReadArgs name a file or a symbol, and the lines of the file to read.
type ReadArgs struct {
	Path        string `json:"path,omitempty" jsonschema:"file, from the repository's root"`
	ID          string `json:"id,omitempty" jsonschema:"or a symbol: id, title, uri"`
	StartLine   int    `json:"start_line,omitempty" min:"1"`
	EndLine     int    `json:"end_line,omitempty" min:"1"`
	Context     int    `json:"context,omitempty" min:"0" max:"200" jsonschema:"lines around a symbol"`
	TokenBudget int    `json:"token_budget,omitempty" min:"64"`
}

// ReadResult is a part of a file as it is on disk now. Each line of the text begins
// with its number and a tab.
type ReadResult struct {
	Repository  string `json:"repository,omitempty"`
	Path        string `json:"path,omitempty"`
	ID          string `json:"id,omitempty" jsonschema:"of the symbol or file"`
	Title       string `json:"title,omitempty"`
	Text        string `json:"text" jsonschema:"lines with their numbers"`
	StartLine   int    `json:"start_line"`
	EndLine     int    `json:"end_line"`
	TotalLines  int    `json:"total_lines"`
	ContentHash string `json:"content_hash,omitempty" jsonschema:"of the file, for code_patch"`
	Changed     bool   `json:"changed,omitempty" jsonschema:"the file was edited since it was imported"`
	Truncated   bool   `json:"truncated"`
	Next        string `json:"next,omitempty" jsonschema:"start_line: go on after end_line"`
}

// Read reads a file, some lines of it, or a symbol, as it is on disk now. It fails with
// not_found if the file or symbol is gone, with outside_vault for a path that leaves the
// repository, for files that an import leaves out and for those that may hold secrets,
// with invalid_argument for lines beyond the end or a file that is not text, with
// too_large, and with unavailable if the repository's folder is gone.
func (r Reader) Read(ctx context.Context, a ReadArgs) (result ReadResult, err error) {
	const operation = "code_read"
	if err := args.Check(operation, &a); err != nil {
		return result, err
	}
	p, err := r.importer().Find(ctx, operation, a.Path, a.ID)
	if err != nil {
		return result, err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	text, err := p.Bytes(operation)
	if err != nil {
		return result, err
	}
	if bytes.IndexByte(text, 0) >= 0 {
		return result, fault.New(fault.InvalidArgument, "%s: %s is not a text file; it holds a NUL byte", operation, p.Path)
	}
	hash := db.Hash(text)
	result = ReadResult{
		Repository: p.Repository.Name, Path: p.Path, ID: p.ID, Title: p.Title,
		ContentHash: hash, Changed: hash != p.FileHash, StartLine: a.StartLine, EndLine: a.EndLine,
	}
	if p.Symbol != nil && a.StartLine == 0 && a.EndLine == 0 {
		now, err := p.Now(operation, text)
		if err != nil {
			return result, err
		}
		result.StartLine, result.EndLine = max(now.StartLine-a.Context, 1), now.EndLine+a.Context
	}
	lines := splitLines(string(text))
	result.TotalLines = len(lines)
	if result.StartLine, result.EndLine, err = folder.Lines(operation, p.Path, result.StartLine, result.EndLine, len(lines)); err != nil {
		return result, err
	}
	return budget.Fit(ctx, a.TokenBudget, 1, result.shorten(lines))
}

// shorten returns a function for budget.Fit: the result with as many whole lines as fit
// into size bytes. With 0 entries it has no text, only the number of lines.
func (r ReadResult) shorten(lines []string) func(entries, size int) ReadResult {
	return func(entries, size int) ReadResult {
		s := r
		if entries == 0 {
			return ReadResult{TotalLines: r.TotalLines, Truncated: true, Next: budget.Next}
		}
		var b strings.Builder
		s.EndLine = r.StartLine - 1
		for n := r.StartLine; n >= 1 && n <= r.EndLine; n++ {
			line := fmt.Sprintf("%d\t%s\n", n, lines[n-1])
			if b.Len()+len(line) > size {
				break
			}
			b.WriteString(line)
			s.EndLine = n
		}
		s.Text = b.String()
		if s.Truncated = s.EndLine < r.EndLine; s.Truncated {
			s.Next = "start_line"
		}
		if s.Truncated && s.Text == "" { // a line that is longer than the budget
			s.Text, _ = budget.Cut(fmt.Sprintf("%d\t%s", r.StartLine, lines[r.StartLine-1]), size)
			s.EndLine, s.Next = r.StartLine, budget.Next
		}
		return s
	}
}

// splitLines returns the lines of a text without their line breaks.
func splitLines(text string) (lines []string) {
	for line := range strings.Lines(strings.ToValidUTF8(text, "�")) {
		lines = append(lines, strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r"))
	}
	return lines
}
