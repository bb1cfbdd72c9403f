package doctor

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"hence/internal/fault"
	"hence/internal/permit"
)

// unfinished matches the names of unfinished files. A command writes a backup, an export or
// a note under such a name beside its final path, and renames it when it is complete. A
// command that is killed leaves the file behind.
var unfinished = regexp.MustCompile(`^\.hence-(backup-[0-9]+(-wal|-shm|-journal)?|export-[0-9]+|[a-z2-7]{26}\.tmp)$`)

// unfinishedFolder matches the names of the temporary folders of dry runs.
var unfinishedFolder = regexp.MustCompile(`^hence-dry-run-[0-9]+$`)

// maxIdle is the time since the last write during which a command may still be writing a file.
const maxIdle = time.Hour

// leftover is an unfinished file or folder.
type leftover struct {
	path     string
	isFolder bool
	bytes    int64
	modified time.Time // for a folder, the latest of it and its entries
}

func (l leftover) mayBeInUse() bool { return time.Since(l.modified) < maxIdle }

func (l leftover) String() string {
	return fmt.Sprintf("%s (%d bytes, written until %s)", l.path, l.bytes, l.modified.UTC().Format(time.RFC3339))
}

// findLeftovers returns the unfinished files in the folder of the store, in d.Folders, among
// the temporary files, and anywhere in the vaults, sorted by path. It skips folders that it
// cannot read.
func (d Doctor) findLeftovers(ctx context.Context) ([]leftover, error) {
	names, err := query("mirrors")(ctx, d)
	if err != nil {
		return nil, err
	}
	records, err := permit.Of(ctx, d.DB, d.DB)
	if err != nil {
		return nil, err
	}
	roots := []string{}
	for _, name := range names {
		f, err := records.Folder(name)
		if err != nil {
			return nil, err
		}
		if f.Root != "" { // a store from elsewhere may name any folder
			roots = append(roots, f.Root)
		}
	}
	leftovers := map[string]leftover{}
	for _, folder := range append([]string{filepath.Dir(d.DB.Path())}, d.Folders...) {
		addLeftovers(folder, unfinished, leftovers)
	}
	addLeftovers(os.TempDir(), unfinishedFolder, leftovers)
	for _, root := range roots {
		err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case err != nil && (e == nil || e.IsDir()):
				return fs.SkipDir
			case err != nil:
				return nil
			case e.IsDir() && path != root && strings.HasPrefix(e.Name(), "."):
				return fs.SkipDir
			case !e.IsDir() && unfinished.MatchString(e.Name()):
				addLeftover(path, leftovers)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return slices.SortedFunc(maps.Values(leftovers), func(a, b leftover) int { return strings.Compare(a.path, b.path) }), nil
}

// addLeftovers adds the entries of a folder whose names match to leftovers.
func addLeftovers(folder string, name *regexp.Regexp, leftovers map[string]leftover) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return
	}
	for _, e := range entries {
		if name.MatchString(e.Name()) && e.IsDir() == (name == unfinishedFolder) {
			addLeftover(filepath.Join(folder, e.Name()), leftovers)
		}
	}
}

// addLeftover adds a regular file or a folder, with its size, to leftovers. It skips symbolic links
// and anything else.
func addLeftover(path string, leftovers map[string]leftover) {
	path, err := filepath.Abs(path)
	if err != nil {
		return
	}
	info, err := os.Lstat(path)
	if err != nil || !info.IsDir() && !info.Mode().IsRegular() {
		return
	}
	l := leftover{path: path, isFolder: info.IsDir(), modified: info.ModTime()}
	if !l.isFolder {
		l.bytes = info.Size()
		leftovers[path] = l
		return
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			l.bytes += info.Size()
			if info.ModTime().After(l.modified) {
				l.modified = info.ModTime()
			}
		}
	}
	leftovers[path] = l
}

// examineUnfinished lists the leftovers that no command is writing.
func examineUnfinished(ctx context.Context, d Doctor) (problems []string, err error) {
	all, err := d.findLeftovers(ctx)
	for _, l := range all {
		if !l.mayBeInUse() {
			problems = append(problems, "a killed command left "+l.String())
		}
	}
	return problems, err
}

// noteUnfinished lists the leftovers that a command may be writing now.
func noteUnfinished(ctx context.Context, d Doctor) (notes []string, err error) {
	all, err := d.findLeftovers(ctx)
	for _, l := range all {
		if l.mayBeInUse() {
			notes = append(notes, "a command is writing "+l.String()+", or was killed; hence doctor --fix removes it once it is an hour old")
		}
	}
	return notes, err
}

// fixUnfinished removes the leftovers that no command is writing.
func fixUnfinished(ctx context.Context, d Doctor) error {
	all, err := d.findLeftovers(ctx)
	if err != nil {
		return err
	}
	for _, l := range all {
		if l.mayBeInUse() {
			continue
		}
		remove := os.Remove
		if l.isFolder {
			remove = os.RemoveAll
		}
		if err := remove(l.path); err != nil && !os.IsPermission(err) {
			return fault.Wrap(fault.Unavailable, err, "doctor: %s cannot be removed", l.path)
		}
	}
	return nil
}
