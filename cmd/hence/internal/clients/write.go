package clients

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"hence/internal/fault"
)

// Written says which file was written.
type Written struct {
	File    string `json:"file"`
	Backup  string `json:"backup,omitempty"` // copy of the previous file; "" if there was none
	Changed bool   `json:"changed"`
}

// Write adds the server to the client's file, in one step, and keeps a copy of
// the previous file beside it.
func (c Client) Write(p Places, s Server) (w Written, err error) {
	w.File = c.File(p)
	path := w.File
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real // keep a symbolic link
	}
	old, err := os.ReadFile(path)
	missing := errors.Is(err, fs.ErrNotExist)
	if err != nil && !missing {
		return w, fault.Wrap(fault.Unavailable, err, "setup: the configuration cannot be read")
	}
	changed, err := c.Put(old, s)
	if err != nil || !missing && bytes.Equal(old, changed) {
		return w, err
	}
	mode := fs.FileMode(0o600)
	if missing {
		err = os.MkdirAll(filepath.Dir(path), 0o755)
	} else if info, statErr := os.Stat(path); statErr == nil {
		mode = info.Mode().Perm()
		w.Backup = path + ".before-hence-" + time.Now().UTC().Format("20060102T150405.000")
		err = os.WriteFile(w.Backup, old, mode)
	}
	if err == nil {
		err = replace(path, changed, mode)
	}
	if err != nil {
		return w, fault.Wrap(fault.Unavailable, err, "setup: %s cannot be written", w.File)
	}
	w.Changed = true
	return w, nil
}

// replace writes a temporary file and renames it over the old one.
func replace(path string, text []byte, mode fs.FileMode) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".hence-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	_, err = f.Write(text)
	err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close())
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
