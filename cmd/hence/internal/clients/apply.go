package clients

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hence/internal/db"
	"hence/internal/fault"
)

// Change is what was done to a file, or would be.
type Change struct {
	File    string   `json:"file"`
	Clients []string `json:"clients"`
	What    []string `json:"what"` // server, hooks, instructions
	State   State    `json:"state"`
	Problem string   `json:"problem,omitempty"` // why nothing was done
}

// State is what has become of a file, or what is wrong with it.
type State string

// The states of a file: after a change, of a check, and of a removal.
const (
	Made    State = "made"
	Changed State = "changed"
	Same    State = "same"
	Missing State = "missing" // Hence is not in it
	Old     State = "old"     // it is, in another way
	Cleared State = "cleared" // Hence is in it no more
	Removed State = "removed" // the file was only Hence's
	Kept    State = "kept"    // others need it still
	Absent  State = "absent"  // there was nothing to remove
	Refused State = "refused"
)

// Present returns the clients that are installed, or configured for the user or the
// project.
func Present(p Places, lookPath func(string) (string, error)) []Client {
	clients := []Client{}
	for _, c := range all {
		here := slices.ContainsFunc(c.programs, func(program string) bool { _, err := lookPath(program); return err == nil }) ||
			slices.ContainsFunc(c.traces(p), exists)
		if here {
			clients = append(clients, c)
		}
	}
	return clients
}

// Do is what is to be done with the files of clients.
type Do int

// What can be done.
const (
	Put    Do = iota // write what is missing or old
	Check            // say what is missing or old
	Remove           // take out what Hence wrote
)

// Apply does it, or only says what it would do. A file that is refused stays as it is,
// and the others go on.
func Apply(all []Client, p Places, w Wish, do Do, dry bool) []Change {
	changes, folders := []Change{}, []string{}
	for _, t := range targets(all, p, w) {
		if do == Remove && t.format == asText && neededByOthers(t, all, p, w) {
			continue
		}
		c := t.change(p, w, do, dry)
		if c.State == Kept {
			c.Problem = "needed by " + strings.Join(t.needing, ", ") + " too; hence init --user --remove takes it out for all"
		}
		folders = append(folders, t.folders...)
		if do == Remove && c.State == Absent {
			continue
		}
		changes = append(changes, c)
	}
	for _, folder := range folders {
		_ = os.Remove(folder) // which fails, rightly, where something else is in it
	}
	return changes
}

// neededByOthers reports whether a client that is not among those to be removed reads
// the same instructions and has the server still.
func neededByOthers(t *target, chosen []Client, p Places, w Wish) bool {
	for _, c := range all {
		if !c.reads || slices.ContainsFunc(chosen, func(o Client) bool { return o.Name == c.Name }) {
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

// change applies, and says what became of the file.
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
	text := string(content)
	old, err := readRecord(p, real)
	if err != nil {
		return "", fault.Wrap(fault.Unavailable, err, "the record of what was written to %s cannot be read", t.file)
	}
	if do == Remove {
		return t.remove(p, w, real, text, missing, old, dry)
	}
	after, hunks, made, err := t.write(text)
	switch {
	case err != nil:
		return "", err
	case after == text && !missing:
		if do == Put && !dry && old != nil && old.share(t.owner(p, w)) {
			err = old.write(p)
		}
		return Same, err
	case do == Check && (missing || !t.present(text)):
		return Missing, nil
	case do == Check:
		return Old, nil
	}
	r := record{File: real, New: missing, Made: made, Hunks: hunks, Sum: db.Hash(after)}
	if old != nil {
		r.New, r.Folders, r.Owners = old.New, old.Folders, old.Owners
		r.Made, r.Hunks = append(old.Made, made...), append(old.Hunks, hunks...)
		if missing { // somebody deleted it
			r.New, r.Made, r.Hunks = true, made, hunks
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
	// The record comes first: a crash between the two leaves one that nothing fits.
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
		if r == nil || dry {
			return nil
		}
		return os.Remove(recordOf(p, real))
	}
	if missing || r == nil && !w.User && !isWithin(p.Project, t.file) {
		return Absent, forget() // of a file of the user's, a project takes back only what is recorded
	}
	if r != nil && !w.User && len(r.Owners) > 0 {
		me := t.owner(p, w)
		mine := slices.Contains(r.Owners, me)
		r.Owners = slices.DeleteFunc(r.Owners, func(o string) bool { return o == me })
		for _, o := range r.Owners {
			if o == forUser || exists(o) { // a project that is gone needs nothing
				t.needing = append(t.needing, o)
			}
		}
		if len(t.needing) > 0 && (dry || !mine) {
			return map[bool]State{true: Kept, false: Absent}[mine], nil
		} else if len(t.needing) > 0 {
			return Kept, r.write(p)
		}
	}
	after, err := t.removeOurs(text, r)
	switch {
	case err != nil:
		return "", err
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

// removeOurs returns a text as it was before Hence wrote to it, with what others have
// changed since.
func (t *target) removeOurs(text string, r *record) (string, error) {
	if r == nil {
		if !t.present(text) {
			return text, nil
		}
		made := [][]string{}
		for _, p := range t.parts {
			made = append(made, p.holders...)
		}
		return t.erase(text, made)
	}
	before := takeBack(text, r.Hunks, r.Sum != db.Hash(text))
	if t.check(text, before) != nil || t.present(before) {
		return t.erase(text, r.Made)
	}
	return t.erase(before, r.Made)
}

// isBlank reports whether nothing is left in a file that Hence made.
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

// real is the file itself, where links lead. A link in a project that leads out of it
// is refused: the project may be somebody else's.
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

// missingFolders are the folders that must be made for a file, the inner ones first.
func missingFolders(folder string) (missing []string) {
	for !exists(folder) && folder != filepath.Dir(folder) {
		missing = append(missing, folder)
		folder = filepath.Dir(folder)
	}
	return missing
}

// save writes a file in one step, if it is still as it was read.
func (t *target) save(real, before, after string, missing bool, mode fs.FileMode) error {
	if missing {
		if err := os.MkdirAll(filepath.Dir(real), 0o755); err != nil {
			return fault.Wrap(fault.Unavailable, err, "the folder of %s cannot be made", t.file)
		}
	} else if info, err := os.Stat(real); err == nil {
		mode = info.Mode().Perm()
	}
	if now, err := os.ReadFile(real); err == nil && string(now) != before || err != nil && !missing {
		return fault.New(fault.Conflict, "%s was changed at the same moment; run this again", t.file)
	}
	if err := replace(real, []byte(after), mode); err != nil {
		return fault.Wrap(fault.Unavailable, err, "%s cannot be written", t.file)
	}
	return nil
}
