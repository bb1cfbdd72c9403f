package vault

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"hence/internal/db"
	"hence/memory"
	"hence/projection/folder"
	"hence/vault/note"
)

const (
	// MaxFile is the size in bytes of the largest note that is read.
	MaxFile = memory.MaxContent
	// maxHashed is the size in bytes of the largest other file that is known by
	// the hash of its bytes. A larger one is known by its size and the time of its
	// last change: to read every film of a vault would take longer than all else.
	maxHashed = 32 << 20
)

// document is a file of a vault and what it says.
type document struct {
	folder.Entry
	hash       string // SHA-256 of the bytes, in hex; see sizeAndTime for what is not read
	content    string // a note's text without its frontmatter
	properties map[string]any
	called
	tags       []string
	sections   []note.Section
	links      []note.Link
	values     []note.Link    // what may name notes; nil once the owner's settings have chosen
	plain      []note.Stretch // where it may mention others; nil once that is known
	mentions   []mentioned
	words      []string // names that stand in its text as words, sorted
	unspaced   bool     // its text holds Chinese or Japanese
	warnings   []folder.Warning
	superseded bool // the frontmatter says so outright
	failed     bool // it could not be read: what is known of it stays
}

// time is when the file was last changed, as it is stored.
func (d *document) time() string { return db.Time(time.Unix(0, d.Modified)) }

// contentHash is the hash of a note's text, or of the file's bytes.
func (d *document) contentHash() string {
	if IsNote(d.Path) {
		return db.Hash(d.content)
	}
	return d.hash
}

// readAll reads and parses files, as many at a time as there are processors,
// until ctx is done.
func readAll(ctx context.Context, f *folder.Folder, files []folder.Entry, each func()) []*document {
	documents := make([]*document, len(files))
	next := make(chan int)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := range next {
				documents[i] = read(f, files[i])
				each()
			}
		})
	}
	for i := range files {
		if ctx.Err() != nil {
			break
		}
		next <- i
	}
	close(next)
	workers.Wait()
	return slices.DeleteFunc(documents, func(d *document) bool { return d == nil })
}

// read reads and parses one file. Of a file that is not text of ours the bytes
// are hashed, so that what rests on it is stale once it is another.
func read(f *folder.Folder, e folder.Entry) *document {
	d := &document{Entry: e, properties: map[string]any{}}
	if !isRead(e.Path) {
		d.hash = d.hashFile(f)
		return d
	}
	source, err := f.Read(e, MaxFile)
	if err != nil {
		d.failed = true
		d.warn(0, "cannot be read: "+folder.Reason(err))
		return d
	}
	d.hash = db.Hash(source)
	parsed := note.Parse
	if IsCanvas(e.Path) {
		parsed = d.parseCanvas
	}
	d.take(parsed(source))
	return d
}

// hashFile returns the hash of a file's bytes. A file that is too large, or that
// cannot be read, which is a warning, is known by its size and time.
func (d *document) hashFile(f *folder.Folder) string {
	if d.Size > maxHashed {
		return d.sizeAndTime()
	}
	file, err := f.Dir.Open(filepath.FromSlash(d.Path))
	if err == nil {
		defer file.Close()
		sum := sha256.New()
		if _, err = io.Copy(sum, io.LimitReader(file, maxHashed)); err == nil {
			return hex.EncodeToString(sum.Sum(nil))
		}
	}
	d.warn(0, "cannot be read, and is known by its size and time: "+folder.Reason(err))
	return d.sizeAndTime()
}

// sizeAndTime stands for the hash of a file that is not read.
func (d *document) sizeAndTime() string { return fmt.Sprintf("unread-%d-%d", d.Size, d.Modified) }

// parseCanvas reads a canvas; one that is not valid is a file without links.
func (d *document) parseCanvas(source []byte) *note.Note {
	n, err := note.ParseCanvas(source)
	if err != nil {
		d.warn(0, "the canvas is not valid: "+err.Error())
		return &note.Note{}
	}
	return n
}

func (d *document) warn(line int, text string) {
	d.warnings = append(d.warnings, folder.Warning{Path: d.Path, Line: line, Text: text})
}

// take keeps what a parsed note says.
func (d *document) take(n *note.Note) {
	if IsNote(d.Path) {
		d.content = Body(n)
	}
	if n.Properties != nil {
		d.properties = n.Properties
	}
	status, _ := d.properties["status"].(string)
	d.superseded = strings.EqualFold(strings.TrimSpace(status), memory.Superseded)
	d.liftOwnProperties()
	// Documents are kept until every name is known: without room to grow.
	d.wanted = d.properties["mentions"] == true
	d.values = n.Values
	d.aliases, d.sections, d.links, d.plain = n.Aliases, n.Sections, slices.Clone(n.Links), slices.Clone(n.Plain)
	d.takeTags(n)
	for _, w := range n.Warnings {
		d.warn(w.Line, w.Text)
	}
}

// TagsOf returns the tags of a note as the store keeps them: each once, sorted,
// as many as a memory may have. It never returns nil.
func TagsOf(n *note.Note) []string {
	d := document{}
	d.takeTags(n)
	return listOf(d.tags)
}

// WarningsOf returns what cannot be read as written in a note, with its line. It
// never returns nil.
func WarningsOf(n *note.Note) []string {
	all := []string{}
	for _, w := range n.Warnings {
		text := w.Text
		if w.Line > 0 {
			text = fmt.Sprintf("line %d: %s", w.Line, w.Text)
		}
		all = append(all, strings.ToValidUTF8(text, "\uFFFD"))
	}
	return all
}

// takeTags keeps the tags of a note, or as many as a memory may have, the first
// ones.
func (d *document) takeTags(n *note.Note) {
	known := map[string]bool{}
	long, more := 0, 0
	for _, t := range n.Tags {
		switch {
		case known[t.Name]:
		case utf8.RuneCountInString(t.Name) > memory.MaxTag:
			long++
		case len(d.tags) == memory.MaxTags:
			more++
		default:
			d.tags = append(d.tags, t.Name)
		}
		known[t.Name] = true
	}
	slices.Sort(d.tags)
	if long > 0 {
		d.warn(0, fmt.Sprintf("tags of more than %d characters were left out: %d", memory.MaxTag, long))
	}
	if more > 0 {
		d.warn(0, fmt.Sprintf("it has more than %d tags; the rest was left out: %d", memory.MaxTags, more))
	}
}

// liftOwnProperties moves the properties under note.OwnProperties up beside the
// others, so that they are found by their names. They replace properties of the
// same name.
func (d *document) liftOwnProperties() {
	own, ok := d.properties[note.OwnProperties].(map[string]any)
	if !ok {
		return
	}
	delete(d.properties, note.OwnProperties)
	maps.Copy(d.properties, own)
}

// Body is the text of a note without its frontmatter and byte order mark, as the
// store keeps it.
func Body(n *note.Note) string {
	source := n.Text
	for range n.Frontmatter.Last {
		_, source, _ = strings.Cut(source, "\n")
	}
	return Clean(strings.TrimPrefix(source, "\uFEFF"))
}

// Clean returns a text as the store can keep it.
func Clean(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}
