package clients

import (
	"cmp"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/permit"
)

// Change says what was done to a file, or what would be done.
type Change struct {
	File    string   `json:"file"`
	Clients []string `json:"clients"`
	What    []string `json:"what"` // server, hooks, instructions
	State   State    `json:"state"`
	Problem string   `json:"problem,omitempty"` // why nothing was done
}

// State is the outcome of an action on a file.
type State string

// The outcomes of a change, of a check, and of a removal.
const (
	Made    State = "made"
	Changed State = "changed"
	Same    State = "same"
	Missing State = "missing" // the file does not have the parts of Hence
	Old     State = "old"     // the file has other parts of Hence than it must have
	Cleared State = "cleared" // the parts of Hence were removed
	Removed State = "removed" // the file was deleted: it had nothing else
	Kept    State = "kept"    // other projects, or the user, still need the parts
	Absent  State = "absent"  // there was nothing to remove
	Refused State = "refused"
)

// Present returns the clients that are installed, or configured for the user or the
// project.
func Present(p Places, lookPath func(string) (string, error)) []Client {
	clients := []Client{}
	for _, c := range all() {
		here := slices.ContainsFunc(c.Programs, func(program string) bool { _, err := lookPath(program); return err == nil }) ||
			slices.ContainsFunc(c.Traces, func(at place) bool { return exists(p.path(at)) })
		if here {
			clients = append(clients, c)
		}
	}
	return clients
}

// Do is an action on the files of clients.
type Do int

// The actions.
const (
	Put    Do = iota // write what is missing or old
	Check            // say what is missing or old
	Remove           // take out what Hence wrote
)

// Apply performs an action on the files of clients, or with dry only returns what it would
// do. It leaves a refused file as it is and continues with the others.
func Apply(all []Client, p Places, w Wish, do Do, dry bool) []Change {
	changes, folders := []Change{}, []string{}
	for _, t := range targets(all, p, w) {
		if do == Remove && t.format == asText && neededByOthers(all, p, w) {
			continue
		}
		c := t.change(p, w, do, dry)
		if c.State == Kept && len(t.needing) == 0 {
			c.Problem = "what it has of " + name + " was there before init; remove it by hand"
		} else if c.State == Kept {
			c.Problem = "needed by " + strings.Join(t.needing, ", ") + " too; hence init --user --remove takes it out for all"
		}
		folders = append(folders, t.folders...)
		if do == Remove && c.State == Absent {
			continue
		}
		changes = append(changes, c)
	}
	slices.SortStableFunc(folders, func(a, b string) int { return len(b) - len(a) }) // inner ones first
	for _, folder := range folders {
		_ = os.Remove(folder) // this fails, as it must, if the folder is not empty
	}
	return changes
}

// neededByOthers reports whether a client other than the chosen ones reads the same
// instructions and still has the server in its settings.
func neededByOthers(chosen []Client, p Places, w Wish) bool {
	for _, c := range all() {
		if !c.ReadsInstructions || slices.ContainsFunc(chosen, func(o Client) bool { return o.Name == c.Name }) {
			continue
		}
		if text, err := os.ReadFile(c.server(p, w.User)); err == nil {
			if after, err := c.serverPart(w.Server).cut(string(text)); err == nil && after != string(text) {
				return true
			}
		}
	}
	return false
}

// change applies an action to the file, and returns the outcome.
func (t *target) change(p Places, w Wish, do Do, dry bool) Change {
	names, what := map[string]bool{}, map[string]bool{}
	for _, p := range t.parts {
		names[p.client], what[p.what] = true, true
	}
	c := Change{File: t.file, Clients: slices.Sorted(maps.Keys(names)), What: slices.Sorted(maps.Keys(what))}
	var err error
	if c.State, err = t.apply(p, w, do, dry); err != nil {
		c.State, c.Problem = Refused, err.Error()
	}
	return c
}

func (t *target) apply(p Places, w Wish, do Do, dry bool) (State, error) {
	real, err := t.real(p, w)
	if err != nil {
		return "", err
	}
	content, err := os.ReadFile(real)
	missing := errors.Is(err, fs.ErrNotExist)
	if err != nil && !missing {
		return "", fault.Wrap(fault.Unavailable, err, "%s cannot be read", t.file)
	}
	text, mark, err := splitMark(content)
	if err != nil {
		return "", err
	}
	t.mark = mark
	old, err := readRecord(p, real, text)
	if err != nil {
		return "", fault.Wrap(fault.Unavailable, err, "the record of what was written to %s cannot be read", t.file)
	}
	if do == Remove {
		return t.remove(p, w, real, text, missing, old, dry)
	}
	after, hunks, newHolders, err := t.write(text)
	switch {
	case err != nil:
		return "", err
	case after == text && !missing:
		isNew := false
		if had := t.had(text); old == nil && len(had) > 0 {
			old, isNew = &record{File: real, Had: had, Sum: db.Hash(text)}, true
		}
		if do == Put && !dry && old != nil && (old.share(t.owner(p, w)) || isNew) {
			err = old.write(p)
		}
		return Same, err
	case do == Check && (missing || !t.hasAnyPart(text)):
		return Missing, nil
	case do == Check:
		return Old, nil
	}
	r := record{File: real, New: missing, Made: newHolders, Hunks: hunks, Sum: db.Hash(after), Had: t.had(text)}
	if old != nil {
		r.New, r.Folders, r.Owners, r.Had = old.New, old.Folders, old.Owners, old.Had
		r.Made, r.Hunks = append(old.Made, newHolders...), append(old.Hunks, hunks...)
		if missing { // somebody deleted it
			r.New, r.Made, r.Hunks, r.Had = true, newHolders, hunks, nil
		}
	}
	r.share(t.owner(p, w))
	state := Changed
	if missing {
		state = Made
	}
	if dry {
		return state, nil
	}
	r.Folders = append(missingFolders(filepath.Dir(real)), r.Folders...)
	// The record is written first. After a crash before the file is written, the record
	// describes changes that the file does not have, and a removal ignores these.
	if err := r.write(p); err != nil {
		return "", fault.Wrap(fault.Unavailable, err, "what is to be written to %s cannot be recorded", t.file)
	}
	mode := fs.FileMode(0o644)
	if w.User {
		mode = 0o600
	}
	return state, t.save(real, text, after, missing, mode)
}

func (t *target) remove(p Places, w Wish, real, text string, missing bool, r *record, dry bool) (State, error) {
	forget := func() error {
		switch {
		case r == nil || dry:
			return nil
		case len(r.Had) > 0 && !missing: // the next removal leaves them too
			return record{File: real, Had: r.Had, Sum: db.Hash(text)}.write(p)
		}
		return os.Remove(cmp.Or(r.moved, recordOf(p, real)))
	}
	if missing || r == nil && !w.User && !isWithin(p.Project, t.file) {
		return Absent, forget() // outside of the project, only recorded changes are removed
	}
	if r != nil && !w.User && len(r.Owners) > 0 {
		owner := t.owner(p, w)
		isOwner := slices.Contains(r.Owners, owner)
		r.Owners = slices.DeleteFunc(r.Owners, func(o string) bool { return o == owner })
		for _, o := range r.Owners {
			if o == forUser || exists(o) { // a deleted project needs nothing
				t.needing = append(t.needing, o)
			}
		}
		if len(t.needing) > 0 && (dry || !isOwner) {
			return map[bool]State{true: Kept, false: Absent}[isOwner], nil
		} else if len(t.needing) > 0 {
			return Kept, r.write(p)
		}
	}
	after, err := t.removeOurs(text, r)
	switch {
	case err != nil:
		return "", err
	case after == text && (r == nil && len(t.foreign(text)) > 0 || r != nil && len(r.Had) > 0):
		return Kept, nil
	case after == text && (r == nil || !r.New || !t.isBlank(after)):
		return Absent, forget()
	}
	if r != nil && r.New && t.isBlank(after) || strings.TrimSpace(after) == "" && (r == nil || r.New) {
		if dry {
			return Removed, nil
		}
		if err := os.Remove(real); err != nil {
			return "", fault.Wrap(fault.Unavailable, err, "%s cannot be removed", t.file)
		}
		if r != nil {
			t.folders = r.Folders
		}
		return Removed, forget()
	}
	if dry {
		return Cleared, nil
	}
	if err := t.save(real, text, after, false, 0); err != nil {
		return "", err
	}
	return Cleared, forget()
}

// removeOurs returns a text without the changes of Hence, and with all changes of others.
func (t *target) removeOurs(text string, r *record) (string, error) {
	if r == nil {
		if !t.hasAnyPart(text) {
			return text, nil
		}
		holders := [][]string{}
		for _, p := range t.parts {
			holders = append(holders, p.holders...)
		}
		return t.erase(text, holders, t.foreign(text))
	}
	before := takeBack(text, r.Hunks, r.Sum != db.Hash(text))
	if t.check(text, before) != nil || len(r.Had) == 0 && t.hasAnyPart(before) {
		before = text
	}
	return t.erase(before, r.Made, r.Had)
}

// isBlank reports whether the text of a file that Hence made is empty: white space, or a JSON
// object with no member but version.
func (t *target) isBlank(text string) bool {
	if strings.TrimSpace(text) == "" {
		return true
	}
	if t.format != asJSON {
		return false
	}
	if after, err := cutJSON(text, []string{"version"}); err == nil {
		text = after
	}
	return strings.Join(strings.Fields(text), "") == "{}"
}

// real returns the path of the file with symbolic links resolved. It refuses a link that
// leads out of the project, because the project may be somebody else's.
func (t *target) real(p Places, w Wish) (string, error) {
	info, err := os.Lstat(t.file)
	real, resolved := filepath.EvalSymlinks(t.file)
	switch {
	case err == nil && resolved != nil && info.Mode()&fs.ModeSymlink != 0:
		return "", fault.New(fault.InvalidArgument, "%s is a link that leads nowhere; mend or remove it", t.file)
	case resolved != nil:
		// The file is new: its folder may be a link.
		folder, rest := filepath.Dir(t.file), filepath.Base(t.file)
		for !exists(folder) && folder != filepath.Dir(folder) {
			folder, rest = filepath.Dir(folder), filepath.Join(filepath.Base(folder), rest)
		}
		if folder, err = filepath.EvalSymlinks(folder); err != nil {
			return "", fault.Wrap(fault.Unavailable, err, "the folder of %s cannot be reached", t.file)
		}
		real = filepath.Join(folder, rest)
	}
	root, err := filepath.EvalSymlinks(p.Project)
	if err != nil {
		return "", fault.Wrap(fault.Unavailable, err, "the project cannot be reached")
	}
	if isWithin(p.Project, t.file) && !isWithin(root, real) && !w.User {
		return "", fault.New(fault.InvalidArgument, "%s leads out of the project, to %s; write it there by hand", t.file, real)
	}
	return real, nil
}

func isWithin(folder, file string) bool {
	rel, err := filepath.Rel(folder, file)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// missingFolders returns the folders that must be made so that a folder exists, inner ones
// first.
func missingFolders(folder string) (missing []string) {
	for !exists(folder) && folder != filepath.Dir(folder) {
		missing = append(missing, folder)
		folder = filepath.Dir(folder)
	}
	return missing
}

// save replaces the file in one step. It fails with conflict if somebody else has changed
// the file since it was read.
func (t *target) save(real, before, after string, missing bool, mode fs.FileMode) error {
	if missing {
		if err := os.MkdirAll(filepath.Dir(real), 0o755); err != nil {
			return fault.Wrap(fault.Unavailable, err, "the folder of %s cannot be made", t.file)
		}
	} else if info, err := os.Stat(real); err == nil {
		mode = info.Mode().Perm()
	}
	if now, err := os.ReadFile(real); err == nil && string(now) != t.mark+before || err != nil && !missing {
		return fault.New(fault.Conflict, "%s was changed at the same moment; run this again", t.file)
	}
	if err := permit.Replace(real, []byte(t.mark+after), mode); err != nil {
		return fault.Wrap(fault.Unavailable, err, "%s cannot be written", t.file)
	}
	return nil
}

// Write adds the server, and nothing else, to the file that hence setup writes.
func (c Client) Write(p Places, s Server) Change {
	c.Hooks, c.ReadsInstructions, c.UserInstructions = nil, false, ""
	return Apply([]Client{c}, p, Wish{Server: s, User: !c.InProject}, Put, false)[0]
}
