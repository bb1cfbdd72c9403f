// Package folder makes a folder a safe place: no path leads out of it, what its
// owner leaves out stays out, files are replaced in one step, and writers take
// turns by a lock. It knows nothing of what the files mean.
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
	"hence/projection/folder/ignore"
)

// Folder is an open folder. Nothing outside it can be reached through it,
// symbolic links included.
type Folder struct {
	Dir     *os.Root
	Label   string // its name in messages
	Ignored ignore.Patterns
	Disk    Disk

	// KindOf names the kind of a file by its path. A symbolic link whose kind is
	// Read may lead only to a file of the same kind. nil: all are of one kind.
	KindOf func(path string) (kind string, read bool)
}

// Entry is a file as it lies on disk.
type Entry struct {
	Path     string // from the root, with slashes
	Size     int64
	Modified int64 // nanoseconds since 1970
}

// Warning is something about a file that a person may want to mend.
type Warning struct {
	Path string `json:"path"` // "" where it is about the folder
	Line int    `json:"line,omitempty"`
	Text string `json:"text"`
}

// Open opens a folder for an import. It fails with not_found where there is no
// such folder, with invalid_argument for a file, and with unavailable.
func Open(dir string) (*Folder, error) {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fault.New(fault.NotFound, "import %s: there is no such folder", dir)
	case err != nil:
		return nil, fault.Wrap(fault.Unavailable, err, "import %s", dir)
	case !info.IsDir():
		return nil, fault.New(fault.InvalidArgument, "import %s: it is a file; name a folder", dir)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, err, "import %s", dir)
	}
	return &Folder{Dir: root}, nil
}

// Close closes the folder.
func (f *Folder) Close() error { return f.Dir.Close() }

// Read returns the bytes of a file. The error for one of more than limit bytes
// says so, and comes with limit+1 bytes.
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

// Reason returns the text of an error without the path, which its caller says
// anyway.
func Reason(err error) string {
	var e *fs.PathError
	if errors.As(err, &e) {
		return e.Err.Error()
	}
	return err.Error()
}
