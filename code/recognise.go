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

// enoughFiles is the number of files and folders after which count stops.
const enoughFiles = 20_000

var errEnough = errors.New("enough files were counted")

// Recognises reports whether a folder is to be imported as a repository without a flag
// that says so: it was imported as one before, or it is a git repository and not a vault.
// A folder is a vault if it was imported as one, if it has .obsidian or .hence.yaml, or
// if it does not hold more files of source code than notes.
func (i Importer) Recognises(ctx context.Context, dir string) (bool, error) {
	full, err := filepath.Abs(dir)
	if err != nil {
		return false, nil
	}
	form, known, err := db.One[string](ctx, i.DB, `
select form
from mirrors
where root = ?1
  and form <> 'agents'
  and ?2 in (namespace, '')
order by form
limit 1`, full, i.Caller.Namespace)
	if err != nil || known {
		return form == format.Form, err
	}
	f, err := folder.Open(full)
	if err != nil {
		return false, nil // the import reports the error
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

// count counts the notes and the files of source code in a folder, up to enoughFiles.
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
