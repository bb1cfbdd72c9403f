package vault

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"hence/internal/fault"
	"hence/vault/ignore"
)

// entry is a file of a vault as it lies on disk.
type entry struct {
	path     string // from the root, with slashes
	size     int64
	modified int64 // nanoseconds since 1970
}

// isNote, isCanvas: what is read. Every other file is known by its name and its
// hash only.
func (e entry) isNote() bool   { return hasExtension(e.path, ".md") }
func (e entry) isCanvas() bool { return hasExtension(e.path, ".canvas") }
func (e entry) isRead() bool   { return e.isNote() || e.isCanvas() }

func hasExtension(path, extension string) bool {
	return len(path) > len(extension) && strings.EqualFold(path[len(path)-len(extension):], extension)
}

// openRoot opens the folder of a vault. Nothing outside it can be reached
// through what it returns, symbolic links included.
func openRoot(dir string) (*os.Root, error) {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fault.New(fault.NotFound, "import %s: there is no such folder", dir)
	case err != nil:
		return nil, fault.Wrap(fault.Unavailable, err, "import %s", dir)
	case !info.IsDir():
		return nil, fault.New(fault.InvalidArgument, "import %s: it is a file; name the folder of a vault", dir)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, err, "import %s", dir)
	}
	return root, nil
}

// scan lists the files of a vault in the order of their paths. What is hidden
// to Obsidian is left out (files and folders whose name starts with a dot),
// what the owner leaves out, and what is over the bounds of a path. A symbolic link is taken for the file it leads to
// where that is one to be listed itself, see follow; one to a folder is not
// followed. What cannot be read is a warning.
func scan(ctx context.Context, root *os.Root, ignored ignore.Patterns) (files []entry, warnings []Warning, err error) {
	s := scanner{root: root, ignored: ignored}
	if err := s.below(ctx, "."); err != nil {
		return nil, nil, fault.Wrap(fault.Unavailable, err, "import %s", root.Name())
	}
	return s.found(), s.warnings, nil
}

// scanner lists files.
type scanner struct {
	root     *os.Root
	ignored  ignore.Patterns
	files    []entry
	warnings []Warning
}

// below lists the files at or below a path, which is not left out itself.
func (s *scanner) below(ctx context.Context, start string) error {
	return fs.WalkDir(s.root.FS(), start, func(path string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			if path == "." {
				return err
			}
			s.warn(path, "cannot be read: "+plain(err))
			return nil
		}
		if path != "." && s.leavesOut(path, d.IsDir()) {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if !d.IsDir() {
			s.add(path, d)
		}
		return nil
	})
}

// leavesOut says whether a file or folder is hidden, ignored or over the bounds
// of a path by itself. Of the last it warns: a person may not know.
func (s *scanner) leavesOut(name string, folder bool) bool {
	if strings.HasPrefix(path.Base(name), ".") || s.ignored.Match(name, folder) {
		return true
	}
	within := name
	if folder {
		within += "/x" // it is looked into for what it holds
	}
	why := overBounds(within)
	if why != "" {
		s.warn(name[:min(len(name), maxPath)], why+"; it is left out")
	}
	return why != ""
}

// add lists a file, or warns of it.
func (s *scanner) add(path string, d fs.DirEntry) {
	if !utf8.ValidString(path) || strings.ContainsRune(path, 0) {
		s.warn(strings.ToValidUTF8(path, "\uFFFD"), "its name is not valid UTF-8; rename it")
		return
	}
	info, err := d.Info()
	why := ""
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		info, why, err = s.behind(path)
	}
	switch {
	case why != "":
		s.warn(path, why+"; it is left out")
	case err != nil:
		s.warn(path, "cannot be read: "+plain(err))
	case info.Mode().IsRegular():
		s.files = append(s.files, entry{path: path, size: info.Size(), modified: info.ModTime().UnixNano()})
	}
}

// behind looks at the file behind a symbolic link, and says why it is not one
// that the link may stand for. A link to a folder is not followed.
func (s *scanner) behind(link string) (info fs.FileInfo, why string, err error) {
	real, why, err := follow(s.root, s.ignored, link)
	if err != nil || real == "" {
		return nil, why, err
	}
	info, err = s.root.Lstat(filepath.FromSlash(real))
	if err == nil && info.IsDir() {
		why = ""
	}
	return info, why, err
}

func (s *scanner) warn(path, text string) {
	s.warnings = append(s.warnings, Warning{Path: path, Text: text})
}

// plain is an error without the path that its caller says anyway.
func plain(err error) string {
	var e *fs.PathError
	if errors.As(err, &e) {
		return e.Err.Error()
	}
	return err.Error()
}
