package doctor

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"hence/internal/fault"
	"hence/internal/permit"
)

var (
	// unfinished matches the names of unfinished files. A command writes a backup, an export or
	// a note under such a name beside its final path, and renames it when it is complete. A
	// command that is killed leaves the file behind.
	unfinished = regexp.MustCompile(`^\.hence-(backup-[0-9]+(-wal|-shm|-journal)?|export-[0-9]+|[a-z2-7]{26}\.tmp)$`)
	// temporary matches the names of copies of stores, and of lines to import, among the temporary files.
	temporary = regexp.MustCompile(`^hence-(adopt|copy|import|scratch|status)-[0-9]+$`)
)

// maxIdle is the time since the last write during which a command may still be writing a file.
const maxIdle = time.Hour

// leftover is an unfinished file or folder.
type leftover struct {
	path     string
	bytes    int64
	modified time.Time // for a folder, the latest of it and its entries
}

func (l leftover) String() string {
	return fmt.Sprintf("%s (%d bytes, written until %s)", l.path, l.bytes, l.modified.UTC().Format(time.RFC3339))
}

// findLeftovers returns the unfinished files in the folder of the store, in d.Folders, among
// the temporary files, and anywhere in the vaults, sorted by path: those that a command may be writing, or
// the others. It skips folders that it cannot read.
func (d Doctor) findLeftovers(ctx context.Context, mayBeInUse bool) (leftovers []leftover, err error) {
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
	paths := namedIn(os.TempDir(), func(e fs.DirEntry) bool { return temporary.MatchString(e.Name()) })
	for _, folder := range append([]string{filepath.Dir(d.DB.Path())}, d.Folders...) {
		paths = append(paths, namedIn(folder, isUnfinished)...)
	}
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
			case isUnfinished(e):
				paths = append(paths, path)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	slices.Sort(paths)
	for _, path := range slices.Compact(paths) {
		if l := measure(path); time.Since(l.modified) < maxIdle == mayBeInUse {
			leftovers = append(leftovers, l)
		}
	}
	return leftovers, nil
}

func isUnfinished(e fs.DirEntry) bool {
	return e.Type().IsRegular() && unfinished.MatchString(e.Name())
}

// namedIn returns the absolute paths of the files and folders of a folder that is reports to be wanted, but no
// symbolic links.
func namedIn(folder string, is func(e fs.DirEntry) bool) (paths []string) {
	entries, _ := os.ReadDir(folder)
	for _, e := range entries {
		if path, err := filepath.Abs(filepath.Join(folder, e.Name())); err == nil && (e.IsDir() || e.Type().IsRegular()) && is(e) {
			paths = append(paths, path)
		}
	}
	return paths
}

// measure returns a leftover with its size and time.
func measure(path string) leftover {
	l := leftover{path: path}
	_ = filepath.WalkDir(path, func(_ string, e fs.DirEntry, err error) error { // what cannot be read is not counted
		if err != nil {
			return nil
		}
		info, err := e.Info()
		if err != nil {
			return nil
		}
		if info.Mode().IsRegular() {
			l.bytes += info.Size()
		}
		if info.ModTime().After(l.modified) {
			l.modified = info.ModTime()
		}
		return nil
	})
	return l
}

// examineUnfinished lists the leftovers that no command is writing.
func examineUnfinished(ctx context.Context, d Doctor) (problems []string, err error) {
	all, err := d.findLeftovers(ctx, false)
	for _, l := range all {
		problems = append(problems, "a killed command left "+l.String())
	}
	return problems, err
}

// noteUnfinished lists the leftovers that a command may be writing now.
func noteUnfinished(ctx context.Context, d Doctor) (notes []string, err error) {
	all, err := d.findLeftovers(ctx, true)
	for _, l := range all {
		notes = append(notes, "a command is writing "+l.String()+", or was killed; hence doctor --fix removes it once it is an hour old")
	}
	return notes, err
}

// fixUnfinished removes the leftovers that no command is writing.
func fixUnfinished(ctx context.Context, d Doctor) error {
	all, err := d.findLeftovers(ctx, false)
	if err != nil {
		return err
	}
	for _, l := range all {
		if err := os.RemoveAll(l.path); err != nil && !os.IsPermission(err) {
			return fault.Wrap(fault.Unavailable, err, "doctor: %s cannot be removed", l.path)
		}
	}
	return nil
}
