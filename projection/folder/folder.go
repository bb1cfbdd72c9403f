// Package folder gives safe access to a folder: no path leads out of it, files that
// its owner excludes stay out, files are replaced atomically, and writers take turns
// with a lock. What the files mean is up to the caller.
//
// The path behind a symbolic link, with every link on the way followed, must pass the
// same rules as a path that is written out: not hidden, not excluded, of the same kind
// as the link. Scans, reads and writes ask the same function.
//
// Paths have bounds: 1,024 bytes, 64 folders, 255 bytes for a name. They hold for path
// arguments and for scans, which warn and do not go deeper, because the cost of each
// step grows with the length of the path.
//
// The lock is a flock on the folder itself, which leaves no file in it. Writes, imports
// and watchers of all processes of Hence take turns. Editors do not know the lock: what
// one of them saves between the check of a hash and the rename is lost.
package folder

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"hence/internal/fault"
)

// Folder is an open folder. Nothing outside can be reached through it, not even by
// symbolic links.
type Folder struct {
	Dir   *os.Root
	Label string // its name in messages
	Disk  Disk

	// Excluded reports whether the owner excludes a file or folder by
	// its own path, without regard to the folders above it; nil: none is excluded.
	Excluded func(path string, folder bool) bool
	MaxSize  int64 // of the files that are listed, in bytes; 0: no limit
	NoLinks  bool  // a symbolic link to a file of the folder is left out, because that is listed itself
	Hidden   bool  // names that start with a dot are left out by the rules alone

	// KindOf returns the kind of a file by its path, and whether such files are read.
	// A symbolic link whose kind is read may lead only to a file of the same kind.
	// nil: all files are of one kind.
	KindOf func(path string) (kind string, read bool)
}

// Entry is a file on disk.
type Entry struct {
	Path     string // from the root, with slashes
	Size     int64
	Modified int64 // nanoseconds since 1970
	Mode     fs.FileMode
}

// Warning is a problem of a file that a person may want to correct.
type Warning struct {
	Path string `json:"path"` // "" for the folder
	Line int    `json:"line,omitempty"`
	Text string `json:"text"`

	// Unread is set if what is at or below the path could not be read: it may still be there.
	Unread bool `json:"-"`
}

// Open opens a folder for an import. It fails with not_found if it does not exist, with
// invalid_argument for a file, and with unavailable.
func Open(dir string) (*Folder, error) {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fault.New(fault.NotFound, "import %s: there is no such folder", dir)
	case err != nil:
		return nil, fault.Wrap(fault.Unavailable, err, "import %s: the folder cannot be examined; check its path and the permissions of the folders above it", dir)
	case !info.IsDir():
		return nil, fault.New(fault.InvalidArgument, "import %s: it is a file; name a folder", dir)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, err, "import %s: the folder cannot be opened; check its permissions", dir)
	}
	return &Folder{Dir: root}, nil
}

// Same reports whether two paths lead to one file or folder, as through a symbolic link.
func Same(one, other string) bool {
	a, err := os.Stat(one)
	b, otherErr := os.Stat(other)
	return err == nil && otherErr == nil && os.SameFile(a, b)
}

// excludes reports whether the owner excludes a file or folder by its own name.
func (f *Folder) excludes(path string, folder bool) bool {
	return f.Excluded != nil && f.Excluded(path, folder)
}

// excludesAny reports whether the owner excludes a file or any folder above it.
func (f *Folder) excludesAny(path string) bool {
	for i := range len(path) {
		if path[i] == '/' && f.excludes(path[:i], true) {
			return true
		}
	}
	return f.excludes(path, false)
}

// Close closes the folder.
func (f *Folder) Close() error { return f.Dir.Close() }

// Read returns the bytes of a file. For a file of more than limit bytes it returns
// limit+1 bytes and an error that says so.
func (f *Folder) Read(e Entry, limit int64) ([]byte, error) {
	file, err := f.Dir.Open(filepath.FromSlash(e.Path))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var source bytes.Buffer
	source.Grow(int(min(e.Size, limit)) + bytes.MinRead)
	_, err = source.ReadFrom(io.LimitReader(file, limit+1))
	if err == nil && int64(source.Len()) > limit {
		err = fmt.Errorf("it has more than %d bytes", limit)
	}
	return source.Bytes(), err
}

// ReadFor returns the bytes of a file for an operation. It fails with too_large for more than limit bytes, with gone if
// there is no such file, and with unavailable if it cannot be read.
func (f *Folder) ReadFor(operation, name string, limit int64, gone error) ([]byte, error) {
	source, err := f.Read(Entry{Path: name}, limit)
	switch {
	case int64(len(source)) > limit:
		return nil, fault.New(fault.TooLarge, "%s: %s has more than %d bytes, and is not read", operation, name, limit)
	case errors.Is(err, fs.ErrNotExist):
		return nil, gone
	case err != nil:
		return nil, fault.Wrap(fault.Unavailable, err, "%s: %s cannot be read", operation, name)
	}
	return source, nil
}

// Reason returns the text of an error without the path.
func Reason(err error) string {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err.Error()
	}
	return err.Error()
}
