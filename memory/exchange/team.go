package exchange

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"hence/internal/db"
	"hence/internal/fault"
)

// TeamArgs say which folder keeps which memories.
type TeamArgs struct {
	Dir     string
	Project string // of the scope; the namespace is the caller's
	DryRun  bool
	First   bool   // files may be written: somebody has seen what would be
	Known   string // a file that remembers what both had when they were last the same; "": none
}

// TeamSynced is the result of a sync with a team's folder.
type TeamSynced struct {
	Scope     TeamScope `json:"scope"`
	Merged    Merged    `json:"merged"`
	Written   []string  `json:"written"` // files, or those that would be written
	Removed   []string  `json:"removed"`
	Withdrawn []string  `json:"withdrawn"` // titles of memories that were in the folder and are personal here now
	Refused   []string  `json:"refused"`   // memories with what looks like a secret: title, place, kind of secret
	Marks     []string  `json:"marks"`     // files with git's conflict marks: both sides were merged
	Waits     bool      `json:"waits"`     // nothing was written: it is the first time
}

// SyncTeam merges a folder of files with the store, and writes the files of which the
// store has something else. The memories are those of the caller's namespace, or the
// default one, in a project or in none. Unless First is set, it only says what it would
// write. A memory with what looks like a secret is refused and named. Where neither the
// folder nor the store has changed since the last sync, nothing is read.
//
// It fails with invalid_argument if the folder has another scope, or files cannot be read,
// and with read_only if files differ and the store is open for reading only.
func (s Store) SyncTeam(ctx context.Context, a TeamArgs) (done TeamSynced, err error) {
	s.Caller.Namespace = cmp.Or(s.Caller.Namespace, "default")
	if done, same := s.unchangedTeam(ctx, a); same {
		return done, nil
	}
	if !a.DryRun {
		return s.syncTeam(ctx, a)
	}
	// What would be written follows from what would be merged.
	err = inScratch(ctx, "sync "+a.Dir, s.DB, func(copied *db.DB) error {
		s.DB = copied
		done, err = s.syncTeam(ctx, a)
		return err
	})
	done.Merged.DryRun = true
	return done, err
}

// inScratch calls do with a copy of a store, or with an empty one, which goes afterwards.
func inScratch(ctx context.Context, doing string, of *db.DB, do func(d *db.DB) error) (err error) {
	folder, err := os.MkdirTemp("", "hence-scratch-")
	if err != nil {
		return fault.Wrap(fault.Unavailable, err, "%s: there is no place for a store to try it in", doing)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	path := filepath.Join(folder, "scratch.db")
	if of != nil {
		if err := of.Backup(ctx, path); err != nil {
			return err
		}
	}
	scratch, err := db.Open(ctx, path, db.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, scratch.Close()) }()
	return do(scratch)
}

func (s Store) syncTeam(ctx context.Context, a TeamArgs) (done TeamSynced, err error) {
	began := time.Now()
	files, err := ReadTeamFolder(a.Dir)
	if err != nil {
		return done, err
	}
	t := s.team(a, "sync")
	t.mustBe = true
	for _, step := range []func() error{
		func() error { return t.readFiles(files) }, func() error { return t.merge(ctx) }, func() error { return t.compose(ctx) }, t.write,
	} {
		if err := step(); err != nil {
			return t.done, err
		}
	}
	if err := t.remember(began, files); err != nil {
		t.done.Merged.Warnings = append(t.done.Merged.Warnings, err.Error())
	}
	return t.done, nil
}

// team begins a sync.
func (s Store) team(a TeamArgs, doing string) *team {
	t := &team{
		store: s, args: a, doing: doing, now: db.Now(), scope: TeamScope{s.Caller.Namespace, a.Project},
		paths: map[string]string{}, owner: map[string]string{}, others: map[string]bool{}, out: map[string]bool{}, withdrawn: map[string]string{},
	}
	t.done = TeamSynced{Scope: t.scope, Written: []string{}, Removed: []string{}, Withdrawn: []string{}, Refused: []string{}, Marks: []string{}}
	return t
}

// team is one sync with a folder.
type team struct {
	store     Store
	args      TeamArgs
	doing     string // for errors
	now       string
	scope     TeamScope
	mustBe    bool              // the folder must have this scope, if it has one
	files     TeamFiles         // of memories, and the others that Hence writes
	others    map[string]bool   // paths of files that are not of memories
	read      []teamFile        // in the order of their paths
	removed   []removedLine     // that the folder tells
	paths     map[string]string // of memories by id
	owner     map[string]string // id of the memory by path
	out       map[string]bool   // ids of memories that are not merged
	withdrawn map[string]string // times by the ids of memories that are personal where somebody has them
	ids       []string
	want      map[string][]byte
	purged    map[string]bool
	key       db.FingerprintKey // of state
	state     string            // fingerprint of the store that want is made of
	done      TeamSynced
}

// teamFile is a file of a memory.
type teamFile struct {
	name  string
	sides []teamSide // two if git left its marks
}

// merge merges what the files say, but for memories that are not of the folder's scope
// here.
func (t *team) merge(ctx context.Context) error {
	ours := map[string]memoryLine{}
	if err := readMemories(ctx, t.store.DB, t.ids, ours); err != nil {
		return err
	}
	if err := t.stampEdits(ctx, ours); err != nil {
		return err
	}
	if err := t.leaveOut(ctx, ours); err != nil {
		return err
	}
	m := t.store.newMerge(ImportArgs{Name: t.args.Dir, Few: true})
	take := func(rec record) { m.take(rec, rec.name()) }
	for _, f := range t.read {
		for n := range f.sides {
			s := &f.sides[n]
			s.fillTimes()
			if !t.out[s.ID] {
				take(record{memory: &s.memoryLine})
			}
			for i := range s.edges {
				if e := &s.edges[i]; !t.out[e.From] && !t.out[e.To] {
					take(record{edge: e})
				}
			}
		}
	}
	for i := range t.removed {
		if l := &t.removed[i]; !t.out[l.ID] && !t.out[l.From] && !t.out[l.To] {
			take(record{removed: l})
		}
	}
	said := t.done.Merged.Warnings
	var err error
	t.done.Merged, err = m.join(ctx)
	t.done.Merged.Warnings = append(said, t.done.Merged.Warnings...)
	return err
}

// leaveOut decides which memories of the folder are not merged: those that are in the
// store and may not go into the folder, and personal ones that are not.
func (t *team) leaveOut(ctx context.Context, ours map[string]memoryLine) error {
	apart, err := db.Select(ctx, t.store.DB, db.Value[string], `
select m.id
from json_each(?3) j
join memories m on m.id = j.value
where not (`+teamScope+`)`, t.scope.Namespace, t.scope.Project, db.List(t.ids))
	if err != nil {
		return err
	}
	strange := []memoryLine{}
	for _, f := range t.read {
		for _, s := range f.sides {
			if _, here := ours[s.ID]; !here {
				strange = append(strange, s.memoryLine)
			}
		}
	}
	personal, err := db.Select(ctx, t.store.DB, db.Value[string], `
select m.id
from (
  select
    value ->> 'id' as id,
    value ->> 'kind' as kind,
    value -> 'properties' as properties
  from json_each(?1)
) m
where `+isPersonal, db.List(strange))
	for _, id := range append(apart, personal...) {
		t.out[id] = true
	}
	return err
}
