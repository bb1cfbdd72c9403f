package folder

import (
	"errors"
	"path/filepath"
	"strings"
	"syscall"
)

// realPath returns the path of the file that a symbolic link leads to in the end. If it leads to
// none, why says so: to a file outside the folder, or through more links than os.Root follows.
// Other errors are those of os.Root.Stat.
func (f *Folder) realPath(link string) (real, why string, err error) {
	_, err = f.Dir.Stat(filepath.FromSlash(link))
	switch {
	case err == nil:
	case errors.Is(err, syscall.ELOOP), strings.Contains(err.Error(), "too many"):
		return "", "it is a link that leads from link to link without an end", nil
	case strings.Contains(err.Error(), "escapes"):
		return "", "it is a link that leads out of the folder", nil
	default:
		return "", "", err
	}
	root, err := filepath.EvalSymlinks(f.Dir.Name())
	if err == nil {
		real, err = filepath.EvalSymlinks(filepath.Join(root, filepath.FromSlash(link)))
	}
	if err == nil {
		real, err = filepath.Rel(root, real)
	}
	return filepath.ToSlash(real), "", err
}

// follow returns the real path of the file behind a symbolic link, and the reason why the
// link must not be followed, or "". The real path must pass the same rules as any path. It
// fails as os.Root.Stat does.
func (f *Folder) follow(link string) (real, why string, err error) {
	real, why, err = f.realPath(link)
	switch {
	case why != "" || err != nil:
		return "", why, err
	case !f.Hidden && IsHidden(real):
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
