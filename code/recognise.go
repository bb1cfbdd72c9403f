package code

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"hence/internal/db"
	"hence/projection/folder"
)

// enoughFiles is how many files of a folder are looked at to tell what it holds.
const enoughFiles = 20_000

var errEnough = errors.New("enough was seen")

// Recognises reports whether a folder is to be imported as a repository although nobody
// said so: it was before, or it is a git repository that is not a vault. A vault has a
// folder .obsidian or settings of Hence, or was imported as one, or has more notes than
// source code.
func (i Importer) Recognises(ctx context.Context, dir string) (bool, error) {
	full, err := filepath.Abs(dir)
	if err != nil {
		return false, nil
	}
	form, known, err := db.One[string](ctx, i.DB, `
select form
from vaults
where root = ?1
  and ?2 in (namespace, '')
order by form
limit 1`, full, i.Caller.Namespace)
	if err != nil || known {
		return form == format.Form, err
	}
	f, err := folder.Open(full)
	if err != nil {
		return false, nil // the import will say so
	}
	defer f.Close()
	if _, err := f.Dir.Stat(".git"); err != nil {
		return false, nil
	}
	for _, name := range []string{".obsidian", ".hence.yaml"} {
		if _, err := f.Dir.Stat(name); err == nil {
			return false, nil
		}
	}
	notes, sources := count(f)
	return sources > notes, nil
}

// count counts the notes and the files of source code in a folder.
func count(f *folder.Folder) (notes, sources int) {
	setRules(f)
	seen := 0
	_ = fs.WalkDir(f.Dir.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil
		case name != "." && f.LeavesOut(name, d.IsDir()):
			if d.IsDir() {
				return fs.SkipDir
			}
		case d.IsDir():
		case strings.EqualFold(path.Ext(name), ".md"):
			notes++
		case languageOf(name) != nil:
			sources++
		}
		if seen++; seen == enoughFiles {
			return errEnough
		}
		return nil
	})
	return notes, sources
}
