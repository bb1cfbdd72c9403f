package reading

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"strings"

	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/ref"
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
	starts      []int // byte offset of each line
}

// openPage reads the note that a caller names. It fails as vault.Importer.FindNote and
// vault.File.Bytes do.
func (n Reader) openPage(ctx context.Context, operation, vaultName, name string) (p *page, err error) {
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
	for start := 0; start < len(source); {
		p.starts = append(p.starts, start)
		end := bytes.IndexByte(source[start:], '\n')
		if end < 0 {
			break
		}
		start += end + 1
	}
	return p, nil
}

// lines returns the number of lines. The last line may lack its line end.
func (p *page) lines() int { return len(p.starts) }

// text returns a range of lines with their line ends, cleaned by vault.Clean and without a byte
// order mark, or "" for an empty range.
func (p *page) text(l note.Lines) string {
	if l.First > l.Last || l.First < 1 {
		return ""
	}
	end := len(p.note.Text)
	if l.Last < len(p.starts) {
		end = p.starts[l.Last]
	}
	start := p.starts[l.First-1]
	if start > 0 {
		return vault.Clean(p.note.Text[start:end])
	}
	return vault.Clean(strings.TrimPrefix(p.note.Text[:end], "\uFEFF"))
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
