package exchange

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"time"

	"hence/internal/db"
	"hence/internal/fault"
)

// knownTeam holds the fingerprints of a folder and the store after their last sync, so that
// a sync without changes reads neither. It is a cache: losing it costs only time.
type knownTeam struct {
	Key     []byte   `json:"key"`     // of the fingerprint Store
	Store   string   `json:"store"`   // fingerprint of the store
	Folder  string   `json:"folder"`  // fingerprint of the folder
	Since   int64    `json:"since"`   // nanoseconds since 1970: of files modified from then on, Folder includes the hashes
	Refused []string `json:"refused"` // see TeamSynced
}

// timeResolution is the coarsest resolution of modification times in file systems. Two changes of a
// file within it may have the same time.
const timeResolution = 2 * time.Second

// fileState is the state of one file: its path, size in bytes, modification time in
// nanoseconds since 1970, and its hash if it was modified recently.
type fileState struct {
	name           string
	size, modified int64
	hash           [sha256.Size]byte
}

// readStates returns the states of the files of a folder, with the hashes of those that were
// modified at since or later.
func readStates(dir string, since int64) (states []fileState, err error) {
	err = eachTeamFile(dir, func(name, path string, d fs.DirEntry) error {
		info, err := d.Info()
		if err != nil {
			return err
		}
		state := fileState{name: name, size: info.Size(), modified: info.ModTime().UnixNano()}
		if state.modified >= since {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			state.hash = sha256.Sum256(text)
		}
		states = append(states, state)
		return nil
	})
	return states, err
}

// fingerprintOf returns the fingerprint of files' states. It ignores the hashes of files that
// were modified before since.
func fingerprintOf(states []fileState, since int64) string {
	text := []byte{}
	for _, state := range states {
		text = append(append(text, state.name...), 0)
		text = binary.BigEndian.AppendUint64(text, uint64(state.size))
		text = binary.BigEndian.AppendUint64(text, uint64(state.modified))
		if state.modified >= since {
			text = append(text, state.hash[:]...)
		}
	}
	return db.Hash(text)
}

// fingerprint returns the fingerprint of the lines of a namespace that a merge considers.
func fingerprint(ctx context.Context, r *db.Reader, namespace string, key db.FingerprintKey) (string, error) {
	m, err := readInventory(ctx, r, namespace, key)
	return db.Hash([]byte(m.lines)), err
}

// unchangedTeam reports whether neither the folder nor the store has changed since the
// last sync, and returns the result of the sync then. In doubt it reports false.
func (s Store) unchangedTeam(ctx context.Context, a TeamArgs) (done TeamSynced, isUnchanged bool) {
	if a.Known == "" {
		return done, false
	}
	text, err := os.ReadFile(a.Known)
	if err != nil {
		return done, false
	}
	var known knownTeam
	if err := json.Unmarshal(text, &known); err != nil || len(known.Key) != len(db.NewFingerprintKey()) {
		return done, false
	}
	began := time.Now()
	states, err := readStates(a.Dir, known.Since)
	if err != nil || fingerprintOf(states, known.Since) != known.Folder {
		return done, false
	}
	state := ""
	err = s.DB.Read(ctx, func(r *db.Reader) (err error) {
		state, err = fingerprint(ctx, r, s.Caller.Namespace, known.Key)
		return err
	})
	if err != nil || state != known.Store {
		return done, false
	}
	if later := began.Add(-timeResolution).UnixNano(); later > known.Since && fingerprintOf(states, later) != known.Folder {
		known.Since, known.Folder = later, fingerprintOf(states, later) // modification times suffice for more files now
		_ = known.save(a)
	}
	return TeamSynced{
		Scope:   TeamScope{s.Caller.Namespace, a.Project},
		Merged:  Merged{Settle: []ToSettle{}, Warnings: []string{}, DryRun: a.DryRun},
		Written: []string{}, Removed: []string{}, Withdrawn: []string{}, Refused: known.Refused, Marks: []string{},
	}, true
}

// remember saves the fingerprints of the folder and the store after a sync that began with
// the given files. It saves nothing if the next sync has to report something again, or
// somebody else has changed files since the sync began.
func (t *team) remember(began time.Time, files TeamFiles) error {
	a, merged := t.args, t.done.Merged
	if a.Known == "" || a.DryRun || t.done.Waits || len(merged.Settle)+len(merged.Warnings) > 0 {
		return nil
	}
	since := began.Add(-timeResolution).UnixNano()
	states, err := readStates(a.Dir, since)
	if err != nil {
		return err
	}
	expected := maps.Clone(files)
	for _, name := range t.done.Written {
		expected[name] = t.want[name]
	}
	for _, name := range t.done.Removed {
		delete(expected, name)
	}
	for _, state := range states {
		text, ours := expected[state.name]
		if !ours || int64(len(text)) != state.size || state.modified >= since && sha256.Sum256(text) != state.hash {
			return nil
		}
	}
	if len(states) != len(expected) {
		return nil
	}
	return knownTeam{Key: t.key, Store: t.state, Folder: fingerprintOf(states, since), Since: since, Refused: t.done.Refused}.save(a)
}

// save writes the fingerprints to the file a.Known.
func (k knownTeam) save(a TeamArgs) error {
	text, err := json.Marshal(k)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(a.Known), 0o700)
	}
	if err == nil {
		temp := fmt.Sprintf("%s.%d", a.Known, os.Getpid())
		err = errors.Join(os.WriteFile(temp, text, 0o600), os.Rename(temp, a.Known))
	}
	if err != nil {
		return fault.Wrap(fault.Unavailable, err, "sync %s: the folder is up to date, but %s cannot be written, so the next sync will read all files", a.Dir, a.Known)
	}
	return nil
}
