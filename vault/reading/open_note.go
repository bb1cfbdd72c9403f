package reading

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"hence/internal/args"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/projection"
	"hence/vault"
	"hence/vault/note"
)

// page is a note as it is on disk now.
type page struct {
	vault, path string
	note        *note.Note
	hash        string // SHA-256 of the file's bytes, in hex
	size        int64
	modified    string
	lines       []string // with their line ends
}

// openPage checks the arguments of a call, and reads the note that they name. It fails as
// args.Check, vault.Importer.FindNote and vault.File.Bytes do.
func (n Reader) openPage(ctx context.Context, operation string, arguments any, vaultName, name string) (p *page, err error) {
	if err := args.Check(operation, arguments); err != nil {
		return nil, err
	}
	f, err := n.files().FindNote(ctx, operation, vaultName, name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	source, err := f.Bytes(operation)
	if err != nil {
		return nil, err
	}
	info, err := f.Dir.Stat(filepath.FromSlash(f.Path))
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, err, "%s: the note cannot be read", operation)
	}
	p = &page{
		vault: f.Name, path: f.Path, note: note.Parse(source),
		hash: db.Hash(source), size: int64(len(source)), modified: db.Time(info.ModTime()),
	}
	if p.lines = strings.SplitAfter(p.note.Text, "\n"); p.lines[len(p.lines)-1] == "" {
		p.lines = p.lines[:len(p.lines)-1]
	}
	return p, nil
}

// text returns a range of lines with their line ends, cleaned by projection.Clean and without a byte
// order mark, or "" for an empty range.
func (p *page) text(l note.Lines) string {
	if l.First > l.Last || l.First < 1 {
		return ""
	}
	text := strings.Join(p.lines[l.First-1:min(l.Last, len(p.lines))], "")
	if l.First == 1 {
		text = strings.TrimPrefix(text, "\uFEFF")
	}
	return projection.Clean(text)
}

// frontmatter returns the properties of the note, which are never nil.
func (p *page) frontmatter() map[string]any {
	if p.note.Properties == nil {
		return map[string]any{}
	}
	return p.note.Properties
}

// Reader reads the notes of the vaults that its caller may see.
type Reader ref.View

// files returns the importer, which finds the files that a caller names.
func (n Reader) files() vault.Importer { return vault.Importer{DB: n.DB, Caller: n.Caller} }
