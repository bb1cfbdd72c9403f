package folder

import (
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
)

// maxLinks bounds the symbolic links that are followed for one path.
const maxLinks = 40

// Errors of symbolic links that are not followed.
var (
	errLeadsOut  = errors.New("it is a link that leads out of the folder")
	errManyLinks = errors.New("it is a link that leads from link to link without an end")
)

// realPath returns a path from the root with its symbolic links replaced by their targets,
// including those in a link's target. It fails with errLeadsOut, with errManyLinks, and as
// os.Root.Lstat does.
func (f *Folder) realPath(name string) (string, error) {
	real, rest := ".", strings.Split(name, "/")
	for links := 0; len(rest) > 0; {
		segment := rest[0]
		rest = rest[1:]
		switch {
		case segment == "" || segment == ".":
			continue
		case segment == ".." && real == ".":
			return "", errLeadsOut
		case segment == "..":
			real = path.Dir(real)
			continue
		}
		next := path.Join(real, segment)
		info, err := f.Dir.Lstat(filepath.FromSlash(next))
		if err != nil {
			return "", err
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			real = next
			continue
		}
		to, err := f.Dir.Readlink(filepath.FromSlash(next))
		if err != nil {
			return "", err
		}
		if links++; links > maxLinks {
			return "", errManyLinks
		}
		if filepath.IsAbs(to) {
			return "", errLeadsOut
		}
		rest = append(strings.Split(filepath.ToSlash(to), "/"), rest...)
	}
	return real, nil
}

// follow returns the real path of the file behind a symbolic link, and the reason why the
// link must not be followed, or "". The real path must pass the same rules as any path. It
// fails as os.Root.Lstat does.
func (f *Folder) follow(link string) (real, why string, err error) {
	real, err = f.realPath(link)
	switch {
	case errors.Is(err, errLeadsOut), errors.Is(err, errManyLinks):
		return "", err.Error(), nil
	case err != nil:
		return "", "", err
	case IsHidden(real):
		return real, "it is a link to " + real + ", which is hidden", nil
	case f.excludesAny(real):
		return real, "it is a link to " + real + ", which the owner leaves out", nil
	}
	if f.KindOf != nil {
		kind, isRead := f.KindOf(link)
		if realKind, _ := f.KindOf(real); isRead && kind != realKind {
			return real, "it is a link to " + real + ", which is not a " + kind, nil
		}
	}
	return real, "", nil
}

// IsHidden reports whether the name of a file, or of a folder above it, starts with a
// dot.
func IsHidden(name string) bool {
	return strings.HasPrefix(name, ".") && name != "." || strings.Contains(name, "/.")
}
