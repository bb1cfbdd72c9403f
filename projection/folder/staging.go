package folder

import (
	"bytes"
	"errors"
	"io/fs"
	"path"
	"path/filepath"

	"hence/internal/fault"
)

// Staging replaces several files together. It stages the new bytes of all files before it
// replaces the first file. If it cannot replace one, it restores those before it.
type Staging struct {
	*Folder
	Operation string
	files     []*stagedFile
}

// Rewrite is a file with its old bytes and its new ones.
type Rewrite struct {
	Path            string
	Source, Content []byte
	Mode            fs.FileMode // of the new bytes; 0: as it was, or that of any new file
}

// stagedFile is a file whose new bytes are staged in a hidden file beside it.
type stagedFile struct {
	Rewrite
	temp     string // path of the new bytes; "" once the file is replaced
	old      string // path of a link to the old bytes, or of a copy; "" if there is none
	replaced bool
}

// ReplaceAll replaces all files. If one cannot be replaced, it replaces none.
func (s *Staging) ReplaceAll(files []Rewrite) (err error) {
	defer func() {
		if err == nil {
			err = s.Tidy()
			return
		}
		err = errors.Join(err, s.NotRestored(errors.Join(s.Restore(), s.Tidy())))
	}()
	for _, f := range files {
		if err := s.Add(f); err != nil {
			return err
		}
	}
	return s.SwapAll()
}

// Add writes a file's new bytes beside it, and gives the old bytes a second name.
func (s *Staging) Add(file Rewrite) error {
	f := &stagedFile{Rewrite: file}
	s.files = append(s.files, f)
	info, err := s.Dir.Lstat(filepath.FromSlash(f.Path))
	if err != nil {
		return s.Explain(s.Operation, f.Path, err)
	}
	if f.temp, err = s.Stage(f.Path, f.Content, info, f.Mode); err != nil {
		return s.Explain(s.Operation, f.Path, err)
	}
	if f.old, err = s.Duplicate(f.Path, f.Path, info); err != nil {
		return s.Explain(s.Operation, f.Path, err)
	}
	return nil
}

// SwapAll replaces the staged files one after the other. It stops with conflict at a file that
// another program has changed since it was read; Restore then puts back those before it.
func (s *Staging) SwapAll() error {
	folders := map[string]bool{}
	for _, f := range s.files {
		if err := s.CheckUnchanged(f.Rewrite); err != nil {
			return err
		}
		if err := s.Swap(f.temp, f.Path); err != nil {
			return s.Explain(s.Operation, f.Path, err)
		}
		f.temp, f.replaced = "", true
		folders[path.Dir(f.Path)] = true
	}
	for dir := range folders {
		if err := s.Sync(dir); err != nil {
			return s.Explain(s.Operation, dir, err)
		}
	}
	return nil
}

// CheckUnchanged fails with conflict if a file has other bytes than f.Source.
func (s *Staging) CheckUnchanged(f Rewrite) error {
	current, err := s.Read(Entry{Path: f.Path}, int64(len(f.Source)))
	if err != nil || !bytes.Equal(current, f.Source) {
		return fault.New(fault.Conflict, "%s: %s was changed by another program; try again", s.Operation, f.Path)
	}
	return nil
}

// Restore gives the replaced files their old bytes back.
func (s *Staging) Restore() (err error) {
	for _, f := range s.files {
		if f.replaced {
			err = errors.Join(err, s.Dir.Rename(filepath.FromSlash(f.old), filepath.FromSlash(f.Path)))
			f.old = ""
		}
	}
	return err
}

// Tidy removes the hidden files that remain.
func (s *Staging) Tidy() (err error) {
	for _, f := range s.files {
		for _, name := range []string{f.temp, f.old} {
			if name != "" {
				err = errors.Join(err, s.Remove(name))
			}
		}
	}
	return err
}

// NotRestored wraps the error of a failed restore. It returns nil for nil.
func (s *Staging) NotRestored(err error) error {
	if err == nil {
		return nil
	}
	return fault.Wrap(fault.Unavailable, err, "%s: some files could not be restored", s.Operation)
}
