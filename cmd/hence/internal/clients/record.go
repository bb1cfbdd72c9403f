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
)

// A record says what was changed in a file, so that it can be taken out again to the
// byte: also what cannot be told from the file, such as a missing line break at its
// end. It has the changed places only, not the rest of the file.
type record struct {
	File    string     `json:"file"`
	New     bool       `json:"new"`     // there was no file
	Folders []string   `json:"folders"` // that were made for it, the inner ones first
	Made    [][]string `json:"made"`    // objects and lists of JSON that were made
	Hunks   []hunk     `json:"hunks"`   // in the order of the changes
	Sum     string     `json:"sum"`     // SHA-256 of the file as it was written
	Owners  []string   `json:"owners"`  // of a file of the user's: the projects that asked for it, and forUser
}

// forUser stands for the user among the owners of a record.
const forUser = "--user"

// owner says for whom a file is written: "" for a file of the project itself.
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

// hunk is a place in a text that was changed.
type hunk struct {
	At  int    `json:"at"`
	Old string `json:"old"`
	New string `json:"new"`
}

// difference returns the place that differs between two texts.
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

// takeBack undoes hunks in a text. Where the text was edited since, those count that
// are found in one place only and that speak of Hence; the others are left out.
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
			rest = lineBreak(text) + rest // it was the end of the file, and somebody went on behind it
		}
		text = text[:at] + h.Old + rest
	}
	return text
}

// recordOf is the file with the record of another file.
func recordOf(p Places, real string) string {
	return filepath.Join(p.State, "init", db.Hash(real)[:32]+".json")
}

// readRecord returns the record of a file; nil if there is none.
func readRecord(p Places, real string) (*record, error) {
	text, err := os.ReadFile(recordOf(p, real))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	r := record{}
	if err := json.Unmarshal(text, &r); err != nil || r.File != real {
		return nil, nil // what is damaged tells nothing: the entries are found by their form
	}
	return &r, nil
}

func (r record) write(p Places) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	file := recordOf(p, r.File)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return replace(file, text, 0o600)
}
