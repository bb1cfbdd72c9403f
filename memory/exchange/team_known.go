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

// knownTeam is what a folder and the store held when they were last the same, by
// fingerprints of both, so that a sync of what has not changed reads neither. To lose it
// costs time only.
type knownTeam struct {
	Key     []byte   `json:"key"`
	Store   string   `json:"store"`
	Folder  string   `json:"folder"`
	Since   int64    `json:"since"` // nanoseconds since 1970: of files from then on the bytes are compared too
	Refused []string `json:"refused"`
}

// coarse is the coarsest time of change that a file system keeps. A file that was changed
// within it may be changed again without a later time.
const coarse = 2 * time.Second

// fileState is the state of one file. Its bytes are read only if it was changed lately.
type fileState struct {
	name           string
	size, modified int64
	hash           [sha256.Size]byte
}

// readStates reads the states of the files of a folder, with hashes of those that were
// changed from a time on.
func readStates(dir string, since int64) (all []fileState, err error) {
	err = eachTeamFile(dir, func(name, path string, d fs.DirEntry) error {
		info, err := d.Info()
		if err != nil {
			return err
		}
		one := fileState{name: name, size: info.Size(), modified: info.ModTime().UnixNano()}
		if one.modified >= since {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			one.hash = sha256.Sum256(text)
		}
		all = append(all, one)
		return nil
	})
	return all, err
}

// fingerprintOf tells the states of files; before a time their hashes do not count.
func fingerprintOf(all []fileState, since int64) string {
	text := []byte{}
	for _, one := range all {
		text = append(append(text, one.name...), 0)
		text = binary.BigEndian.AppendUint64(text, uint64(one.size))
		text = binary.BigEndian.AppendUint64(text, uint64(one.modified))
		if one.modified >= since {
			text = append(text, one.hash[:]...)
		}
	}
	return db.Hash(text)
}

// fingerprint tells the state of a namespace, as far as a merge looks at it.
func fingerprint(ctx context.Context, r *db.Reader, namespace string, key db.FingerprintKey) (string, error) {
	m, err := readInventory(ctx, r, namespace, key)
	return db.Hash([]byte(m.lines)), err
}

// unchangedTeam reports whether neither the folder nor the store has changed since the
// last sync, and what the sync says then. Whatever is in doubt has changed.
func (s Store) unchangedTeam(ctx context.Context, a TeamArgs) (done TeamSynced, same bool) {
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
	if later := began.Add(-coarse).UnixNano(); later > known.Since && fingerprintOf(states, later) != known.Folder {
		known.Since, known.Folder = later, fingerprintOf(states, later) // of more files the times tell
		_ = known.keep(a)
	}
	return TeamSynced{
		Scope:   TeamScope{s.Caller.Namespace, a.Project},
		Merged:  Merged{Settle: []ToSettle{}, Warnings: []string{}, DryRun: a.DryRun},
		Written: []string{}, Removed: []string{}, Withdrawn: []string{}, Refused: known.Refused, Marks: []string{},
	}, true
}

// remember keeps what the folder and the store had at the end of a sync that began with
// some files, unless the next sync has something to say again. What others wrote since
// then is not remembered.
func (t *team) remember(began time.Time, files TeamFiles) error {
	a, merged := t.args, t.done.Merged
	if a.Known == "" || a.DryRun || t.done.Waits || len(merged.Settle)+len(merged.Warnings) > 0 {
		return nil
	}
	since := began.Add(-coarse).UnixNano()
	states, err := readStates(a.Dir, since)
	if err != nil {
		return err
	}
	now := maps.Clone(files)
	for _, name := range t.done.Written {
		now[name] = t.want[name]
	}
	for _, name := range t.done.Removed {
		delete(now, name)
	}
	for _, one := range states {
		text, ours := now[one.name]
		if !ours || int64(len(text)) != one.size || one.modified >= since && sha256.Sum256(text) != one.hash {
			return nil
		}
	}
	if len(states) != len(now) {
		return nil
	}
	return knownTeam{Key: t.key, Store: t.state, Folder: fingerprintOf(states, since), Since: since, Refused: t.done.Refused}.keep(a)
}

// keep writes the file that remembers.
func (k knownTeam) keep(a TeamArgs) error {
	text, err := json.Marshal(k)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(a.Known), 0o700)
	}
	if err == nil {
		temp := fmt.Sprintf("%s.%d", a.Known, os.Getpid())
		err = errors.Join(os.WriteFile(temp, text, 0o600), os.Rename(temp, a.Known))
	}
	if err != nil {
		return fault.Wrap(fault.Unavailable, err, "sync %s: the folder is as it should be; %s cannot be written", a.Dir, a.Known)
	}
	return nil
}
