package team

import (
	"bytes"
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/plural"
	"hence/internal/ref"
	"hence/internal/secret"
	"hence/memory/exchange/lines"
)

// The files of a folder besides those of memories and scopeName.
const (
	removedName    = "removed.jsonl"
	attributesName = ".gitattributes"
	attributes     = "*.md -text\nremoved.jsonl -text merge=union\n"
)

// compose fills t.want with the files that the folder shall have.
func (t *team) compose(ctx context.Context) error {
	t.want = map[string][]byte{attributesName: addMissingLines(t.files[attributesName], attributes), scopeName: []byte(db.JSON(t.scope) + "\n")}
	memories := []lines.Memory{}
	return t.store.DB.Read(ctx, func(r *db.Reader) error {
		if err := t.withdraw(ctx, r); err != nil {
			return err
		}
		names := map[string]ref.Named{}
		err := db.Each(ctx, r, func(row *sql.Rows) error {
			m, err := lines.ScanMemory(row)
			if err != nil {
				return err
			}
			if _, isInFolder := t.pathByID[m.ID]; m.ForgottenAt != "" && !isInFolder {
				return nil
			}
			if t.isWithdrawn(m) || t.refuseSecret(m, string(textOf(m, nil))) {
				return nil
			}
			names[m.ID] = m.Named()
			memories = append(memories, m)
			return nil
		}, lines.MemoryColumns+`
from memories m
where `+inScope+`
order by m.id`, t.scope.Namespace, t.scope.Project)
		if err != nil {
			return err
		}
		links, err := t.composeLinks(ctx, r, names)
		if err != nil {
			return err
		}
		usedPaths := map[string]bool{}
		for _, path := range t.pathByID {
			usedPaths[path] = true
		}
		for _, m := range memories {
			path, isKnown := t.pathByID[m.ID]
			if !isKnown {
				path = pathOf(m, usedPaths)
				usedPaths[path] = true
			}
			if t.foreignFiles[path] {
				t.done.Merged.Warnings = lines.Warn(t.done.Merged.Warnings, path+" does not begin with ---, and is not overwritten; mend or remove it")
				continue
			}
			t.want[path] = textOf(m, links[m.ID])
		}
		return t.composeRemoved(ctx, r, names)
	})
}

// composeLinks returns the links of each memory of the folder by its id. names
// holds the names of these memories by id.
func (t *team) composeLinks(ctx context.Context, r *db.Reader, names map[string]ref.Named) (map[string][]link, error) {
	links := map[string][]link{}
	err := db.Each(ctx, r, func(row *sql.Rows) error {
		e, err := lines.ScanEdge(row)
		if _, isInFolder := names[e.From]; err != nil || !isInFolder || !e.IsDeclared() {
			return err
		}
		if _, isInFolder := names[e.To]; !isInFolder && e.ToURI == "" {
			return nil
		}
		link := link{Edge: e, Title: names[e.To].Title}
		if hits := secret.Find(db.JSON(link)); len(hits) > 0 {
			t.done.Refused = append(t.done.Refused, fmt.Sprintf("%s: its link to %s looks like a secret (%s)", lines.TitleOf(names[e.From]), lines.TitleOf(names[e.To]), hits[0].Kind))
			return nil
		}
		links[e.From] = append(links[e.From], link)
		return nil
	}, lines.SelectEdges, t.scope.Namespace)
	return links, err
}

// composeRemoved composes the file of removals and withdrawals. names holds the folder's
// memories.
func (t *team) composeRemoved(ctx context.Context, r *db.Reader, names map[string]ref.Named) error {
	all, err := db.Select(ctx, r, lines.ScanRemoved, lines.SelectRemoved, t.scope.Namespace)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	t.purged = map[string]bool{}
	for _, l := range all {
		t.purged[l.ID] = t.purged[l.ID] || l.Type == lines.TypePurged
		_, from := names[l.From]
		_, to := names[l.To]
		_, purged := t.pathByID[l.ID]
		if l.Type == lines.TypeUnlinked && from && (to || l.ToURI != "") || l.Type == lines.TypePurged && (purged || slices.Contains(t.ids, l.ID)) {
			l.Namespace = ""
			out.WriteString(db.JSON(l) + "\n")
		}
	}
	for _, id := range slices.Sorted(maps.Keys(t.withdrawn)) {
		out.WriteString(db.JSON(lines.Removed{Type: lines.TypeWithdrawn, ID: id, At: t.withdrawn[id]}) + "\n")
	}
	if out.Len() > 0 {
		t.want[removedName] = out.Bytes()
	}
	return nil
}

// withdraw marks the folder's memories that are personal here now as withdrawn. Other
// people who have them keep them in their stores, but do not write them again.
func (t *team) withdraw(ctx context.Context, r *db.Reader) error {
	return db.Each(ctx, r, func(row *sql.Rows) error {
		var n ref.Named
		var at string
		err := row.Scan(&n.ID, &n.Title, &n.Trust, &at)
		t.withdrawn[n.ID] = max(t.withdrawn[n.ID], at)
		t.done.Withdrawn = append(t.done.Withdrawn, lines.TitleOf(n))
		return err
	}, `
select
  m.id,
  m.title,
  `+ref.TrustOf("m")+`,
  m.updated_at
from json_each(?1) j
join memories m on m.id = j.value
where m.namespace = ?2
  and `+isPersonal+`
order by m.id`, db.List(slices.Sorted(maps.Keys(t.pathByID))), t.scope.Namespace)
}

// isWithdrawn reports whether a memory stays out of the folder because somebody withdrew
// it. If its property private was changed after that, the withdrawal is dropped.
func (t *team) isWithdrawn(m lines.Memory) bool {
	withdrawnAt, isKnown := t.withdrawn[m.ID]
	for field, stamps := range m.Changed {
		if isKnown && strings.EqualFold(field, lines.PropertyField+"private") && lines.TimeOf(stamps[0]) > withdrawnAt {
			delete(t.withdrawn, m.ID)
			return false
		}
	}
	return isKnown
}

// refuseSecret reports whether the file of a memory seems to contain a secret. If so, it adds
// the place to t.done.Refused: the line of the text, or the field.
func (t *team) refuseSecret(m lines.Memory, file string) bool {
	hits := secret.Find(file)
	if len(hits) == 0 {
		return false
	}
	prefix := file[:hits[0].Start]
	place := ""
	if front, content, inText := strings.Cut(prefix, "\n---\n"); inText {
		place = fmt.Sprint("line ", strings.Count(content, "\n")+1)
	} else {
		lines := strings.Split(front, "\n")
		for n := len(lines) - 1; n > 0 && (place == "" || strings.HasPrefix(place, " ")); n-- {
			place, _, _ = strings.Cut(lines[n], ":")
		}
	}
	t.done.Refused = append(t.done.Refused, fmt.Sprintf("%s: %s looks like a secret (%s)", lines.TitleOf(m.Named()), place, hits[0].Kind))
	return true
}

// addMissingLines returns a text with the lines appended that it lacks, because a folder may have
// lines of its own.
func addMissingLines(text []byte, lines string) []byte {
	present := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		present[strings.TrimSpace(line)] = true
	}
	for line := range strings.Lines(lines) {
		if present[strings.TrimSpace(line)] {
			continue
		}
		if len(text) > 0 && !bytes.HasSuffix(text, []byte("\n")) {
			text = append(text, '\n')
		}
		text = append(text, line...)
	}
	return text
}

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
	case t.readOnly:
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
