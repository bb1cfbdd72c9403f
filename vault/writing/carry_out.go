package writing

import (
	"errors"
	"io/fs"
	"path"
	"path/filepath"

	"hence/projection/folder"
)

// carryOut carries out the plan, as a whole or not at all. It puts the file at its new path
// before it rewrites any link, and removes the old path last, so that links that are not yet
// rewritten never dangle.
func (m *move) carryOut() (err error) {
	s := &folder.Staging{Folder: m.Folder, Operation: m.operation}
	isPlaced, newFolders := false, m.MissingFolders(m.to)
	defer func() {
		if err != nil {
			err = errors.Join(err, m.putBack(s, isPlaced, newFolders))
			return
		}
		if err := s.Tidy(); err != nil {
			m.warn(m.to, "is moved, but hidden files are left beside some notes: "+err.Error())
		}
	}()
	if err := m.Dir.MkdirAll(filepath.FromSlash(path.Dir(m.to)), 0o755); err != nil {
		return m.Explain(m.operation, m.Path, err)
	}
	// Some file systems treat the two paths as the same one, so that the file cannot be at both.
	sameFile := folder.SameName(m.Path, m.to)
	var moved *fileRewrite // the moved file itself, if it can be at both paths; nil if its bytes stay the same
	for _, f := range m.files {
		if f.Path == m.Path && !sameFile {
			moved = &f
		} else if err := s.Add(f.Rewrite); err != nil {
			return err
		}
	}
	if sameFile {
		if err := s.SwapAll(); err != nil {
			return err
		}
		if err := m.Dir.Rename(filepath.FromSlash(m.Path), filepath.FromSlash(m.to)); err != nil {
			return m.Explain(m.operation, m.Path, err)
		}
		return m.Sync(path.Dir(m.to))
	}
	if err := m.placeAtNewPath(moved); err != nil {
		return err
	}
	isPlaced = true
	if err := s.SwapAll(); err != nil {
		return err
	}
	if moved != nil {
		if err := s.CheckUnchanged(moved.Rewrite); err != nil {
			return err
		}
	}
	if err := m.Remove(m.Path); err != nil {
		return m.Explain(m.operation, m.Path, err)
	}
	return m.Sync(path.Dir(m.Path))
}

// placeAtNewPath puts the file at its new path, with its new bytes if moved is not nil. The
// old path stays.
func (m *move) placeAtNewPath(moved *fileRewrite) error {
	info, err := m.Dir.Lstat(filepath.FromSlash(m.Path))
	if err != nil {
		return m.Explain(m.operation, m.Path, err)
	}
	var temp string
	if moved != nil {
		temp, err = m.Stage(m.to, moved.Content, info, 0)
	} else {
		temp, err = m.Duplicate(m.Path, m.to, info)
	}
	if err == nil {
		err = m.Place(temp, m.to)
	}
	switch {
	case errors.Is(err, fs.ErrExist):
		return m.Explain(m.operation, m.to, err)
	case err != nil:
		return m.Explain(m.operation, m.Path, err)
	}
	return nil
}

// putBack reverts a move that has failed.
func (m *move) putBack(s *folder.Staging, isPlaced bool, newFolders []string) error {
	err := s.Restore()
	if isPlaced {
		err = errors.Join(err, m.Remove(m.to))
	}
	err = errors.Join(err, s.Tidy())
	for _, name := range newFolders {
		if m.Remove(name) != nil {
			break // it was not created, or somebody else uses it
		}
	}
	return s.NotRestored(err)
}
