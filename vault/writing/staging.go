package writing

import (
	"bytes"
	"errors"
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
