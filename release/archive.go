package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// file is a file of an archive or folder, whose content is in another file or a text.
type file struct {
	name string // slashes
	from string // the path of the content; "": the content is text
	text []byte
	mode fs.FileMode // 0644 or 0755
}

// folder returns the files of a folder, as files of the folder name. Files that their owner
// may execute have the mode 0755.
func folder(name, from string) (files []file, err error) {
	err = filepath.WalkDir(from, func(at string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		below, err := filepath.Rel(from, at)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		mode := fs.FileMode(0o644)
		if info.Mode()&0o100 != 0 {
			mode = 0o755
		}
		files = append(files, file{name: path.Join(name, filepath.ToSlash(below)), from: at, mode: mode})
		return nil
	})
	return files, err
}

// each calls do with every file and a reader of its content, in the order of their names.
func each(files []file, do func(f file, from io.Reader, size int64) error) error {
	for _, f := range slices.SortedFunc(slices.Values(files), func(a, b file) int { return strings.Compare(a.name, b.name) }) {
		if f.from == "" {
			if err := do(f, bytes.NewReader(f.text), int64(len(f.text))); err != nil {
				return err
			}
			continue
		}
		from, err := os.Open(f.from)
		if err != nil {
			return err
		}
		info, err := from.Stat()
		if err == nil {
			err = do(f, from, info.Size())
		}
		if err := errors.Join(err, from.Close()); err != nil {
			return err
		}
	}
	return nil
}

// writeTar writes a gzipped tar whose bytes depend only on the names, contents and modes of
// the files and on the time.
func writeTar(to string, files []file, at time.Time) (err error) {
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	packed, err := gzip.NewWriterLevel(out, gzip.BestCompression)
	if err != nil {
		return err
	}
	archive := tar.NewWriter(packed)
	err = each(files, func(f file, from io.Reader, size int64) error {
		header := &tar.Header{Typeflag: tar.TypeReg, Name: f.name, Size: size, Mode: int64(f.mode), ModTime: at.Truncate(time.Second)}
		if err := archive.WriteHeader(header); err != nil {
			return err
		}
		_, err := io.Copy(archive, from)
		return err
	})
	if err != nil {
		return err
	}
	return errors.Join(archive.Close(), packed.Close())
}

// writeZip is writeTar for a zip archive.
func writeZip(to string, files []file, at time.Time) (err error) {
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	archive := zip.NewWriter(out)
	err = each(files, func(f file, from io.Reader, _ int64) error {
		header := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: at.Truncate(2 * time.Second).UTC()}
		header.SetMode(f.mode)
		into, err := archive.CreateHeader(header)
		if err != nil {
			return err
		}
		_, err = io.Copy(into, from)
		return err
	})
	if err != nil {
		return err
	}
	return archive.Close()
}

// put writes files below a folder, with the time at.
func put(to string, files []file, at time.Time) error {
	return each(files, func(f file, from io.Reader, _ int64) error {
		path := filepath.Join(to, filepath.FromSlash(f.name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		text, err := io.ReadAll(from)
		if err != nil {
			return err
		}
		if err := os.WriteFile(path, text, f.mode); err != nil {
			return err
		}
		return errors.Join(os.Chmod(path, f.mode), os.Chtimes(path, at, at))
	})
}
