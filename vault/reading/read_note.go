package reading

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"hence/internal/budget"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/lists"
	"hence/internal/ref"
	"hence/projection/folder"
	"hence/vault"
	"hence/vault/note"
)

// ReadNoteArgs name a note, and the part of it to read: some lines or a section.
// Without either, the whole note is read.
type ReadNoteArgs struct {
	Path        string `json:"path" jsonschema:"with or without .md; or uri, id, title"`
	Vault       string `json:"vault,omitempty" jsonschema:"where several have the path"`
	StartLine   int    `json:"start_line,omitempty" min:"1"`
	EndLine     int    `json:"end_line,omitempty" min:"1"`
	Section     string `json:"section,omitempty" jsonschema:"Heading, Outer#Inner or ^block"`
	TokenBudget int    `json:"token_budget,omitempty" min:"64"`
}

// ReadNoteResult is a note, or a part of it, as it is on disk now. Headings are those in
// that part. Path is "" if it exceeds the budget.
type ReadNoteResult struct {
	Vault       string         `json:"vault,omitempty"`
	Path        string         `json:"path,omitempty"`
	Content     string         `json:"content"`
	Trust       string         `json:"trust,omitempty"` // see ref.Aging
	SourceURL   string         `json:"source_url,omitempty"`
	StartLine   int            `json:"start_line"`
	EndLine     int            `json:"end_line"`
	TotalLines  int            `json:"total_lines"`
	ContentHash string         `json:"content_hash,omitempty" jsonschema:"SHA-256 of the whole file, to write against"`
	Size        int64          `json:"size"`
	Modified    string         `json:"modified,omitempty"`
	Frontmatter map[string]any `json:"frontmatter"`
	Headings    []Heading      `json:"headings" jsonschema:"in the content"`
	Tags        []string       `json:"tags"`
	Truncated   bool           `json:"truncated"`
	Next        string         `json:"next,omitempty" jsonschema:"start_line: go on after end_line"`
	Warnings    []string       `json:"warnings"`
}

// ReadNote reads a note, or a part of it, as it is on disk now. For frontmatter that is not
// valid YAML the result has a warning. An EndLine after the last line means the last line.
// It fails with not_found for a note or a section that does not exist, with ambiguous if
// several vaults have the path, with outside_vault for a path that leads out of the vault,
// with invalid_argument for a StartLine after the last line or a file that is not a note,
// and with unavailable if the vault's folder is gone.
func (n Reader) ReadNote(ctx context.Context, a ReadNoteArgs) (result ReadNoteResult, err error) {
	const operation = "read_note"
	p, err := n.openPage(ctx, operation, &a, a.Vault, a.Path)
	if err != nil {
		return result, err
	}
	headings := headingsOf(p.note, len(p.lines))
	lines, doubt, err := p.chooseLines(operation, a, headings)
	if err != nil {
		return result, err
	}
	whole := ReadNoteResult{
		Vault: p.vault, Path: p.path, Content: p.text(lines), StartLine: lines.First, EndLine: lines.Last, TotalLines: len(p.lines),
		ContentHash: p.hash, Size: p.size, Modified: p.modified,
		Frontmatter: p.frontmatter(), Headings: headings, Tags: vault.TagsOf(p.note), Warnings: vault.WarningsOf(p.note),
	}
	if doubt != "" {
		whole.Warnings = append([]string{doubt}, whole.Warnings...)
	}
	whole.Headings = whole.headingsShown()
	if whole.Trust, whole.SourceURL, err = n.trustOf(ctx, p); err != nil {
		return result, err
	}
	return budget.Fit(ctx, a.TokenBudget, 1, whole.shorten)
}

// trustOf returns the trust mark and the source URL of a note: those of its memory, or, if
// its frontmatter now says that it is clipped from the web, those in its frontmatter.
func (n Reader) trustOf(ctx context.Context, p *page) (trust, url string, err error) {
	err = n.DB.Read(ctx, func(r *db.Reader) error {
		return db.Each(ctx, r, func(row *sql.Rows) error { return row.Scan(&trust, &url) },
			`select `+ref.TrustOf("m")+`, coalesce(m.source_url, '') from memories m where m.uri = ?`, vault.URI(p.vault, p.path))
	})
	if address, ok := p.note.Properties["source"].(string); ok && vault.IsClipping(p.note.Properties) {
		trust, url = ref.Web, address
	}
	return trust, url, err
}

// chooseLines returns the requested lines, or the zero value for an empty note, and a doubt
// about them, see sectionLines.
func (p *page) chooseLines(operation string, a ReadNoteArgs, headings []Heading) (lines note.Lines, doubt string, err error) {
	switch {
	case a.Section != "" && (a.StartLine > 0 || a.EndLine > 0):
		return lines, "", fault.New(fault.InvalidArgument, "%s: give a section or lines, not both", operation)
	case a.Section != "":
		lines, doubt, ok := sectionLines(p.note, headings, a.Section)
		if !ok {
			texts := lists.Map(headings[:min(len(headings), 20)], func(h Heading) string { return h.Text })
			return lines, "", fault.New(fault.NotFound, "%s: %s has no section %.100q; get_headings lists them", operation, p.path, a.Section).With("headings", texts)
		}
		return lines, doubt, nil
	}
	lines.First, lines.Last, err = folder.Lines(operation, p.path, a.StartLine, a.EndLine, len(p.lines))
	return lines, "", err
}

// headingsShown returns the headings in the lines of the result.
func (r ReadNoteResult) headingsShown() []Heading {
	return slices.DeleteFunc(slices.Clone(r.Headings), func(h Heading) bool { return h.Line < r.StartLine || h.Line > r.EndLine })
}

// shorten returns the result with each of its parts cut to a number of bytes. The content
// ends with a whole line, unless the first line alone is longer. If notes is 0, the result
// has only the counts, which fit the smallest budget.
func (r ReadNoteResult) shorten(notes, bytes int) ReadNoteResult {
	if bytes == budget.Whole {
		return r
	}
	s := ReadNoteResult{
		TotalLines: r.TotalLines, Size: r.Size, Truncated: true, Next: "token_budget",
		Frontmatter: map[string]any{}, Headings: []Heading{}, Tags: []string{}, Warnings: []string{},
	}
	if notes == 0 {
		return s
	}
	s.Vault, s.Path, s.ContentHash, s.Modified, s.Trust, s.SourceURL = r.Vault, r.Path, r.ContentHash, r.Modified, r.Trust, r.SourceURL
	if text, err := json.Marshal(r.Frontmatter); err == nil && len(text) <= bytes {
		s.Frontmatter = r.Frontmatter
	}
	if s.Content, s.EndLine = r.beginning(bytes); s.Content != "" {
		s.StartLine = r.StartLine
	}
	s.Headings = r.Headings
	s.Headings = budget.First(s.headingsShown(), bytes)
	s.Tags, s.Warnings = budget.First(r.Tags, bytes), budget.First(r.Warnings, bytes)
	switch {
	case strings.HasSuffix(s.Content, "\n") && s.EndLine < r.EndLine:
		s.Next = "start_line"
	case len(s.Content) > 0 && len(s.Content) < len(r.Content): // the line may exceed every budget
		s.Warnings = append(slices.Clone(s.Warnings), fmt.Sprintf("line %d is cut; memory_get reads on in it by offset", s.EndLine))
	}
	return s
}

// beginning returns as many whole lines of the content as fit in a number of bytes, or the
// beginning of the first line, and the number of the last line, 0 if nothing fits.
func (r ReadNoteResult) beginning(bytes int) (text string, last int) {
	if len(r.Content) <= bytes {
		return r.Content, r.EndLine
	}
	if end := strings.LastIndexByte(r.Content[:bytes], '\n') + 1; end > 0 {
		return r.Content[:end], r.StartLine + strings.Count(r.Content[:end], "\n") - 1
	}
	line, _, _ := strings.Cut(r.Content, "\n")
	if text, _ = budget.Cut(line, bytes); text == "" {
		return "", 0
	}
	return text, r.StartLine
}
