package vault

import (
	"bytes"
	"errors"
	"io/fs"
	"path"
	"path/filepath"

	"hence/internal/fault"
	"hence/projection/folder"
)

// staged is a file that is written and waits to take its place.
type staged struct {
	rewritten
	temp string // where it is
	old  string // a second name of what was there; "" until it is made
	done bool   // it has taken its place
}

// carryOut does what was planned, wholly or not at all. The file is at its new
// path before it leaves the old one, and leaving that is the last step, so that
// at no moment a link that is not yet written anew leads to nothing.
func (m *move) carryOut() (err error) {
	var files []*staged
	placed, made := false, m.MissingFolders(m.to)
	defer func() {
		if err != nil {
			err = errors.Join(err, m.putBack(files, placed, made))
			return
		}
		if err := m.tidy(files); err != nil {
			m.warn(m.to, "is moved, but hidden files are left beside some notes: "+err.Error())
		}
	}()
	if err := m.Dir.MkdirAll(filepath.FromSlash(path.Dir(m.to)), 0o755); err != nil {
		return m.Failed(m.operation, m.Path, err)
	}
	var own *rewritten // the moved file itself, where it changes
	for _, f := range m.files {
		if f.path == m.Path {
			own = &f
			continue
		}
		s := &staged{rewritten: f}
		files = append(files, s)
		if err := m.prepare(s); err != nil {
			return err
		}
	}
	if folder.SameName(m.Path, m.to) {
		return m.respell(files, own)
	}
	if placed, err = m.arrive(own); err != nil {
		return err
	}
	if err := m.swap(files); err != nil {
		return err
	}
	if own != nil {
		if err := m.unchanged(*own); err != nil {
			return err
		}
	}
	if err := m.Remove(m.Path); err != nil {
		return m.Failed(m.operation, m.Path, err)
	}
	return m.Sync(path.Dir(m.Path))
}

// prepare writes a file's new content beside it and gives the old one a second
// name.
func (m *move) prepare(s *staged) (err error) {
	info, err := m.Dir.Lstat(filepath.FromSlash(s.path))
	if err != nil {
		return m.Failed(m.operation, s.path, err)
	}
	if s.temp, err = m.Stage(s.path, s.content, info); err != nil {
		return m.Failed(m.operation, s.path, err)
	}
	s.old = folder.TempName(s.path)
	if err := m.Dir.Link(filepath.FromSlash(s.path), filepath.FromSlash(s.old)); err != nil {
		// Without hard links the old bytes are written once more.
		if s.old, err = m.Stage(s.path, s.source, info); err != nil {
			s.old = ""
			return m.Failed(m.operation, s.path, err)
		}
	}
	return nil
}

// unchanged fails with conflict where a file is another than the one that was
// read.
func (m *move) unchanged(f rewritten) error {
	now, err := m.Read(folder.Entry{Path: f.path}, MaxFile)
	if err != nil || !bytes.Equal(now, f.source) {
		return fault.New(fault.Conflict, "%s: %s has changed meanwhile; try again", m.operation, f.path)
	}
	return nil
}

// arrive puts the file at its new path too. It reports whether it is there.
func (m *move) arrive(own *rewritten) (placed bool, err error) {
	info, err := m.Dir.Lstat(filepath.FromSlash(m.Path))
	if err != nil {
		return false, m.Failed(m.operation, m.Path, err)
	}
	var temp string
	if own != nil {
		temp, err = m.Stage(m.to, own.content, info)
	} else {
		temp, err = m.double(info)
	}
	if err == nil {
		err = m.Place(temp, m.to)
	}
	switch {
	case errors.Is(err, fs.ErrExist):
		return false, fault.New(fault.Exists, "%s: %s is there already", m.operation, m.to).With("path", m.to)
	case err != nil:
		return false, m.Failed(m.operation, m.Path, err)
	}
	return true, nil
}

// double gives the file a hidden name beside its new path. Without hard links it
// is copied, with its time.
func (m *move) double(info fs.FileInfo) (temp string, err error) {
	temp = folder.TempName(m.to)
	if err := m.Dir.Link(filepath.FromSlash(m.Path), filepath.FromSlash(temp)); err == nil {
		return temp, nil
	}
	content, err := m.Dir.ReadFile(filepath.FromSlash(m.Path))
	if err != nil {
		return "", err
	}
	if temp, err = m.Stage(m.to, content, info); err != nil {
		return "", err
	}
	if err := m.Dir.Chtimes(filepath.FromSlash(temp), info.ModTime(), info.ModTime()); err != nil {
		return "", errors.Join(err, m.Remove(temp))
	}
	return temp, nil
}

// swap lets the files take their places, one after the other, unless another
// program has changed what is there meanwhile.
func (m *move) swap(files []*staged) error {
	folders := map[string]bool{}
	for _, s := range files {
		if err := m.unchanged(s.rewritten); err != nil {
			return err
		}
		if err := m.Swap(s.temp, s.path); err != nil {
			return m.Failed(m.operation, s.path, err)
		}
		s.temp, s.done = "", true
		folders[path.Dir(s.path)] = true
	}
	for folder := range folders {
		if err := m.Sync(folder); err != nil {
			return m.Failed(m.operation, m.Path, err)
		}
	}
	return nil
}

// rewriteFiles gives files their new bytes, all of them or none.
func (m *move) rewriteFiles() (err error) {
	var files []*staged
	defer func() {
		if err != nil {
			err = errors.Join(err, m.putBack(files, false, nil))
			return
		}
		err = m.tidy(files)
	}()
	for _, f := range m.files {
		s := &staged{rewritten: f}
		files = append(files, s)
		if err := m.prepare(s); err != nil {
			return err
		}
	}
	return m.swap(files)
}

// respell moves a file to a path that some systems take for the one it has. It
// cannot be at both.
func (m *move) respell(files []*staged, own *rewritten) error {
	if err := m.swap(files); err != nil {
		return err
	}
	if err := m.Dir.Rename(filepath.FromSlash(m.Path), filepath.FromSlash(m.to)); err != nil {
		return m.Failed(m.operation, m.Path, err)
	}
	if own != nil {
		if err := m.Replace(m.operation, m.to, own.content); err != nil {
			return errors.Join(err, m.Dir.Rename(filepath.FromSlash(m.to), filepath.FromSlash(m.Path)))
		}
	}
	return m.Sync(path.Dir(m.to))
}

// putBack undoes what was done of a move.
func (m *move) putBack(files []*staged, placed bool, made []string) (err error) {
	for _, s := range files {
		if s.done {
			err = errors.Join(err, m.Dir.Rename(filepath.FromSlash(s.old), filepath.FromSlash(s.path)))
			s.old = ""
		}
	}
	if placed {
		err = errors.Join(err, m.Remove(m.to))
	}
	err = errors.Join(err, m.tidy(files))
	for _, folder := range made {
		if m.Remove(folder) != nil {
			break // it was not made, or somebody else uses it
		}
	}
	if err != nil {
		return fault.Wrap(fault.Unavailable, err, "%s: not everything could be put back", m.operation)
	}
	return nil
}

// tidy takes the hidden files away.
func (m *move) tidy(files []*staged) (err error) {
	for _, s := range files {
		for _, name := range []string{s.temp, s.old} {
			if name != "" {
				err = errors.Join(err, m.Remove(name))
			}
		}
	}
	return err
}
