package folder

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
// which a scan leaves out.

// Disk is how bytes reach the disk and files take their places. The zero value
// is the disk itself; tests give one that is full, or that stops.
type Disk struct {
	Write  func(f *os.File, content []byte) (int, error)
	Rename func(root *os.Root, from, to string) error
}

func (d Disk) put(f *os.File, content []byte) (int, error) {
	if d.Write != nil {
		return d.Write(f, content)
	}
	return f.Write(content)
}

// Swap lets a file take the place of another, or a free one.
func (f *Folder) Swap(from, to string) error {
	from, to = filepath.FromSlash(from), filepath.FromSlash(to)
	if f.Disk.Rename != nil {
		return f.Disk.Rename(f.Dir, from, to)
	}
	return f.Dir.Rename(from, to)
}

// TempName is a new hidden name in the folder of a file.
func TempName(name string) string {
	return path.Join(path.Dir(name), ".hence-"+strings.ToLower(rand.Text())+".tmp")
}

// Stage writes a file's content beside it and returns where. It is younger than
// the file that it is to replace, so that a scan sees the change. After an
// error nothing is left, and temp is "".
func (f *Folder) Stage(name string, content []byte, old fs.FileInfo) (temp string, err error) {
	temp = TempName(name)
	file, err := f.Dir.OpenFile(filepath.FromSlash(temp), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			err, temp = errors.Join(err, f.Remove(temp)), ""
		}
	}()
	_, err = f.Disk.put(file, content)
	if err == nil && old != nil {
		err = file.Chmod(old.Mode().Perm())
	}
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil || old == nil {
		return temp, err
	}
	info, err := f.Dir.Lstat(filepath.FromSlash(temp))
	if err == nil && !info.ModTime().After(old.ModTime()) {
		at := old.ModTime().Add(time.Millisecond)
		err = f.Dir.Chtimes(filepath.FromSlash(temp), at, at)
	}
	return temp, err
}

// Create writes a new file and the folders above it. It fails with exists where
// something has come there meanwhile.
func (f *Folder) Create(operation, name string, content []byte) error {
	err := f.Dir.MkdirAll(filepath.FromSlash(path.Dir(name)), 0o755)
	if err != nil {
		return f.Failed(operation, name, err)
	}
	temp, err := f.Stage(name, content, nil)
	if err != nil {
		return f.Failed(operation, name, err)
	}
	err = f.Place(temp, name)
	if errors.Is(err, fs.ErrExist) {
		return fault.New(fault.Exists, "%s: %s is there already", operation, name).With("path", name)
	}
	if err != nil {
		return f.Failed(operation, name, err)
	}
	return nil
}

// Place gives a file a second name that nothing has yet, and takes the first
// away.
func (f *Folder) Place(from, to string) error {
	err := f.Dir.Link(filepath.FromSlash(from), filepath.FromSlash(to))
	if err == nil || errors.Is(err, fs.ErrExist) {
		return errors.Join(err, f.Remove(from), f.Sync(path.Dir(to)))
	}
	// Not every file system has hard links. Our own writers are kept out by the
	// lock; another program that makes the file at this very moment is not.
	if _, err := f.Dir.Lstat(filepath.FromSlash(to)); err == nil {
		return errors.Join(fs.ErrExist, f.Remove(from))
	}
	if err := f.Dir.Rename(filepath.FromSlash(from), filepath.FromSlash(to)); err != nil {
		return errors.Join(err, f.Remove(from))
	}
	return f.Sync(path.Dir(to))
}

// Replace writes a file that is there, through a link where it is one.
func (f *Folder) Replace(operation, name string, content []byte) error {
	name, err := f.Behind(operation, name)
	if err != nil {
		return err
	}
	old, err := f.Dir.Lstat(filepath.FromSlash(name))
	if err != nil {
		return f.Failed(operation, name, err)
	}
	temp, err := f.Stage(name, content, old)
	if err != nil {
		return f.Failed(operation, name, err)
	}
	if err := f.Swap(temp, name); err != nil {
		return f.Failed(operation, name, errors.Join(err, f.Remove(temp)))
	}
	if err := f.Sync(path.Dir(name)); err != nil {
		return f.Failed(operation, name, err)
	}
	return nil
}

// Behind returns the path of the file itself, behind the links that lead to it. It
// fails with outside_vault for a link that may not stand for its file.
func (f *Folder) Behind(operation, name string) (string, error) {
	info, err := f.Dir.Lstat(filepath.FromSlash(name))
	if err != nil {
		return "", f.Failed(operation, name, err)
	}
	if info.Mode()&fs.ModeSymlink == 0 {
		return name, nil
	}
	real, why, err := f.follow(name)
	switch {
	case err != nil:
		return "", f.Failed(operation, name, err)
	case why != "":
		return "", refuseLink(operation, name, why)
	}
	return real, nil
}

// Remove removes a file.
func (f *Folder) Remove(name string) error { return f.Dir.Remove(filepath.FromSlash(name)) }

// Sync brings the names in a folder to the disk.
func (f *Folder) Sync(folder string) error {
	if runtime.GOOS == "windows" {
		return nil // it has no such call, and keeps names by itself
	}
	file, err := f.Dir.Open(filepath.FromSlash(folder))
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}

// Failed returns an error of the file system.
func (f *Folder) Failed(operation, name string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fault.New(fault.Conflict, "%s: %s has gone meanwhile; list the files again", operation, name)
	case errors.Is(err, fs.ErrPermission):
		return fault.New(fault.ReadOnly, "%s: %s cannot be written; the folder or the file is read-only for Hence", operation, name)
	}
	return fault.Wrap(fault.Unavailable, err, "%s: %s cannot be written", operation, name)
}

// RemoveFolders removes some folders above a path while they are empty.
func (f *Folder) RemoveFolders(name string, count int) {
	for folder := path.Dir(name); count > 0 && folder != "."; folder, count = path.Dir(folder), count-1 {
		if f.Remove(folder) != nil {
			return // somebody else uses it
		}
	}
}

// MissingFolders are the folders above a path that are not there yet, the
// innermost first.
func (f *Folder) MissingFolders(name string) (folders []string) {
	for folder := path.Dir(name); folder != "."; folder = path.Dir(folder) {
		if _, err := f.Dir.Lstat(filepath.FromSlash(folder)); errors.Is(err, fs.ErrNotExist) {
			folders = append(folders, folder)
		}
	}
	return folders
}
