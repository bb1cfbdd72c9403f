package exchange

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hence/internal/db"
	"hence/internal/fault"
)

// TeamFiles are the files of a team's folder as they were at one time, by their paths in
// it.
type TeamFiles map[string][]byte

// IsTeamFile reports whether a path in a team's folder is that of a file of Hence.
func IsTeamFile(name string) bool {
	return filepath.Ext(name) == ".md" || name == removedName || name == attributesName
}

// ReadTeamFolder reads the files of a folder; none if there is no such folder.
func ReadTeamFolder(dir string) (TeamFiles, error) {
	files := TeamFiles{}
	err := eachTeamFile(dir, func(name, path string, _ fs.DirEntry) (err error) {
		files[name], err = os.ReadFile(path)
		return err
	})
	return files, err
}

// eachTeamFile calls f with every file of a folder, in the order of their paths.
func eachTeamFile(dir string, f func(name, path string, d fs.DirEntry) error) error {
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			return err
		}
		name, err := filepath.Rel(dir, path)
		if name = filepath.ToSlash(name); err != nil || !IsTeamFile(name) {
			return err
		}
		return f(name, path, d)
	})
	if err != nil {
		return fault.Wrap(fault.Unavailable, err, "sync %s: the folder cannot be read", dir)
	}
	return nil
}

// read reads what files say.
func (t *team) read(files TeamFiles) error {
	t.files = maps.Clone(files)
	wrong := []string{}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		var err error
		switch name {
		case removedName:
			err = t.readRemoved(string(files[name]))
		case attributesName:
		default:
			err = t.readFile(name, string(files[name]))
		}
		if err != nil {
			wrong = append(wrong, fmt.Sprintf("%s: %v", name, err))
		}
	}
	if len(wrong) > 0 {
		return fault.New(fault.InvalidArgument, "%s %s: nothing was merged; %s", t.doing, t.args.Dir, strings.Join(wrong[:min(len(wrong), maxSaid)], "; ")).With("files", wrong)
	}
	return nil
}

// readFile reads the sides of a file. A README beside the memories is not one.
func (t *team) readFile(name, text string) error {
	if !strings.HasPrefix(strings.TrimPrefix(text, "\uFEFF"), "---\n") {
		delete(t.files, name)
		return nil
	}
	sides := []teamSide{}
	for _, side := range sidesOf(text) {
		s, err := readTeamText(side)
		if err != nil {
			return err
		}
		sides = append(sides, s)
	}
	if len(sides) > 1 {
		t.done.Marks = append(t.done.Marks, name)
	}
	stampSides(sides, db.Now())
	for _, s := range sides {
		m := s.memoryLine
		m.Namespace = t.store.Caller.Namespace
		if tag := "project/" + t.args.Project; t.args.Project != "" && !slices.Contains(m.Tags, tag) {
			m.Tags = append(m.Tags, tag)
		}
		if other, known := t.paths[m.ID]; !known || name < other {
			t.paths[m.ID] = name
		}
		t.ids, t.owner[name] = append(t.ids, m.ID), m.ID
		t.lines = append(t.lines, m)
		for _, l := range s.links {
			t.lines = append(t.lines, edgeLine{
				Type: typeEdge, ID: l.ID, From: m.ID, To: l.To, EdgeType: l.Type, Rel: l.Rel, Weight: l.Weight, Origin: l.Origin,
				Actor: new(l.By), Note: l.Note, ValidFrom: l.ValidFrom, ValidTo: l.ValidTo, CreatedAt: l.Created, Sites: []site{},
				Basis: l.Basis, ToURI: l.ToURI, Unsettled: l.Unsettled, Changed: l.Changed,
			})
		}
	}
	return nil
}

func (t *team) readRemoved(text string) error {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || isMark(line) || isMark(line+" ") {
			continue
		}
		var l removedLine
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			return plainly(err)
		}
		l.Namespace = t.store.Caller.Namespace
		t.lines = append(t.lines, l)
		t.ids = append(t.ids, l.ID)
	}
	return nil
}
