package vault

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"hence/internal/fault"
)

// A file is written beside its place under a hidden name, brought to the disk,
// and then takes its place in one step: readers see the old file or the new
// one, whole. Its permissions are kept; owner, hard links and extended
// attributes are those of a new file. What a crash leaves is a hidden file,
// which import leaves out.

// disk is how bytes reach the disk and files take their places. The zero value
// is the disk itself; tests give one that is full, or that stops.
type disk struct {
	write  func(f *os.File, content []byte) (int, error)
	rename func(root *os.Root, from, to string) error
}

func (d disk) put(f *os.File, content []byte) (int, error) {
	if d.write != nil {
		return d.write(f, content)
	}
	return f.Write(content)
}

func (d disk) swap(root *os.Root, from, to string) error {
	if d.rename != nil {
		return d.rename(root, from, to)
	}
	return root.Rename(from, to)
}

// tempName is a new hidden name in the folder of a file.
func tempName(name string) string {
	return path.Join(path.Dir(name), ".hence-"+strings.ToLower(rand.Text())+".tmp")
}

// stage writes a file's content beside it and returns where. It is younger than
// the file that it is to replace, so that an import sees the change. After an
// error nothing is left, and temp is "".
func (o *opened) stage(name string, content []byte, old fs.FileInfo) (temp string, err error) {
	temp = tempName(name)
	f, err := o.root.OpenFile(filepath.FromSlash(temp), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			err, temp = errors.Join(err, o.remove(temp)), ""
		}
	}()
	_, err = o.disk.put(f, content)
	if err == nil && old != nil {
		err = f.Chmod(old.Mode().Perm())
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil || old == nil {
		return temp, err
	}
	info, err := o.root.Lstat(filepath.FromSlash(temp))
	if err == nil && !info.ModTime().After(old.ModTime()) {
		at := old.ModTime().Add(time.Millisecond)
		err = o.root.Chtimes(filepath.FromSlash(temp), at, at)
	}
	return temp, err
}

// create writes a new file and the folders above it. It fails with exists where
// something has come there meanwhile.
func (s spot) create(operation string, content []byte) error {
	err := s.root.MkdirAll(filepath.FromSlash(path.Dir(s.path)), 0o755)
	if err != nil {
		return s.failed(operation, err)
	}
	temp, err := s.stage(s.path, content, nil)
	if err != nil {
		return s.failed(operation, err)
	}
	err = s.place(temp, s.path)
	if errors.Is(err, fs.ErrExist) {
		return fault.New(fault.Exists, "%s: %s is there already", operation, s.path).With("path", s.path)
	}
	if err != nil {
		return s.failed(operation, err)
	}
	return nil
}

// place gives a file a second name that nothing has yet, and takes the first
// away.
func (o *opened) place(from, to string) error {
	err := o.root.Link(filepath.FromSlash(from), filepath.FromSlash(to))
	if err == nil || errors.Is(err, fs.ErrExist) {
		return errors.Join(err, o.remove(from), o.sync(path.Dir(to)))
	}
	// Not every file system has hard links. Our own writers are kept out by the
	// lock; another program that makes the file at this very moment is not.
	if _, err := o.root.Lstat(filepath.FromSlash(to)); err == nil {
		return errors.Join(fs.ErrExist, o.remove(from))
	}
	if err := o.root.Rename(filepath.FromSlash(from), filepath.FromSlash(to)); err != nil {
		return errors.Join(err, o.remove(from))
	}
	return o.sync(path.Dir(to))
}

// replace writes a file that is there, through a link where it is one.
func (s spot) replace(operation string, content []byte) error {
	name, err := s.behind(operation)
	if err != nil {
		return err
	}
	old, err := s.root.Lstat(filepath.FromSlash(name))
	if err != nil {
		return s.failed(operation, err)
	}
	temp, err := s.stage(name, content, old)
	if err != nil {
		return s.failed(operation, err)
	}
	if err := s.disk.swap(s.root, filepath.FromSlash(temp), filepath.FromSlash(name)); err != nil {
		return s.failed(operation, errors.Join(err, s.remove(temp)))
	}
	if err := s.sync(path.Dir(name)); err != nil {
		return s.failed(operation, err)
	}
	return nil
}

// behind is the path of the file itself, behind the links that lead to it. It
// fails with outside_vault for a link that may not stand for its file.
func (s spot) behind(operation string) (string, error) {
	info, err := s.root.Lstat(filepath.FromSlash(s.path))
	if err != nil {
		return "", s.failed(operation, err)
	}
	if info.Mode()&fs.ModeSymlink == 0 {
		return s.path, nil
	}
	real, why, err := follow(s.root, s.settings.ignored, s.path)
	switch {
	case err != nil:
		return "", s.failed(operation, err)
	case why != "":
		return "", refuseLink(operation, s.path, why)
	}
	return real, nil
}

// remove removes a file.
func (o *opened) remove(name string) error { return o.root.Remove(filepath.FromSlash(name)) }

// sync brings the names in a folder to the disk.
func (o *opened) sync(folder string) error {
	if runtime.GOOS == "windows" {
		return nil // it has no such call, and keeps names by itself
	}
	f, err := o.root.Open(filepath.FromSlash(folder))
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// failed is an error of the file system.
func (s spot) failed(operation string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fault.New(fault.Conflict, "%s: %s has gone meanwhile; list the notes again", operation, s.path)
	case errors.Is(err, fs.ErrPermission):
		return fault.New(fault.ReadOnly, "%s: %s cannot be written; the folder or the file is read-only for Hence", operation, s.path)
	}
	return fault.Wrap(fault.Unavailable, err, "%s: %s cannot be written", operation, s.path)
}
