package writing

import (
	"bytes"
	"errors"
	"io/fs"
	"path"
	"path/filepath"

	"hence/internal/fault"
	"hence/projection/folder"
	"hence/vault"
)

// staging replaces several files together. It stages the new bytes of all files before it
// replaces the first file. If it cannot replace one, it restores those before it.
type staging struct {
	*folder.Folder
	operation string
	files     []*stagedFile
}

// fileRewrite is a file with its old bytes (source) and its new bytes (content).
type fileRewrite struct {
	path            string
	source, content []byte
	rewrites        []Rewrite
}

// stagedFile is a file whose new bytes are staged in a hidden file beside it.
type stagedFile struct {
	fileRewrite
	temp     string // path of the new bytes; "" once the file is replaced
	old      string // path of a link to the old bytes, or of a copy; "" if there is none
	replaced bool
}

// replaceAll replaces all files. If one cannot be replaced, it replaces none.
func (s *staging) replaceAll(files []fileRewrite) (err error) {
	defer func() {
		if err == nil {
			err = s.tidy()
			return
		}
		err = errors.Join(err, s.notRestored(errors.Join(s.restore(), s.tidy())))
	}()
	for _, f := range files {
		if err := s.stage(f); err != nil {
			return err
		}
	}
	return s.swap()
}

// stage writes a file's new bytes beside it, and gives the old bytes a second name.
func (s *staging) stage(file fileRewrite) error {
	f := &stagedFile{fileRewrite: file}
	s.files = append(s.files, f)
	info, err := s.Dir.Lstat(filepath.FromSlash(f.path))
	if err != nil {
		return s.Explain(s.operation, f.path, err)
	}
	if f.temp, err = s.Stage(f.path, f.content, info); err != nil {
		return s.Explain(s.operation, f.path, err)
	}
	old := folder.TempName(f.path)
	if err := s.Dir.Link(filepath.FromSlash(f.path), filepath.FromSlash(old)); err != nil {
		// The file system has no hard links: copy the old bytes.
		if old, err = s.Stage(f.path, f.source, info); err != nil {
			return s.Explain(s.operation, f.path, err)
		}
	}
	f.old = old
	return nil
}

// swap replaces the staged files one after the other. It stops with conflict at a file that
// another program has changed since it was read; restore then puts back those before it.
func (s *staging) swap() error {
	folders := map[string]bool{}
	for _, f := range s.files {
		if err := s.checkUnchanged(f.fileRewrite); err != nil {
			return err
		}
		if err := s.Swap(f.temp, f.path); err != nil {
			return s.Explain(s.operation, f.path, err)
		}
		f.temp, f.replaced = "", true
		folders[path.Dir(f.path)] = true
	}
	for dir := range folders {
		if err := s.Sync(dir); err != nil {
			return s.Explain(s.operation, dir, err)
		}
	}
	return nil
}

// checkUnchanged fails with conflict if a file has other bytes than f.source.
func (s *staging) checkUnchanged(f fileRewrite) error {
	current, err := s.Read(folder.Entry{Path: f.path}, vault.MaxFile)
	if err != nil || !bytes.Equal(current, f.source) {
		return fault.New(fault.Conflict, "%s: %s was changed by another program; try again", s.operation, f.path)
	}
	return nil
}

// restore gives the replaced files their old bytes back.
func (s *staging) restore() (err error) {
	for _, f := range s.files {
		if f.replaced {
			err = errors.Join(err, s.Dir.Rename(filepath.FromSlash(f.old), filepath.FromSlash(f.path)))
			f.old = ""
		}
	}
	return err
}

// tidy removes the hidden files that remain.
func (s *staging) tidy() (err error) {
	for _, f := range s.files {
		for _, name := range []string{f.temp, f.old} {
			if name != "" {
				err = errors.Join(err, s.Remove(name))
			}
		}
	}
	return err
}

// notRestored wraps the error of a failed restore. It returns nil for nil.
func (s *staging) notRestored(err error) error {
	if err == nil {
		return nil
	}
	return fault.Wrap(fault.Unavailable, err, "%s: some files could not be restored", s.operation)
}

// carryOut carries out the plan, as a whole or not at all. It puts the file at its new path
// before it rewrites any link, and removes the old path last, so that links that are not yet
// rewritten never dangle.
func (m *move) carryOut() (err error) {
	s := &staging{Folder: m.Folder, operation: m.operation}
	isPlaced, newFolders := false, m.MissingFolders(m.to)
	defer func() {
		if err != nil {
			err = errors.Join(err, m.putBack(s, isPlaced, newFolders))
			return
		}
		if err := s.tidy(); err != nil {
			m.warn(m.to, "is moved, but hidden files are left beside some notes: "+err.Error())
		}
	}()
	if err := m.Dir.MkdirAll(filepath.FromSlash(path.Dir(m.to)), 0o755); err != nil {
		return m.Explain(m.operation, m.Path, err)
	}
	var moved *fileRewrite // the moved file itself; nil if its bytes stay the same
	for _, f := range m.files {
		if f.path == m.Path {
			moved = &f
		} else if err := s.stage(f); err != nil {
			return err
		}
	}
	if folder.SameName(m.Path, m.to) {
		return m.respell(s, moved)
	}
	if err := m.placeAtNewPath(moved); err != nil {
		return err
	}
	isPlaced = true
	if err := s.swap(); err != nil {
		return err
	}
	if moved != nil {
		if err := s.checkUnchanged(*moved); err != nil {
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
		temp, err = m.Stage(m.to, moved.content, info)
	} else {
		temp, err = m.duplicate(info)
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

// duplicate gives the file a second, hidden name beside its new path, as a hard link. If the
// file system has no hard links, it copies the file and its modification time.
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

// respell moves a file to a path that some file systems treat as the same path, so that the
// file cannot be at both paths at once.
func (m *move) respell(s *staging, moved *fileRewrite) error {
	if err := s.swap(); err != nil {
		return err
	}
	if err := m.Dir.Rename(filepath.FromSlash(m.Path), filepath.FromSlash(m.to)); err != nil {
		return m.Explain(m.operation, m.Path, err)
	}
	if moved != nil {
		if err := m.Replace(m.operation, m.to, moved.content); err != nil {
			return errors.Join(err, m.Dir.Rename(filepath.FromSlash(m.to), filepath.FromSlash(m.Path)))
		}
	}
	return m.Sync(path.Dir(m.to))
}

// putBack reverts a move that has failed.
func (m *move) putBack(s *staging, isPlaced bool, newFolders []string) error {
	err := s.restore()
	if isPlaced {
		err = errors.Join(err, m.Remove(m.to))
	}
	err = errors.Join(err, s.tidy())
	for _, folder := range newFolders {
		if m.Remove(folder) != nil {
			break // it was not created, or somebody else uses it
		}
	}
	return s.notRestored(err)
}
