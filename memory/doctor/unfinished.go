package doctor

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hence/internal/fault"
	"hence/internal/lists"
	"hence/internal/pattern"
	"hence/internal/permit"
)

// unfinished matches the names of unfinished files. A command writes a backup, an export or
// a note under such a name beside its final path, and renames it when it is complete. A
// command that is killed leaves the file behind.
var unfinished = pattern.Lazy(`^\.hence-(backup-[0-9]+(-wal|-shm|-journal)?|export-[0-9]+|[a-z2-7]{26}\.tmp)$`)

// maxIdle is the time since the last write during which a command may still be writing a file.
const maxIdle = time.Hour

// leftover is an unfinished file.
type leftover struct {
	path     string
	bytes    int64
	modified time.Time
}

func (l leftover) String() string {
	return fmt.Sprintf("%s (%d bytes, written until %s)", l.path, l.bytes, l.modified.UTC().Format(time.RFC3339))
}

// findLeftovers returns the unfinished files in the folder of the store, in d.Folders, and anywhere in the vaults, sorted by
// path: those that a command may be writing, or the others. It skips folders that it cannot read, and symbolic links.
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
	paths := []string{}
	for _, folder := range append([]string{filepath.Dir(d.DB.Path())}, d.Folders...) {
		entries, _ := os.ReadDir(folder)
		for _, e := range entries {
			if path, err := filepath.Abs(filepath.Join(folder, e.Name())); err == nil && isUnfinished(e) {
				paths = append(paths, path)
			}
		}
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
		if info, err := os.Lstat(path); err == nil && time.Since(info.ModTime()) < maxIdle == mayBeInUse {
			leftovers = append(leftovers, leftover{path, info.Size(), info.ModTime()})
		}
	}
	return leftovers, nil
}

func isUnfinished(e fs.DirEntry) bool {
	return e.Type().IsRegular() && unfinished().MatchString(e.Name())
}

// examineUnfinished lists the leftovers that no command is writing.
func examineUnfinished(ctx context.Context, d Doctor) ([]string, error) {
	all, err := d.findLeftovers(ctx, false)
	return lists.Map(all, func(l leftover) string { return "a killed command left " + l.String() }), err
}

// noteUnfinished lists the leftovers that a command may be writing now.
func noteUnfinished(ctx context.Context, d Doctor) ([]string, error) {
	all, err := d.findLeftovers(ctx, true)
	return lists.Map(all, func(l leftover) string {
		return "a command is writing " + l.String() + ", or was killed; hence doctor --fix removes it once it is an hour old"
	}), err
}

// fixUnfinished removes the leftovers that no command is writing.
func fixUnfinished(ctx context.Context, d Doctor) error {
	all, err := d.findLeftovers(ctx, false)
	if err != nil {
		return err
	}
	for _, l := range all {
		if err := os.Remove(l.path); err != nil && !os.IsPermission(err) {
			return fault.Wrap(fault.Unavailable, err, "doctor: %s cannot be removed", l.path)
		}
	}
	return nil
}
