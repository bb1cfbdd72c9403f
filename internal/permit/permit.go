// Package permit has what a user allows of a store on this machine: which folders its vaults
// are, what tools may do to them, and whether the tokens of the store count. The records are in
// the user's state directory (db.Options.State), because a store may come from somebody else:
// by itself it allows nothing.
package permit

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/plural"
)

// Folder is what is allowed for a vault or a repository of a store.
type Folder struct {
	Name   string          `json:"name"`
	Root   string          `json:"root"`             // the absolute path that was imported here
	Patch  bool            `json:"patch,omitempty"`  // tools may change its source code
	Suites json.RawMessage `json:"suites,omitempty"` // that tools may run: see code/writing

	Trusted bool `json:"trusted,omitempty"` // its texts count as the person's, who answers for the folder
	Restore bool `json:"restore,omitempty"` // an undo may write the files of the folder, which another program owns
}

// Records are what is allowed of one store.
type Records struct{ dir string } // "": nothing is, and nothing can be

// adopted is the name of the record that a store was made or adopted here.
const adopted = "adopted"

// Of returns the records about a store, read with q, which may be a snapshot of d.
func Of(ctx context.Context, d *db.DB, q db.Source) (Records, error) {
	tag, err := db.Tag(ctx, q)
	if err != nil || tag == "" || d.State() == "" {
		return Records{}, err
	}
	return Records{filepath.Join(d.State(), "stores", tag)}, nil
}

// With calls do with the records about a store.
func With(ctx context.Context, d *db.DB, do func(r Records) error) error {
	r, err := Of(ctx, d, d)
	if err == nil {
		err = do(r)
	}
	return err
}

// has reports whether there is a record of a name.
func (r Records) has(name string) bool {
	if r.dir == "" {
		return false
	}
	_, err := os.Stat(filepath.Join(r.dir, name))
	return err == nil
}

// read returns a record, nil if there is none.
func (r Records) read(name string) ([]byte, error) {
	if r.dir == "" {
		return nil, nil
	}
	raw, err := os.ReadFile(filepath.Join(r.dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return raw, err
}

// remove removes a record, if there is one. what, which the record allows, begins the error.
func (r Records) remove(name, what string) error {
	if r.dir == "" {
		return nil
	}
	err := os.Remove(filepath.Join(r.dir, name))
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return fault.Wrap(fault.Unavailable, err, "%s cannot be taken back", what)
}

// Adopt records that the store was made here, or that its user took it over.
func (r Records) Adopt() error { return r.write(adopted, nil) }

// Adopted reports whether the tokens of the store count: it was made or adopted here.
func (r Records) Adopted() bool { return r.has(adopted) }

// CheckAdopted fails with conflict for a store that brings tokens from elsewhere. One that
// brings none becomes its user's own.
func CheckAdopted(ctx context.Context, d *db.DB, operation string) error {
	r, err := Of(ctx, d, d)
	if err != nil || r.Adopted() {
		return err
	}
	b, err := r.Brings(ctx, d)
	switch {
	case err != nil:
		return err
	case len(b.Tokens)+len(b.Claims) == 0:
		return r.Adopt()
	}
	b.Folders = nil
	return fault.New(fault.Conflict, "%s: the store was made elsewhere and brings %s, which would count here too; revoke them, or take the store over with hence adopt", operation, b)
}

// review is the name of the record of the policy by which calls of agents wait: see memory/review.
const review = "review"

// Policy returns the policy by which calls of agents wait for a person, "" if none was set.
func (r Records) Policy() (string, error) {
	raw, err := r.read(review)
	if err != nil {
		return "", fault.Wrap(fault.Unavailable, err, "the policy of hence review cannot be read from %s", r.dir)
	}
	return string(raw), nil
}

// SetPolicy records the policy.
func (r Records) SetPolicy(policy string) error { return r.write(review, []byte(policy)) }

// Folder returns what is allowed for a vault; without a Root if it was not imported here.
func (r Records) Folder(name string) (f Folder, err error) {
	raw, err := r.read(fileOf(name))
	if raw != nil && err == nil {
		err = json.Unmarshal(raw, &f)
	}
	if err != nil {
		return Folder{}, fault.Wrap(fault.Unavailable, err, "the record of what is allowed for %s cannot be read; remove it from %s and import the folder again", name, r.dir)
	}
	return f, nil
}

// Put records what is allowed for a vault.
func (r Records) Put(f Folder) error {
	raw, err := json.Marshal(f)
	if err != nil {
		return fault.Wrap(fault.Internal, err, "what is allowed for %s cannot be written as JSON", f.Name)
	}
	return r.write(fileOf(f.Name), raw)
}

// Import records that the folder of a vault was imported here from root. What was allowed for the files of an
// agent in another folder does not hold for this one, and if that is gone nothing does: this one may be another
// repository of the same name.
func (r Records) Import(name, root string) error {
	f, err := r.Folder(name)
	if err != nil || f.Root == root {
		return err
	}
	if _, err := os.Stat(f.Root); err != nil {
		f.Patch, f.Suites = false, nil
	}
	f.Name, f.Root = name, root
	f.Trusted, f.Restore = false, false // that was said of another folder
	return r.Put(f)
}

// Copy is a place to which Hence wrote texts of the store.
type Copy struct {
	Path string `json:"path"` // absolute, or an address
	At   string `json:"at"`   // of the first time
	How  string `json:"how"`
}

// How texts come to a copy.
const (
	Backup = "backup"
	Team   = "team"   // the folder of a team
	Synced = "synced" // the other side of hence sync
)

// copies is the name of the record of Copies, a line of JSON each.
const copies = "copies"

// Copies returns the places to which Hence wrote texts of the store on this machine, each once.
func (r Records) Copies() (all []Copy, err error) {
	raw, err := r.read(copies)
	for line := range strings.Lines(string(raw)) {
		var c Copy
		if json.Unmarshal([]byte(line), &c) == nil && !slices.ContainsFunc(all, func(o Copy) bool { return o.Path == c.Path && o.How == c.How }) {
			all = append(all, c)
		}
	}
	return all, err
}

// Copied records a place to which Hence wrote texts of the store, so that an erasure reaches it. Without a
// state directory nothing is recorded.
func (r Records) Copied(path, how string) (err error) {
	if !strings.Contains(path, "://") {
		path, err = filepath.Abs(path)
	}
	if err != nil || r.dir == "" {
		return err
	}
	all, err := r.Copies()
	if err != nil || slices.ContainsFunc(all, func(o Copy) bool { return o.Path == path && o.How == how }) {
		return err
	}
	text := ""
	for _, c := range append(all, Copy{path, db.Now(), how}) {
		text += db.JSON(c) + "\n"
	}
	return r.write(copies, []byte(text))
}

// erasing is the name of the record that agents may erase.
const erasing = "erasing"

// MayErase reports whether agents may erase what they stored.
func (r Records) MayErase() bool { return r.has(erasing) }

// LetErase allows agents to erase what they stored, or no longer.
func (r Records) LetErase(allow bool) error {
	if allow {
		return r.write(erasing, nil)
	}
	return r.remove(erasing, "the permission to erase")
}

// Remove forgets what was allowed for a vault.
func (r Records) Remove(name string) error {
	return r.remove(fileOf(name), "what was allowed for "+name)
}

// fileOf returns the name of the record about a vault, whose own name may hold any letter.
func fileOf(vault string) string { return "folder-" + db.Hash(vault)[:32] + ".json" }

// write replaces a record in one step.
func (r Records) write(name string, raw []byte) error {
	if r.dir == "" {
		return fault.New(fault.Unavailable, "what you allow cannot be recorded, because your state directory is not known; set HOME or XDG_STATE_HOME")
	}
	err := os.MkdirAll(r.dir, 0o700)
	if err == nil {
		err = Replace(filepath.Join(r.dir, name), raw, 0o600)
	}
	if err != nil {
		return fault.Wrap(fault.Unavailable, err, "what you allow cannot be recorded in %s", r.dir)
	}
	return nil
}

// Replace writes a file that others see complete or not at all.
func Replace(path string, raw []byte, mode fs.FileMode) error {
	temp, err := os.CreateTemp(filepath.Dir(path), ".hence-*")
	if err != nil {
		return err
	}
	_, err = temp.Write(raw)
	if err = errors.Join(err, temp.Chmod(mode), temp.Sync(), temp.Close()); err == nil {
		err = os.Rename(temp.Name(), path)
	}
	if err != nil {
		_ = os.Remove(temp.Name())
	}
	return err
}

// Brought is what a store holds that does not count on this machine.
type Brought struct {
	Folders []Folder `json:"folders"` // vaults and repositories that were imported elsewhere
	Tokens  []string `json:"tokens"`  // their names
	Claims  []string `json:"claims"`  // of the map of the identity provider's tokens, such as "scope hence:read"
}

// Brings returns what the store holds that does not count here.
func (r Records) Brings(ctx context.Context, q db.Source) (b Brought, err error) {
	err = q.Read(ctx, func(q *db.Reader) error {
		folders, err := db.Select(ctx, q, db.Fields(func(f *Folder) []any { return []any{&f.Name, &f.Root} }), `
select
  name,
  root
from mirrors
order by name`)
		b.Folders = []Folder{}
		for _, f := range folders {
			here, failed := r.Folder(f.Name)
			if err = errors.Join(err, failed); here.Root == "" {
				b.Folders = append(b.Folders, f)
			}
		}
		if b.Tokens, b.Claims = []string{}, []string{}; err != nil || r.Adopted() {
			return err
		}
		tokens, err := db.Select(ctx, q, db.Value[string], `select name from tokens order by name`)
		if err != nil {
			return err
		}
		claims, err := db.Select(ctx, q, db.Value[string], `select claim || ' ' || value from token_map order by key`)
		b.Tokens, b.Claims = append(b.Tokens, tokens...), append(b.Claims, claims...)
		return err
	})
	return b, err
}

// IsEmpty reports whether everything in the store counts here.
func (b Brought) IsEmpty() bool { return len(b.Folders)+len(b.Tokens)+len(b.Claims) == 0 }

// String returns the numbers of what a store brings: 1 folder and 2 tokens.
func (b Brought) String() string {
	parts := []string{}
	for _, p := range []struct {
		n         int
		one, many string
	}{{len(b.Folders), "folder", "folders"}, {len(b.Tokens), "token", "tokens"}, {len(b.Claims), "row of the token map", "rows of the token map"}} {
		if p.n > 0 {
			parts = append(parts, plural.Count(p.n, p.one, p.many))
		}
	}
	return strings.Join(parts, " and ")
}

// Take makes what the store brings count here.
func (r Records) Take(b Brought) error {
	err := r.Adopt()
	for _, f := range b.Folders {
		err = errors.Join(err, r.Import(f.Name, f.Root))
	}
	return err
}

// AskOnce reports true once for a store: its user has not been asked yet whether to adopt it.
func (r Records) AskOnce() bool {
	const asked = "asked"
	return !r.has(asked) && r.write(asked, nil) == nil
}
