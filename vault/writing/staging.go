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

// staging replaces several files together: all new bytes are staged before the first
// file is replaced, and where one cannot be, those before it get their old bytes
// back.
type staging struct {
	*folder.Folder
	operation string
	files     []*stagedFile
}

// fileRewrite is a file and its new bytes.
type fileRewrite struct {
	path            string
	source, content []byte
	rewrites        []Rewrite
}

// stagedFile is a file whose new bytes wait beside it.
type stagedFile struct {
	fileRewrite
	temp string // where the new bytes are; "" once the file is replaced
	old  string // a second name of the old bytes; "" until it is made
	done bool   // the file is replaced
}

// replaceAll replaces files, all of them or none.
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

// stage writes a file's new bytes beside it and gives the old ones a second name.
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
		// Without hard links the old bytes are written once more.
		if old, err = s.Stage(f.path, f.source, info); err != nil {
			return s.Explain(s.operation, f.path, err)
		}
	}
	f.old = old
	return nil
}

// swap replaces the staged files one after the other, unless another program has
// changed one in between.
func (s *staging) swap() error {
	folders := map[string]bool{}
	for _, f := range s.files {
		if err := s.checkUnchanged(f.fileRewrite); err != nil {
			return err
		}
		if err := s.Swap(f.temp, f.path); err != nil {
			return s.Explain(s.operation, f.path, err)
		}
		f.temp, f.done = "", true
		folders[path.Dir(f.path)] = true
	}
	for folder := range folders {
		if err := s.Sync(folder); err != nil {
			return s.Explain(s.operation, folder, err)
		}
	}
	return nil
}

// checkUnchanged fails with conflict where a file is not the one that was read.
func (s *staging) checkUnchanged(f fileRewrite) error {
	now, err := s.Read(folder.Entry{Path: f.path}, vault.MaxFile)
	if err != nil || !bytes.Equal(now, f.source) {
		return fault.New(fault.Conflict, "%s: %s was changed by another program; try again", s.operation, f.path)
	}
	return nil
}

// restore gives replaced files their old bytes back.
func (s *staging) restore() (err error) {
	for _, f := range s.files {
		if f.done {
			err = errors.Join(err, s.Dir.Rename(filepath.FromSlash(f.old), filepath.FromSlash(f.path)))
			f.old = ""
		}
	}
	return err
}

// tidy removes the hidden files.
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

// notRestored is the error for what could not be restored, nil where nothing
// failed.
func (s *staging) notRestored(err error) error {
	if err == nil {
		return nil
	}
	return fault.Wrap(fault.Unavailable, err, "%s: not everything could be put back", s.operation)
}
