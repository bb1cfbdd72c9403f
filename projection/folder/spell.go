package folder

import (
	"cmp"
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"hence/internal/fault"
)

// CheckFree fails with exists if there is a file at the path, or at one that is the same
// on some systems.
func (f *Folder) CheckFree(operation, file string) error {
	folder, name := path.Split(file)
	entries, err := fs.ReadDir(f.Dir.FS(), cmp.Or(strings.TrimSuffix(folder, "/"), "."))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fault.New(fault.InvalidArgument, "%s: %s is not a folder", operation, strings.TrimSuffix(folder, "/"))
	}
	for _, e := range entries {
		if SameName(e.Name(), name) {
			return fault.New(fault.Exists, "%s: %s is there already", operation, folder+e.Name()).With("path", folder+e.Name())
		}
	}
	return nil
}

// SameName reports whether two names are the same on some file system.
func SameName(a, b string) bool {
	return strings.EqualFold(norm.NFC.String(a), norm.NFC.String(b))
}

// Spell returns a path as it is spelled on disk, as far as it exists: Unicode has two
// ways to write é. It refuses folders that imports ignore.
func (f *Folder) Spell(operation, name string) (string, error) {
	spelled, missing := "", false // missing: the path ends above, and the rest is spelled as in name
	segments := strings.Split(name, "/")
	for n, segment := range segments {
		folder := n < len(segments)-1
		if !missing {
			segment = f.spellIn(spelled, segment)
		}
		spelled = path.Join(spelled, segment)
		if f.excludes(spelled, folder) {
			return "", fault.New(fault.OutsideVault, "%s: %s is left out of %s by its owner", operation, spelled, f.Label)
		}
		if missing {
			continue
		}
		info, err := f.Dir.Lstat(filepath.FromSlash(spelled))
		switch {
		case errors.Is(err, fs.ErrNotExist), len(segment) > maxName, err == nil && info.Mode().IsRegular() && folder:
			missing = true
		case err != nil:
			return "", fault.Wrap(fault.Unavailable, err, "%s: %s", operation, spelled)
		case short().MatchString(segment) && !f.Lists(spelled):
			return "", fault.New(fault.OutsideVault, "%s: %s is a short name for another file; name that one", operation, spelled)
		case folder && !info.IsDir():
			return "", fault.New(fault.OutsideVault, "%s: %s is a link to a folder, and those are not followed; name the folder itself", operation, spelled)
		}
	}
	return spelled, nil
}

// spellIn returns the name in a folder that is the same as a name in another Unicode
// form, or the name itself.
func (f *Folder) spellIn(folder, name string) string {
	if _, err := f.Dir.Lstat(filepath.FromSlash(path.Join(folder, name))); err == nil || !strings.ContainsFunc(name, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return name
	}
	entries, err := fs.ReadDir(f.Dir.FS(), cmp.Or(folder, "."))
	if err != nil {
		return name // the caller has the same error
	}
	for _, e := range entries {
		if norm.NFC.String(e.Name()) == norm.NFC.String(name) {
			return e.Name()
		}
	}
	return name
}

// Lists reports whether a folder lists a file or folder by its name. Windows also opens
// it by a short name.
func (f *Folder) Lists(name string) bool {
	entries, err := fs.ReadDir(f.Dir.FS(), path.Dir(name))
	return err == nil && slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return SameName(e.Name(), path.Base(name)) })
}

// IsFile reports whether there is a file at a path. A link counts as the file that it
// leads to; it fails with outside_vault if that must not be followed.
func (f *Folder) IsFile(operation, name string) (bool, error) {
	if len(path.Base(name)) > maxName {
		return false, nil
	}
	info, err := f.Dir.Lstat(filepath.FromSlash(name))
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		real, why, failed := f.follow(name)
		if why != "" {
			return false, refuseLink(operation, name, why)
		}
		if info, err = nil, failed; err == nil {
			info, err = f.Dir.Lstat(filepath.FromSlash(real))
		}
	}
	switch {
	case errors.Is(err, fs.ErrNotExist), err != nil && strings.Contains(Reason(err), "not a directory"): // a folder of the path is a file
		return false, nil
	case err != nil:
		return false, fault.Wrap(fault.Unavailable, err, "%s: %s", operation, name)
	}
	return info.Mode().IsRegular(), nil
}

// refuseLink is the error for a symbolic link that follow refuses.
func refuseLink(operation, name, why string) error {
	return fault.New(fault.OutsideVault, "%s: %s cannot be used: %s; name the file itself", operation, name, why)
}
