// Package team keeps the memories of a project as files of a folder, which git can compare and merge.
package team

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"slices"

	"hence/internal/db"
	"hence/internal/ref"
	"hence/memory/exchange/lines"
	"hence/memory/exchange/merge"
)

// Args are the arguments of Sync.
type Args struct {
	Dir     string // the team's folder
	Project string // of the scope; the namespace is the caller's
	DryRun  bool
	First   bool // write files; without it, differing files are only listed
}

// Synced is the result of a sync with a team's folder.
type Synced struct {
	Scope     Scope        `json:"scope"`
	Merged    merge.Merged `json:"merged"`
	Written   []string     `json:"written"`   // files that were written, or would be
	Removed   []string     `json:"removed"`   // files that were removed, or would be
	Withdrawn []string     `json:"withdrawn"` // titles of memories of the folder that are personal here now
	Refused   []string     `json:"refused"`   // memories that seem to contain a secret: title, place, kind of secret
	Marks     []string     `json:"marks"`     // files with git's conflict marks: both sides were merged
	Waits     bool         `json:"waits"`     // files differ, but none was written because First was not set
}

// Sync merges the files of a folder into the store, and writes the files that differ
// from the store then. It covers the memories of the caller's namespace, or the default one,
// with the project's tag, or with no project. Unless First is set, it only reports the files
// that it would write. A memory that seems to contain a secret is not written, but
// reported. A file that is as the store would write it is neither parsed nor merged.
//
// It fails with invalid_argument if the folder has another scope or a file cannot be read,
// and with read_only if files differ and the store is open for reading only.
func Sync(ctx context.Context, s ref.View, a Args) (done Synced, err error) {
	s.Caller.Namespace = cmp.Or(s.Caller.Namespace, "default")
	if !a.DryRun {
		return syncFolder(ctx, s, a)
	}
	// The files depend on the merged store, so a dry run merges into a copy.
	err = lines.WithScratchDB(ctx, "sync "+a.Dir, s.DB, func(copied *db.DB) error {
		s.DB = copied
		done, err = syncFolder(ctx, s, a)
		return err
	})
	done.Merged.DryRun = true
	return done, err
}

// syncFolder merges the folder into the store and writes the files, even in a dry run. It composes
// the files first, to merge only those that say something else than the store.
func syncFolder(ctx context.Context, s ref.View, a Args) (done Synced, err error) {
	files, err := ReadFolder(a.Dir)
	if err != nil {
		return done, err
	}
	before := newTeam(s, a, "sync")
	before.readNames(files)
	if err := before.compose(ctx); err != nil {
		return done, err
	}
	t := newTeam(s, a, "sync")
	t.requireScope, t.known = true, before.want
	if err := t.readFiles(files); err != nil {
		return t.done, err
	}
	if err := t.merge(ctx); err != nil {
		return t.done, err
	}
	if maps.EqualFunc(t.files, t.known, bytes.Equal) && !t.done.Merged.Changes() {
		before.done.Merged = t.done.Merged
		return before.done, nil
	}
	if err := t.compose(ctx); err != nil {
		return t.done, err
	}
	return t.done, t.write()
}

// newTeam returns the state of a sync that has not begun. action is the verb for errors.
func newTeam(s ref.View, a Args, action string) *team {
	t := &team{
		store: s, args: a, action: action, now: db.Now(), scope: Scope{s.Caller.Namespace, a.Project},
		pathByID: map[string]string{}, idByPath: map[string]string{}, foreignFiles: map[string]bool{}, excluded: map[string]bool{}, withdrawn: map[string]string{},
	}
	t.done = Synced{Scope: t.scope, Merged: merge.Merged{Settle: []merge.ToSettle{}, Warnings: []string{}, DryRun: a.DryRun}, Written: []string{}, Removed: []string{}, Withdrawn: []string{}, Refused: []string{}, Marks: []string{}}
	return t
}

// team is the state of one sync with a folder.
type team struct {
	store        ref.View
	args         Args
	action       string // the verb for errors
	now          string
	scope        Scope
	requireScope bool              // fail if the folder has another scope
	files        Files             // the folder's files that Hence writes, by path
	foreignFiles map[string]bool   // paths of Markdown files that are not of memories, such as a README
	memoryFiles  []memoryFile      // the files of memories, in the order of their paths
	removed      []lines.Removed   // removals in the folder
	pathByID     map[string]string // paths by id of the memory
	idByPath     map[string]string // ids of memories by path
	excluded     map[string]bool   // ids of memories that are not merged
	withdrawn    map[string]string // the times when memories became personal for somebody, by id
	ids          []string          // of all memories and removals in the folder
	want         map[string][]byte // the files that the folder shall have, by path
	purged       map[string]bool   // ids of removals in the store; true for purges
	known        map[string][]byte // the files as the store would write them before the merge
	done         Synced
}

// memoryFile is the file of a memory.
type memoryFile struct {
	name  string
	sides []side // one version, or two if the file has git's conflict marks
}

// merge merges the memories, edges and removals of the files into the store, except those
// that leaveOut excludes.
func (t *team) merge(ctx context.Context) error {
	ids, ours := []string{}, map[string]lines.Memory{}
	for _, f := range t.memoryFiles {
		for _, s := range f.sides {
			ids = append(ids, s.ID)
		}
	}
	if err := lines.ReadMemories(ctx, t.store.DB, ids, ours); err != nil {
		return err
	}
	if err := t.stampEdits(ctx, ours); err != nil {
		return err
	}
	if err := t.leaveOut(ctx, ours); err != nil {
		return err
	}
	m := merge.New(t.store, lines.ImportArgs{Name: t.args.Dir, Few: true})
	take := func(rec lines.Line) { m.Take(rec, rec.Name()) }
	for _, f := range t.memoryFiles {
		for n := range f.sides {
			s := &f.sides[n]
			s.FillTimes()
			if !t.excluded[s.ID] {
				take(lines.Line{Memory: &s.Memory})
			}
			for i := range s.edges {
				if e := &s.edges[i]; !t.excluded[e.From] && !t.excluded[e.To] {
					take(lines.Line{Edge: e})
				} else if !t.excluded[s.ID] {
					m.LeaveOut("%s: its link %s was left out: it leads to a memory that is not the folder's", f.name, e.Kind)
				}
			}
		}
	}
	for i := range t.removed {
		if l := &t.removed[i]; !t.excluded[l.ID] && !t.excluded[l.From] && !t.excluded[l.To] {
			take(lines.Line{Removed: l})
		}
	}
	warnings := t.done.Merged.Warnings
	var err error
	t.done.Merged, err = m.Join(ctx)
	t.done.Merged.Warnings = append(warnings, t.done.Merged.Warnings...)
	return err
}

// leaveOut decides which memories of the folder are not merged: those of the store that may
// not be in the folder, and personal ones that the store does not have.
func (t *team) leaveOut(ctx context.Context, ours map[string]lines.Memory) error {
	ids := slices.Clone(t.ids)
	for _, f := range t.memoryFiles {
		for _, s := range f.sides {
			for _, e := range s.edges {
				if ids = append(ids, e.From); e.ToURI == "" { // notes and symbols are in no folder
					ids = append(ids, e.To)
				}
			}
		}
	}
	for _, l := range t.removed {
		if l.FromURI+l.ToURI == "" {
			ids = append(ids, l.From, l.To)
		}
	}
	outside, err := db.Select(ctx, t.store.DB, db.Value[string], `
select m.id
from json_each(?3) j
join memories m on m.id = j.value
where not (`+inScope+`)`, t.scope.Namespace, t.scope.Project, db.List(ids))
	if err != nil {
		return err
	}
	unknown := []lines.Memory{}
	for _, f := range t.memoryFiles {
		for _, s := range f.sides {
			if _, isHere := ours[s.ID]; !isHere {
				unknown = append(unknown, s.Memory)
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
where `+isPersonal, db.List(unknown))
	for _, id := range append(outside, personal...) {
		t.excluded[id] = true
	}
	return err
}
