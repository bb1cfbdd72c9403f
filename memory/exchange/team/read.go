package team

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"hence/edges"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/internal/secret"
	"hence/memory"
	"hence/memory/exchange/lines"
)

// Files holds the contents of a team's files at one time, by their paths in the folder.
type Files map[string][]byte

// IsFile reports whether Hence reads and writes the file of this path in a team's folder.
func IsFile(name string) bool {
	return filepath.Ext(name) == ".md" || slices.Contains([]string{removedName, attributesName, scopeName}, name)
}

// secrets returns the places of likely secrets in the files: file, line, kind of secret.
func (f Files) secrets() []string {
	all := []string{}
	for _, name := range slices.Sorted(maps.Keys(f)) {
		text := string(f[name])
		for _, hit := range secret.Find(text) {
			all = append(all, fmt.Sprintf("%s: line %d looks like a secret (%s)", name, 1+strings.Count(text[:hit.Start], "\n"), hit.Kind))
		}
	}
	return all
}

// ReadFolder reads the files of a folder. A missing folder has none. It
// refuses a folder that is a symbolic link, because git stores the link and not its files.
func ReadFolder(dir string) (Files, error) {
	if info, err := os.Lstat(dir); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		to, _ := filepath.EvalSymlinks(dir)
		return nil, fault.New(fault.InvalidArgument, "sync %s: it is a symbolic link; name the folder itself, %s", dir, to)
	}
	files := Files{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			return err
		}
		name, err := filepath.Rel(dir, path)
		if name = filepath.ToSlash(name); err != nil || !IsFile(name) {
			return err
		}
		files[name], err = os.ReadFile(path)
		return err
	})
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, err, "sync %s: the folder cannot be read", dir)
	}
	return files, nil
}

// readFiles parses the files into t. Its error names the files that cannot be read.
func (t *team) readFiles(files Files) error {
	t.files = maps.Clone(files)
	problems := []string{}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		var err error
		switch name {
		case removedName:
			err = t.readRemoved(string(files[name]))
		case scopeName:
			err = t.takeScope(files[name])
		case attributesName:
		default:
			if t.isKnown(name) {
				t.nameFile(name, idAtTop(files[name]))
				continue
			}
			err = t.readFile(name, string(files[name]))
		}
		if err != nil {
			problems = append(problems, fmt.Sprintf("%s: %v", name, err))
		}
	}
	if len(problems) > 0 {
		return fault.New(fault.InvalidArgument, "%s %s: nothing was merged; %s", t.action, t.args.Dir, strings.Join(problems[:min(len(problems), lines.MaxSaid)], "; ")).With("files", problems)
	}
	return nil
}

// readNames reads what the names of files depend on: the ids at the top of memories' files, and
// the withdrawals. readFiles reports what is wrong with a file.
func (t *team) readNames(files Files) {
	t.files = files
	_ = t.readRemoved(string(files[removedName]))
	for name, text := range files {
		if id := idAtTop(text); id != "" {
			t.nameFile(name, id)
		}
	}
}

// isKnown reports whether a file is as the store would write it.
func (t *team) isKnown(name string) bool {
	known, isWanted := t.known[name]
	return isWanted && bytes.Equal(t.files[name], known)
}

// idAtTop returns the id of the memory in a file that Hence wrote.
func idAtTop(text []byte) (id string) {
	top, _, _ := bytes.Cut(text, []byte("\ntitle: "))
	if raw, ok := bytes.CutPrefix(top, []byte("---\nid: ")); ok {
		_ = json.Unmarshal(raw, &id) // "" if it is not a text
	}
	return id
}

// nameFile notes that a file is of the memory with an id.
func (t *team) nameFile(name, id string) {
	if other, isKnown := t.pathByID[id]; !isKnown || name < other {
		t.pathByID[id] = name
	}
	t.ids, t.idByPath[name] = append(t.ids, id), id
}

// readFile parses the versions of a memory's file. A Markdown file of something else, such
// as a README, is noted in t.foreignFiles.
func (t *team) readFile(name, text string) error {
	texts := sidesOf(text)
	for n, text := range texts { // an editor may have added a byte order mark or changed the line ends
		text = strings.TrimPrefix(text, "\uFEFF")
		if strings.HasPrefix(text, "---\r\n") {
			text = strings.ReplaceAll(text, "\r\n", "\n")
		}
		texts[n] = text
	}
	if !slices.ContainsFunc(texts, isMemoryFile) {
		t.foreignFiles[name] = true
		delete(t.files, name)
		return nil
	}
	f := memoryFile{name: name}
	for _, text := range texts {
		s, err := t.readSide(text)
		if err != nil {
			return err
		}
		f.sides = append(f.sides, s)
		t.nameFile(name, s.ID)
	}
	if len(f.sides) > 1 {
		t.done.Marks = append(t.done.Marks, name)
	}
	if err := stampSides(f.sides); err != nil {
		return err
	}
	for n := range f.sides { // again, because stampSides may have set other values
		if err := t.reader().FillMemory(&f.sides[n].Memory, nil); err != nil {
			return err
		}
	}
	t.memoryFiles = append(t.memoryFiles, f)
	return nil
}

// readSide parses a version of a file as a memory in the folder's scope, with its edges.
func (t *team) readSide(text string) (s side, err error) {
	if !utf8.ValidString(text) {
		return s, errors.New("it is not valid UTF-8")
	}
	r := t.reader()
	if s, err = readText(text, r.Blank()); err != nil {
		return s, err
	}
	if tag := ref.ProjectPrefix + t.args.Project; t.args.Project != "" && !slices.Contains(s.Tags, tag) {
		s.Tags = append(s.Tags, tag)
	}
	if s.ForgottenAt != "" {
		s.Status = memory.Forgotten
	}
	if err := r.FillMemory(&s.Memory, []byte(text)); err != nil {
		return s, err
	}
	s.changedAt = s.LastChange()
	for _, l := range s.links {
		if l.CreatedAt == "" { // a link added by hand gets the time of such an edit
			l.CreatedAt = lines.TimeOf(stampAfter(s.changedAt, ""))
		}
		e := l.Edge
		e.From = s.ID
		if err := r.FillEdge(&e, []byte(s.ID+db.JSON(l))); err != nil {
			return s, fmt.Errorf("the link to %s: %w", cmp.Or(l.Title, l.To), err)
		}
		if !edges.Kind(e.Kind).RestsOn() { // somebody changed its type
			e.Basis = ""
		}
		s.edges = append(s.edges, e)
	}
	return s, nil
}

// reader returns a reader that puts records into the folder's namespace.
func (t *team) reader() lines.Reader {
	return lines.Reader{Namespace: t.store.Caller.Namespace, Actor: t.store.Caller.Actor, Now: t.now}
}

// readRemoved parses the file of removals and withdrawals. It skips conflict marks, because
// the lines of both sides apply.
func (t *team) readRemoved(text string) error {
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || isConflictMark(line) || isConflictMark(line+" ") {
			continue
		}
		var l lines.Removed
		err := json.Unmarshal([]byte(line), &l)
		switch {
		case err != nil:
		case !slices.Contains([]string{lines.TypeUnlinked, lines.TypePurged, lines.TypeWithdrawn}, l.Type):
			err = fmt.Errorf("%q is not a type of line", l.Type)
		default:
			err = t.reader().FillRemoved(&l)
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", n, lines.RewordJSONError(err))
		}
		if l.Type == lines.TypeWithdrawn {
			t.withdrawn[l.ID] = max(t.withdrawn[l.ID], l.At)
			continue
		}
		t.removed = append(t.removed, l)
		t.ids = append(t.ids, l.ID)
	}
	return nil
}

// takeScope parses the folder's scope. It fails if t.requireScope and t has another scope.
func (t *team) takeScope(text []byte) error {
	scope, err := parseScope(text)
	switch {
	case err != nil:
		return err
	case t.requireScope && scope != t.scope:
		return fmt.Errorf("the folder keeps memories of %s, not of %s; leave --project and --namespace out", scope.Words(), t.scope.Words())
	}
	t.scope = scope
	return nil
}
