package folder

import (
	"cmp"
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

// A file is written under a hidden name in the same folder, synced, and then renamed, so
// that readers see either the old file or the new one. The new file keeps the permissions of
// the old one, but not its owner, hard links and extended attributes. A crash leaves a
// hidden file, which scans ignore.

// Disk holds replacements of operations on the disk; nil stands for the real operation.
// Tests replace them to simulate a full disk, or a crash.
type Disk struct {
	Write  func(f *os.File, content []byte) (int, error)
	Rename func(root *os.Root, from, to string) error
}

// Swap renames a file, and replaces the file at the new name if there is one.
func (f *Folder) Swap(from, to string) error {
	from, to = filepath.FromSlash(from), filepath.FromSlash(to)
	if f.Disk.Rename != nil {
		return f.Disk.Rename(f.Dir, from, to)
	}
	return f.Dir.Rename(from, to)
}

// TempName returns a new hidden name in the folder of a file.
func TempName(name string) string {
	return path.Join(path.Dir(name), ".hence-"+strings.ToLower(rand.Text())+".tmp")
}

// Stage writes a file's new content to a temporary file in the same folder and returns its
// name. If old is not nil, the temporary file has a later modification time, so that a scan sees the change, and the
// permissions of the old file unless mode, which is not 0, says others. Nobody else may read it before it has them. After an
// error no file remains, and temp is "".
func (f *Folder) Stage(name string, content []byte, old fs.FileInfo, mode fs.FileMode) (temp string, err error) {
	temp = TempName(name)
	first := fs.FileMode(0o644)
	if old != nil {
		mode = cmp.Or(mode, old.Mode().Perm())
	}
	if mode != 0 {
		first = 0o600
	}
	file, err := f.Dir.OpenFile(filepath.FromSlash(temp), os.O_WRONLY|os.O_CREATE|os.O_EXCL, first)
	if err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			err, temp = errors.Join(err, f.Remove(temp)), ""
		}
	}()
	write := (*os.File).Write
	if f.Disk.Write != nil {
		write = f.Disk.Write
	}
	_, err = write(file, content)
	if err == nil && mode != 0 {
		err = file.Chmod(mode)
	}
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil || old == nil {
		return temp, err
	}
	info, err := f.Dir.Lstat(filepath.FromSlash(temp))
	if err == nil && !info.ModTime().After(old.ModTime()) {
		later := old.ModTime().Add(time.Millisecond)
		err = f.Dir.Chtimes(filepath.FromSlash(temp), later, later)
	}
	return temp, err
}

// Duplicate gives a file a second, hidden name beside a path, as a hard link, and returns it. If the file
// system has no hard links, it copies the file and its modification time.
func (f *Folder) Duplicate(name, beside string, info fs.FileInfo) (temp string, err error) {
	temp = TempName(beside)
	if err := f.Dir.Link(filepath.FromSlash(name), filepath.FromSlash(temp)); err == nil {
		return temp, nil
	}
	content, err := f.Dir.ReadFile(filepath.FromSlash(name))
	if err != nil {
		return "", err
	}
	if temp, err = f.Stage(beside, content, info, 0); err != nil {
		return "", err
	}
	if err := f.Dir.Chtimes(filepath.FromSlash(temp), info.ModTime(), info.ModTime()); err != nil {
		return "", errors.Join(err, f.Remove(temp))
	}
	return temp, nil
}

// Create writes a new file and creates the folders above it. Who may not read it may not list these. It fails with exists if
// another program has created the file.
func (f *Folder) Create(operation string, file Rewrite) error {
	temp, name, readers := "", file.Path, cmp.Or(file.Mode, 0o044)&0o044
	err := f.Dir.MkdirAll(filepath.FromSlash(path.Dir(name)), 0o700|readers|readers>>2)
	if err == nil {
		temp, err = f.Stage(name, file.Content, nil, file.Mode)
	}
	if err == nil {
		err = f.Place(temp, name)
	}
	if err == nil {
		return nil
	}
	return f.Explain(operation, name, err)
}

// Place renames a file. If there is a file at the new name, it fails with fs.ErrExist and
// removes the file at the old name.
func (f *Folder) Place(from, to string) error {
	err := f.Dir.Link(filepath.FromSlash(from), filepath.FromSlash(to))
	if err == nil || errors.Is(err, fs.ErrExist) {
		return errors.Join(err, f.Remove(from), f.Sync(path.Dir(to)))
	}
	// Not every file system has hard links. The lock excludes writers of Hence, but not
	// another program that creates the file at this moment.
	if _, err := f.Dir.Lstat(filepath.FromSlash(to)); err == nil {
		return errors.Join(fs.ErrExist, f.Remove(from))
	}
	if err := f.Dir.Rename(filepath.FromSlash(from), filepath.FromSlash(to)); err != nil {
		return errors.Join(err, f.Remove(from))
	}
	return f.Sync(path.Dir(to))
}

// Replace replaces an existing file, or the file behind a symbolic link. It fails with conflict
// if another program has changed the file since it was read.
func (f *Folder) Replace(operation string, file Rewrite) (err error) {
	if file.Path, err = f.FollowLinks(operation, file.Path); err != nil {
		return err
	}
	s := &Staging{Folder: f, Operation: operation}
	return s.ReplaceAll([]Rewrite{file})
}

// FollowLinks returns the path of the file behind symbolic links, or name itself if it is
// not a link. It fails with outside_vault for a link that must not be followed.
func (f *Folder) FollowLinks(operation, name string) (string, error) {
	info, err := f.Dir.Lstat(filepath.FromSlash(name))
	if err != nil {
		return "", f.Explain(operation, name, err)
	}
	if info.Mode()&fs.ModeSymlink == 0 {
		return name, nil
	}
	real, why, err := f.follow(name)
	switch {
	case err != nil:
		return "", f.Explain(operation, name, err)
	case why != "":
		return "", refuseLink(operation, name, why)
	}
	return real, nil
}

// IsLink reports whether there is a symbolic link at a path, wherever it leads.
func (f *Folder) IsLink(name string) bool {
	info, err := f.Dir.Lstat(filepath.FromSlash(name))
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}

// Remove removes a file.
func (f *Folder) Remove(name string) error { return f.Dir.Remove(filepath.FromSlash(name)) }

// Sync syncs a folder, so that renames in it survive a crash.
func (f *Folder) Sync(folder string) error {
	if runtime.GOOS == "windows" {
		return nil // Windows has no such call, and syncs names itself
	}
	file, err := f.Dir.Open(filepath.FromSlash(folder))
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}

// CheckExpected fails with conflict if the hash of a file, now, is not the one that the
// caller expects. An expected hash of "" fits every file.
func CheckExpected(operation, name, expected, now string) error {
	if expected = strings.ToLower(strings.TrimSpace(expected)); expected == "" || expected == now {
		return nil
	}
	return fault.New(fault.Conflict, "%s: %s has changed since it was read; read it again and write against its content_hash %s", operation, name, now).
		With("content_hash", now)
}

// Lines returns the lines of a file that a caller wants, of a number of them; all if start and end are 0,
// and 0 and 0 for an empty file. It fails with invalid_argument for an empty range, and for one after the
// end of the file.
func Lines(operation, name string, start, end, total int) (first, last int, err error) {
	switch {
	case end > 0 && start > end:
		return 0, 0, fault.New(fault.InvalidArgument, "%s: end_line %d is before start_line %d; give an end_line of at least %d", operation, end, start, start)
	case start > max(total, 1):
		return 0, 0, fault.New(fault.InvalidArgument, "%s: start_line %d is after the end of %s; give a start_line of at most %d", operation, start, name, max(total, 1))
	case end == 0:
		end = total
	}
	return min(max(start, 1), total), min(end, total), nil
}

// Explain returns an error of the file system as one that says what to do.
func (f *Folder) Explain(operation, name string, err error) error {
	switch {
	case errors.Is(err, fs.ErrExist):
		return fault.New(fault.Exists, "%s: %s is there already", operation, name).With("path", name)
	case errors.Is(err, fs.ErrNotExist):
		return fault.New(fault.Conflict, "%s: %s was removed by another program; list the files again", operation, name)
	case errors.Is(err, fs.ErrPermission):
		return fault.New(fault.ReadOnly, "%s: %s cannot be written; the folder or the file is read-only for Hence", operation, name)
	}
	return fault.Wrap(fault.Unavailable, err, "%s: %s cannot be written", operation, name)
}

// RemoveFolders removes up to count folders above a path, from the inside out, as far as
// they are empty.
func (f *Folder) RemoveFolders(name string, count int) {
	for folder := path.Dir(name); count > 0 && folder != "."; folder, count = path.Dir(folder), count-1 {
		if f.Remove(folder) != nil {
			return // it is not empty
		}
	}
}

// MissingFolders returns the folders above a path that do not exist, the innermost
// first.
func (f *Folder) MissingFolders(name string) (folders []string) {
	for folder := path.Dir(name); folder != "."; folder = path.Dir(folder) {
		if _, err := f.Dir.Lstat(filepath.FromSlash(folder)); errors.Is(err, fs.ErrNotExist) {
			folders = append(folders, folder)
		}
	}
	return folders
}
