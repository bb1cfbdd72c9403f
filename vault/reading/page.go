package reading

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"hence/internal/db"
	"hence/internal/fault"
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

// openPage reads the note that a caller means. It fails as vault.Importer.Existing does, with
// invalid_argument for what is no note, and with too_large for one that is not
// read.
func (n Reader) openPage(ctx context.Context, operation, in, name string) (p *page, err error) {
	s, err := n.files().Existing(ctx, operation, in, name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if !vault.IsNote(s.Path) {
		return nil, fault.New(fault.InvalidArgument, "%s: %s is no note, and only notes (.md) are read", operation, s.Path)
	}
	f, err := s.Dir.Open(filepath.FromSlash(s.Path))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, vault.Missing(operation, s.Path) // it has gone meanwhile
	}
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, err, "%s: the note cannot be read", operation)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, err, "%s: the note cannot be read", operation)
	}
	source, err := io.ReadAll(io.LimitReader(f, vault.MaxFile+1))
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, err, "%s: the note cannot be read", operation)
	}
	if len(source) > vault.MaxFile {
		return nil, fault.New(fault.TooLarge, "%s: %s has more than %d bytes, and is not read", operation, s.Path, vault.MaxFile)
	}
	return newPage(s.Name, s.Path, source, info.ModTime()), nil
}

func newPage(in, path string, source []byte, modified time.Time) *page {
	p := &page{
		vault: in, path: path, note: note.Parse(source),
		hash: db.Hash(source), size: int64(len(source)), modified: db.Time(modified),
	}
	for start := 0; start < len(source); {
		p.starts = append(p.starts, start)
		end := bytes.IndexByte(source[start:], '\n')
		if end < 0 {
			break
		}
		start += end + 1
	}
	return p
}

// lines is the number of lines. The end of a file is the end of its last line,
// whether a line end is there or not.
func (p *page) lines() int { return len(p.starts) }

// text returns a range of lines as the store can keep it, line ends kept; ""
// for an empty range.
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

// tags are the note's, each once, sorted.
func (p *page) tags() []string {
	return vault.TagsOf(p.note)
}

// frontmatter is never nil.
func (p *page) frontmatter() map[string]any {
	if p.note.Properties == nil {
		return map[string]any{}
	}
	return p.note.Properties
}
