package clients

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hence/internal/db"
	"hence/internal/permit"
)

// record describes the changes that Hence made in a file, so that a removal restores every
// byte, even a missing line break at the end. It has the changed places only, not the rest
// of the file.
type record struct {
	File    string     `json:"file"`
	New     bool       `json:"new"`     // Hence made the file
	Folders []string   `json:"folders"` // folders that were made for the file, inner ones first
	Made    [][]string `json:"made"`    // paths of objects and lists of JSON that were made
	Hunks   []hunk     `json:"hunks"`   // in the order of the changes
	Sum     string     `json:"sum"`     // SHA-256 of the file as it was written
	Had     []string   `json:"had"`     // parts that the file had before, and that a removal leaves
	Owners  []string   `json:"owners"`  // for a file outside of the project: the projects that asked for it, and forUser

	moved string // the record itself, if it is of the path from which the file was moved
}

// forUser stands for the user among the owners of a record.
const forUser = "--user"

// owner returns for whom a file is written: forUser, a project, or "" for a file within the
// project.
func (t *target) owner(p Places, w Wish) string {
	switch {
	case w.User:
		return forUser
	case isWithin(p.Project, t.file):
		return ""
	}
	return p.Project
}

// share adds an owner, and reports whether it was not one before.
func (r *record) share(owner string) bool {
	if owner == "" || slices.Contains(r.Owners, owner) {
		return false
	}
	r.Owners = append(r.Owners, owner)
	return true
}

// hunk is a change of a text: New replaced Old at the byte offset At.
type hunk struct {
	At  int    `json:"at"`
	Old string `json:"old"`
	New string `json:"new"`
}

// difference returns the one hunk that turns a text into another.
func difference(before, after string) hunk {
	start := 0
	for start < min(len(before), len(after)) && before[start] == after[start] {
		start++
	}
	end := 0
	for end < min(len(before), len(after))-start && before[len(before)-1-end] == after[len(after)-1-end] {
		end++
	}
	return hunk{start, before[start : len(before)-end], after[start : len(after)-end]}
}

// takeBack undoes hunks in a text, the last one first. If the text was edited since, it only
// undoes a hunk whose new text has the name hence and is found in one place.
func takeBack(text string, hunks []hunk, edited bool) string {
	for _, h := range slices.Backward(hunks) {
		at := h.At
		if edited || !strings.HasPrefix(text[min(at, len(text)):], h.New) {
			if !strings.Contains(h.New, name) || strings.Count(text, h.New) != 1 {
				continue
			}
			at = strings.Index(text, h.New)
		}
		rest := text[at+len(h.New):]
		if edited && at > 0 && rest != "" && strings.HasSuffix(h.New, "\n") && !strings.HasSuffix(h.Old, "\n") {
			rest = lineBreak(text) + rest // it was the end of the file, and somebody has added text after it
		}
		text = text[:at] + h.Old + rest
	}
	return text
}

// recordOf returns the path of the record of a file.
func recordOf(p Places, real string) string {
	return filepath.Join(p.State, "init", db.Hash(real)[:32]+".json")
}

// readRecord returns the record of a file with a content; nil if there is none. A file may have been moved with its project.
func readRecord(p Places, real, content string) (*record, error) {
	text, err := os.ReadFile(recordOf(p, real))
	if errors.Is(err, fs.ErrNotExist) {
		return movedRecord(p, real, content), nil
	}
	if err != nil {
		return nil, err
	}
	r := record{}
	if err := json.Unmarshal(text, &r); err != nil || r.File != real {
		return nil, nil // a damaged record is ignored: the entries are found by their form
	}
	return &r, nil
}

// movedRecord returns the record of a file that was moved after it was written and has not been edited since. It returns nil
// if no record fits, or if several fit that differ.
func movedRecord(p Places, real, content string) (found *record) {
	folder := filepath.Dir(recordOf(p, real))
	all, _ := os.ReadDir(folder) // none if it cannot be read
	for _, entry := range all {
		var r record
		file := filepath.Join(folder, entry.Name())
		text, err := os.ReadFile(file)
		if err != nil || json.Unmarshal(text, &r) != nil || r.Sum != db.Hash(content) || filepath.Base(r.File) != filepath.Base(real) || exists(r.File) {
			continue
		}
		if found != nil && (found.New != r.New || !slices.Equal(found.Hunks, r.Hunks)) {
			return nil
		}
		folder := filepath.Dir(real)
		for i, made := range r.Folders {
			if filepath.Base(made) != filepath.Base(folder) {
				r.Folders = r.Folders[:i]
				break
			}
			r.Folders[i], folder = folder, filepath.Dir(folder)
		}
		r.File, r.moved, found = real, file, &r
	}
	return found
}

func (r record) write(p Places) error {
	file := recordOf(p, r.File)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return permit.Replace(file, []byte(db.List(r)), 0o600)
}
