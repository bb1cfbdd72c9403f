package team

import (
	"bytes"
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/plural"
	"hence/memory/exchange/lines"
)

// pathOf returns a path for the file of a new memory that is not in used: the title, and
// the end of the id. A memory keeps its path when the title changes.
func pathOf(m lines.Memory, usedPaths map[string]bool) string {
	const maxSlug = 60
	var slug strings.Builder
	for _, c := range strings.ToLower(m.Title) {
		switch {
		case slug.Len() >= maxSlug:
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
	if usedPaths[name] {
		name = db.Hash(m.ID)[:16] + ".md"
	}
	return name
}

// write writes the files that differ from t.want and removes those that no longer belong to
// the folder. It writes nothing in a dry run, or unless First is set.
func (t *team) write() error {
	for name, text := range t.want {
		if old, isThere := t.files[name]; !isThere || !bytes.Equal(old, text) {
			t.done.Written = append(t.done.Written, name)
		}
	}
	for name := range t.files {
		id := t.idByPath[name]
		_, isWanted := t.want[name]
		_, isWithdrawn := t.withdrawn[id]
		// A file that was not merged stays, and so does the file of a refused memory.
		if !isWanted && (isWithdrawn || t.purged[id] || t.pathByID[id] != name && !t.excluded[id]) {
			t.done.Removed = append(t.done.Removed, name)
		}
	}
	slices.Sort(t.done.Written)
	slices.Sort(t.done.Removed)
	hasChanges := len(t.done.Written)+len(t.done.Removed) > 0
	t.done.Waits = hasChanges && !t.args.First && !t.args.DryRun
	switch {
	case !hasChanges || t.args.DryRun || t.done.Waits:
		return nil
	case t.store.DB.ReadOnly():
		return fault.New(fault.ReadOnly, "sync %s: %s would be written; leave --read-only out, or add --dry-run", t.args.Dir, plural.Count(len(t.done.Written)+len(t.done.Removed), "file", "files"))
	}
	if err := os.MkdirAll(t.args.Dir, 0o755); err != nil {
		return fault.Wrap(fault.Unavailable, err, "sync %s: the folder cannot be created", t.args.Dir)
	}
	root, err := os.OpenRoot(t.args.Dir)
	if err != nil {
		return fault.Wrap(fault.Unavailable, err, "sync %s: the folder cannot be written", t.args.Dir)
	}
	defer root.Close()
	for _, name := range t.done.Written {
		if err := replaceFile(root, filepath.FromSlash(name), t.want[name]); err != nil {
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

// replaceFile writes a file beside its place and renames it there. The name is random and the
// file must be new, so that no link is followed and no other process writes the same one. A
// file that is left behind has a name that hence doctor knows.
func replaceFile(root *os.Root, name string, text []byte) error {
	temp := ".hence-" + strings.ToLower(rand.Text()) + ".tmp"
	f, err := root.OpenFile(temp, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err == nil {
		err = root.Rename(temp, name)
	}
	if err != nil {
		err = errors.Join(err, root.Remove(temp))
	}
	return err
}
