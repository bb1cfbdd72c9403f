package projection

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"io"
	"path/filepath"
	"slices"
	"sync"

	"hence/internal/db"
	"hence/internal/lists"
	"hence/memory"
	"hence/projection/folder"
)

const (
	// MaxFile is the size in bytes of the largest file that is read.
	MaxFile = memory.MaxContent
	// MaxHashed is the size in bytes of the largest file that is hashed, among kinds that
	// are not read. A larger one is identified by its size and time: to hash every film
	// would take longer than the rest of the import.
	MaxHashed = 32 << 20
)

// kindOf returns the kind of a file by its path.
func kindOf(f *folder.Folder, path string) string {
	kind, _ := f.KindOf(path)
	return kind
}

// ReadAll reads and parses files, as many at a time as there are processors, and calls
// each after every one. When ctx is done it stops, and returns those that it has read.
func ReadAll(ctx context.Context, f *folder.Folder, s Source, files []folder.Entry, each func()) []*Document {
	return readAll(ctx, f, s, false, files, each)
}

// readAll is ReadAll. If keeps is set, the documents hold the bytes of their files.
func readAll(ctx context.Context, f *folder.Folder, s Source, keeps bool, files []folder.Entry, each func()) []*Document {
	documents := make([]*Document, len(files))
	lists.InParallel(len(files), func(i int) {
		if ctx.Err() == nil {
			documents[i] = readFile(f, s, keeps, files[i])
			each()
		}
	})
	return slices.DeleteFunc(documents, func(d *Document) bool { return d == nil })
}

// readFile reads one file. A file of a kind that is not read is only hashed, so that
// memories that depend on it become stale when it changes.
func readFile(f *folder.Folder, s Source, keeps bool, e folder.Entry) *Document {
	kind, isRead := f.KindOf(e.Path)
	d := &Document{Entry: e, Kind: kind, Properties: map[string]any{}}
	if !isRead && (!keeps || e.Size > MaxFile) {
		d.Hash = d.hashFile(f)
		s.Read(d, nil)
		return d
	}
	bytes, err := f.Read(e, MaxFile)
	if err != nil {
		d.failed = true
		d.Warn(0, "cannot be read: "+folder.Reason(err))
		return d
	}
	d.Hash = db.Hash(bytes)
	if keeps {
		d.bytes = bytes
	}
	if !isRead {
		bytes = nil
	}
	s.Read(d, bytes)
	return d
}

// hashFile returns the hash of a file's bytes. For a file of more than MaxHashed bytes it
// returns sizeAndTime, and for one that cannot be read too, with a warning.
func (d *Document) hashFile(f *folder.Folder) string {
	if d.Size > MaxHashed {
		return d.sizeAndTime()
	}
	file, err := f.Dir.Open(filepath.FromSlash(d.Path))
	if err == nil {
		defer file.Close()
		sum := sha256.New()
		if _, err = io.Copy(sum, io.LimitReader(file, MaxHashed)); err == nil {
			return hex.EncodeToString(sum.Sum(nil))
		}
	}
	d.Warn(0, "cannot be read, and is known by its size and time: "+folder.Reason(err))
	return d.sizeAndTime()
}

// readUnchanged implements Changes.Read. It compares hashes, because a file may have
// another time and the same bytes.
func (p *project) readUnchanged(ctx context.Context, paths []string) ([]*Document, error) {
	entries, hashes, texts := []folder.Entry{}, map[string]string{}, map[string]string{}
	err := db.Each(ctx, p.DB, func(row *sql.Rows) error {
		var e folder.Entry
		var hash, text string
		err := row.Scan(&e.Path, &e.Size, &e.Modified, &hash, &text)
		entries, hashes[e.Path], texts[e.Path] = append(entries, e), hash, text
		return err
	}, `
select
  f.path,
  f.size,
  f.modified,
  f.file_hash,
  m.content_hash
from json_each(?2) j
cross join files f on f.mirror = ?1 and f.path = j.value
join memories m on m.key = f.memory
order by f.path`, p.known.Key, db.List(paths))
	if err != nil {
		return nil, err
	}
	documents := ReadAll(ctx, p.folder, p.source, entries, func() {})
	return slices.DeleteFunc(documents, func(d *Document) bool {
		if d.ContentHash != "" && d.ContentHash != texts[d.Path] {
			d.edited = d.Content
		}
		d.Content, d.Sections, d.Properties = "", nil, nil
		return d.failed || d.Hash != hashes[d.Path]
	}), ctx.Err()
}

// bytesOf implements Changes.Bytes.
func (p *project) bytesOf(ctx context.Context, paths []string) (map[string][]byte, error) {
	var mu sync.Mutex
	all := make(map[string][]byte, len(paths))
	lists.InParallel(len(paths), func(i int) {
		if ctx.Err() != nil {
			return
		}
		if bytes, err := p.folder.Read(folder.Entry{Path: paths[i]}, MaxFile); err == nil {
			mu.Lock()
			defer mu.Unlock()
			all[paths[i]] = bytes
		}
	})
	return all, ctx.Err()
}
