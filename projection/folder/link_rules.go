package folder

import (
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
)

// maxLinks is how many symbolic links may lead from one to the next.
const maxLinks = 40

// Where a symbolic link may not lead.
var (
	errLeadsOut  = errors.New("it is a link that leads out of the folder")
	errManyLinks = errors.New("it is a link that leads from link to link without an end")
)

// realPath returns the path from the root, without symbolic links, of what is
// at a path: each link on the way is followed, those in a link's own target
// too. It fails with errLeadsOut, with errManyLinks, and as os.Root.Lstat does.
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

// follow returns the real path of the file behind a symbolic link, and why it
// is not one that the link may stand for, "" where it is: what is behind a link
// passes every rule that its own path would have to pass. It fails as
// os.Root.Lstat does.
func (f *Folder) follow(link string) (real, why string, err error) {
	real, err = f.realPath(link)
	switch {
	case errors.Is(err, errLeadsOut), errors.Is(err, errManyLinks):
		return "", err.Error(), nil
	case err != nil:
		return "", "", err
	case IsHidden(real):
		return real, "it is a link to " + real + ", which is hidden", nil
	case f.Ignored.MatchAny(real):
		return real, "it is a link to " + real + ", which the owner leaves out", nil
	}
	if f.KindOf != nil {
		kind, read := f.KindOf(link)
		if is, _ := f.KindOf(real); read && kind != is {
			return real, "it is a link to " + real + ", which is not a " + kind, nil
		}
	}
	return real, "", nil
}

// IsHidden says whether a file, or a folder above it, is hidden by a dot.
func IsHidden(name string) bool {
	return strings.HasPrefix(name, ".") && name != "." || strings.Contains(name, "/.")
}
