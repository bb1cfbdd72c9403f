package writing

import (
	"errors"
	"io/fs"
	"path"
	"path/filepath"

	"hence/internal/fault"
	"hence/projection/folder"
)

// carryOut does what was planned, all of it or nothing. The file is at its new
// path before any link is rewritten, and leaves the old one last, so that at no
// moment a link that is not yet rewritten leads to nothing.
func (m *move) carryOut() (err error) {
	s := &staging{Folder: m.Folder, operation: m.operation}
	arrived, made := false, m.MissingFolders(m.to)
	defer func() {
		if err != nil {
			err = errors.Join(err, m.putBack(s, arrived, made))
			return
		}
		if err := s.tidy(); err != nil {
			m.warn(m.to, "is moved, but hidden files are left beside some notes: "+err.Error())
		}
	}()
	if err := m.Dir.MkdirAll(filepath.FromSlash(path.Dir(m.to)), 0o755); err != nil {
		return m.Explain(m.operation, m.Path, err)
	}
	var own *fileRewrite // the moved file itself, where it changes
	for _, f := range m.files {
		if f.path == m.Path {
			own = &f
		} else if err := s.stage(f); err != nil {
			return err
		}
	}
	if folder.SameName(m.Path, m.to) {
		return m.respell(s, own)
	}
	if err := m.arrive(own); err != nil {
		return err
	}
	arrived = true
	if err := s.swap(); err != nil {
		return err
	}
	if own != nil {
		if err := s.checkUnchanged(*own); err != nil {
			return err
		}
	}
	if err := m.Remove(m.Path); err != nil {
		return m.Explain(m.operation, m.Path, err)
	}
	return m.Sync(path.Dir(m.Path))
}

// arrive puts the file at its new path too.
func (m *move) arrive(own *fileRewrite) error {
	info, err := m.Dir.Lstat(filepath.FromSlash(m.Path))
	if err != nil {
		return m.Explain(m.operation, m.Path, err)
	}
	var temp string
	if own != nil {
		temp, err = m.Stage(m.to, own.content, info)
	} else {
		temp, err = m.duplicate(info)
	}
	if err == nil {
		err = m.Place(temp, m.to)
	}
	switch {
	case errors.Is(err, fs.ErrExist):
		return fault.New(fault.Exists, "%s: %s is there already", m.operation, m.to).With("path", m.to)
	case err != nil:
		return m.Explain(m.operation, m.Path, err)
	}
	return nil
}

// duplicate gives the file a hidden name beside its new path. Without hard links
// it is copied, with its time.
func (m *move) duplicate(info fs.FileInfo) (temp string, err error) {
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

// respell moves a file to a path that some file systems take for the one it has.
// It cannot be at both.
func (m *move) respell(s *staging, own *fileRewrite) error {
	if err := s.swap(); err != nil {
		return err
	}
	if err := m.Dir.Rename(filepath.FromSlash(m.Path), filepath.FromSlash(m.to)); err != nil {
		return m.Explain(m.operation, m.Path, err)
	}
	if own != nil {
		if err := m.Replace(m.operation, m.to, own.content); err != nil {
			return errors.Join(err, m.Dir.Rename(filepath.FromSlash(m.to), filepath.FromSlash(m.Path)))
		}
	}
	return m.Sync(path.Dir(m.to))
}

// putBack takes back what was done of a move.
func (m *move) putBack(s *staging, arrived bool, made []string) error {
	err := s.restore()
	if arrived {
		err = errors.Join(err, m.Remove(m.to))
	}
	err = errors.Join(err, s.tidy())
	for _, folder := range made {
		if m.Remove(folder) != nil {
			break // it was not made, or somebody else uses it
		}
	}
	return s.notRestored(err)
}
