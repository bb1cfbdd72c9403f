package exchange

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/plural"
)

// teamPath returns the path of a new file: the title, and the end of the id. It stays
// the same when the title changes.
func teamPath(m memoryLine, used map[string]bool) string {
	const most = 60
	var slug strings.Builder
	for _, c := range strings.ToLower(m.Title) {
		switch {
		case slug.Len() >= most:
		case unicode.IsLetter(c) || unicode.IsDigit(c):
			slug.WriteRune(c)
		case slug.Len() > 0 && !strings.HasSuffix(slug.String(), "-"):
			slug.WriteByte('-')
		}
	}
	end := db.Hash(m.ID)[:8]
	if id := m.ID; len(id) == len("01890000-0000-7000-8000-000000000000") {
		end = id[len(id)-8:]
	}
	name := strings.Trim(strings.Trim(slug.String(), "-")+"-"+end, "-") + ".md"
	if used[name] {
		name = db.Hash(m.ID)[:16] + ".md"
	}
	return name
}

// write writes the files that differ.
func (t *team) write() error {
	for name, text := range t.want {
		if before, there := t.files[name]; !there || !bytes.Equal(before, text) {
			t.done.Written = append(t.done.Written, name)
		}
	}
	for name := range t.files {
		id := t.owner[name]
		_, wanted := t.want[name]
		_, withdrawn := t.withdrawn[id]
		// A file that was not merged, or is of a memory that was refused, stays.
		if !wanted && (withdrawn || t.purged[id] || t.paths[id] != name && !t.out[id]) {
			t.done.Removed = append(t.done.Removed, name)
		}
	}
	slices.Sort(t.done.Written)
	slices.Sort(t.done.Removed)
	differ := len(t.done.Written)+len(t.done.Removed) > 0
	t.done.Waits = differ && !t.args.First && !t.args.DryRun
	switch {
	case !differ || t.args.DryRun || t.done.Waits:
		return nil
	case t.store.DB.ReadOnly():
		return fault.New(fault.ReadOnly, "sync %s: %s would be written; leave --read-only out, or say --dry-run", t.args.Dir, plural.Count(len(t.done.Written)+len(t.done.Removed), "file", "files"))
	}
	if err := os.MkdirAll(t.args.Dir, 0o755); err != nil {
		return fault.Wrap(fault.Unavailable, err, "sync %s: the folder cannot be made", t.args.Dir)
	}
	root, err := os.OpenRoot(t.args.Dir)
	if err != nil {
		return fault.Wrap(fault.Unavailable, err, "sync %s: the folder cannot be written", t.args.Dir)
	}
	defer root.Close()
	for _, name := range t.done.Written {
		const temp = ".hence-writing"
		if err := errors.Join(root.WriteFile(temp, t.want[name], 0o644), root.Rename(temp, filepath.FromSlash(name))); err != nil {
			return fault.Wrap(fault.Unavailable, err, "sync %s: %s cannot be written", t.args.Dir, name)
		}
	}
	for _, name := range t.done.Removed {
		if err := root.Remove(filepath.FromSlash(name)); err != nil {
			return fault.Wrap(fault.Unavailable, err, "sync %s: %s cannot be removed", t.args.Dir, name)
		}
	}
	return nil
}
