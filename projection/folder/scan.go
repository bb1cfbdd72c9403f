package folder

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unicode/utf8"

	"hence/internal/fault"
)

// Scan lists the files of a folder, sorted by path. It ignores hidden files and folders,
// those that the owner excludes, and those that exceed the bounds of a path. A symbolic
// link counts as the file that it leads to, if that file would be listed itself, see
// follow; a link to a folder is not followed. Files that cannot be read are warnings.
func (f *Folder) Scan(ctx context.Context) ([]Entry, []Warning, error) {
	s := scanner{Folder: f}
	if err := s.walk(ctx, "."); err != nil {
		return nil, nil, s.errNotListed(ctx, err)
	}
	return s.entries(), s.warnings, nil
}

// ScanAt lists the files at some paths, as Scan does: for each a file, the files of a
// folder, or nothing.
func (f *Folder) ScanAt(ctx context.Context, paths []string) ([]Entry, []Warning, error) {
	s := scanner{Folder: f}
	for _, path := range paths {
		if err := s.scanPath(ctx, path); err != nil {
			return nil, nil, err
		}
	}
	return s.entries(), s.warnings, nil
}

// LeavesOut reports whether a folder or file is hidden, excluded or exceeds the bounds of a
// path. It does not examine the folders above it.
func (f *Folder) LeavesOut(name string, folder bool) bool {
	return (&scanner{Folder: f}).leavesOut(name, folder)
}

// scanner lists files.
type scanner struct {
	*Folder
	files    []Entry
	warnings []Warning
}

// walk lists the files at or below a path. The caller has checked that the path itself is
// not left out.
func (s *scanner) walk(ctx context.Context, start string) error {
	return fs.WalkDir(s.Dir.FS(), start, func(path string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			if path == "." {
				return err
			}
			s.warnUnread(path, err)
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

// leavesOut is LeavesOut, and also warns about a path that exceeds the bounds, because its
// owner may not expect that.
func (s *scanner) leavesOut(name string, folder bool) bool {
	if !s.Hidden && strings.HasPrefix(path.Base(name), ".") || s.excludes(name, folder) {
		return true
	}
	longest := name
	if folder {
		longest += "/x" // a file in it
	}
	why := overBounds(longest)
	if why != "" {
		s.warn(name[:min(len(name), maxPath)], why+"; it is left out")
	}
	return why != ""
}

// add adds a file, or a warning.
func (s *scanner) add(path string, d fs.DirEntry) {
	if !utf8.ValidString(path) || strings.ContainsRune(path, 0) {
		s.warn(strings.ToValidUTF8(path, "\uFFFD"), "its name is not valid UTF-8; rename it")
		return
	}
	info, err := d.Info()
	why := ""
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		if info, why, err = s.statLink(path); s.NoLinks && err == nil && why == "" {
			return
		}
	}
	switch {
	case why != "":
		s.warn(path, why+"; it is left out")
	case err != nil:
		s.warnUnread(path, err)
	case info.Mode().IsRegular() && (s.MaxSize == 0 || info.Size() <= s.MaxSize):
		s.files = append(s.files, Entry{Path: path, Size: info.Size(), Modified: info.ModTime().UnixNano(), Mode: info.Mode().Perm()})
	}
}

// statLink returns the file behind a symbolic link, and why it must not be followed. A
// link to a folder is not followed.
func (s *scanner) statLink(link string) (info fs.FileInfo, why string, err error) {
	real, why, err := s.follow(link)
	if err != nil || real == "" {
		return nil, why, err
	}
	info, err = s.Dir.Lstat(filepath.FromSlash(real))
	if err == nil && info.IsDir() {
		why = ""
	}
	return info, why, err
}

func (s *scanner) warn(path, text string) {
	s.warnings = append(s.warnings, Warning{Path: path, Text: text})
}

// warnUnread warns that what is at a path could not be read. A broken link leads to nothing, and a
// folder that has become a file holds nothing.
func (s *scanner) warnUnread(path string, err error) {
	gone := errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
	s.warnings = append(s.warnings, Warning{Path: path, Text: "cannot be read: " + Reason(err), Unread: !gone})
}

// scanPath lists what is at a path: a file, the files of a folder, or nothing.
func (s *scanner) scanPath(ctx context.Context, path string) error {
	for n := range len(path) {
		if path[n] == '/' && s.leavesOut(path[:n], true) {
			return nil
		}
	}
	info, err := s.Dir.Lstat(filepath.FromSlash(path))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		s.warnUnread(path, err)
		return nil
	case s.leavesOut(path, info.IsDir()):
		return nil
	case !info.IsDir():
		s.add(path, fs.FileInfoToDirEntry(info))
		return nil
	}
	if err := s.walk(ctx, path); err != nil {
		return s.errNotListed(ctx, err)
	}
	return nil
}

// errNotListed returns the error for a folder whose files could not be listed. It does not name
// the operation, because imports and moves of notes list files.
func (s *scanner) errNotListed(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fault.Wrap(fault.Unavailable, err, "%s: interrupted while the files of the folder were listed; try again", s.Dir.Name())
	}
	return fault.Wrap(fault.Unavailable, err, "%s: the files of the folder cannot be listed; check that it exists and can be read", s.Dir.Name())
}

// entries returns the files sorted by path, each once.
func (s *scanner) entries() []Entry {
	slices.SortFunc(s.files, func(a, b Entry) int { return strings.Compare(a.Path, b.Path) })
	return slices.CompactFunc(s.files, func(a, b Entry) bool { return a.Path == b.Path })
}
