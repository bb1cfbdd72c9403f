// Package team keeps the memories of a project as files of a folder, which git can compare and merge.
package team

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/memory"
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
	readOnly := s.DB.ReadOnly()
	sync := func(d *db.DB) error {
		s.DB = d
		done, err = syncFolder(ctx, s, a, readOnly)
		return err
	}
	switch {
	case a.DryRun: // the files depend on the merged store, so it merges into a copy
		err = db.InScratch(ctx, "sync "+a.Dir, s.DB, sync)
		done.Merged.DryRun = true
	case readOnly:
		err = lines.WithStamps(ctx, "sync "+a.Dir, s.DB, sync)
	default:
		err = sync(s.DB)
	}
	return done, err
}

// syncFolder merges the folder into the store and writes the files, even in a dry run. It composes
// the files first, to merge only those that say something else than the store. The store of s may be a copy of one that
// is open for reading only.
func syncFolder(ctx context.Context, s ref.View, a Args, readOnly bool) (done Synced, err error) {
	files, err := ReadFolder(a.Dir)
	if err != nil {
		return done, err
	}
	if err := s.DB.KeepUp(ctx); err != nil {
		return done, err
	}
	before := newTeam(s, a, "sync")
	before.readNames(files)
	if err := before.compose(ctx); err != nil {
		return done, err
	}
	t := newTeam(s, a, "sync")
	t.requireScope, t.known, t.readOnly = true, before.want, readOnly
	if err := t.readFiles(files); err != nil {
		return t.done, err
	}
	if err := t.merge(ctx); err != nil {
		return t.done, err
	}
	if readOnly && !a.DryRun && t.done.Merged.Changes() {
		return t.done, fault.New(fault.ReadOnly, "sync %s: it has changes for the store; leave --read-only out, or add --dry-run", a.Dir)
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
	readOnly     bool              // write no files
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

// Scope defines which memories are in a team's folder. A file of the folder holds it,
// so that everybody who syncs with the folder has the same scope.
type Scope struct {
	Namespace string `json:"namespace"`
	Project   string `json:"project"` // "" for memories of no project
}

// Words describes the scope in words, such as "project ferry".
func (s Scope) Words() string {
	words := "no project"
	if s.Project != "" {
		words = "project " + s.Project
	}
	if s.Namespace != "default" {
		words += " in namespace " + s.Namespace
	}
	return words
}

// scopeName is the name of the file that holds a folder's scope.
const scopeName = "team.json"

// ReadScope returns the scope of a folder, nil if it has none yet. It fails with
// invalid_argument if the file of the scope is malformed.
func ReadScope(dir string) (*Scope, error) {
	text, err := os.ReadFile(filepath.Join(dir, scopeName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, err, "sync %s: %s cannot be read", dir, scopeName)
	}
	scope, err := parseScope(text)
	if err != nil {
		return nil, fault.New(fault.InvalidArgument, "sync %s: %s: %v", dir, scopeName, err)
	}
	return &scope, nil
}

// HasScope reports whether the files include the one of the scope.
func (f Files) HasScope() bool { return f[scopeName] != nil }

// parseScope parses the file of the scope.
func parseScope(text []byte) (s Scope, err error) {
	wrong := errors.New(`it must be one line such as {"namespace":"default","project":"ferry"}`)
	if err := json.Unmarshal(text, &s); err != nil || s.Namespace == "" {
		return s, wrong
	}
	if strings.ContainsFunc(s.Namespace+s.Project, unicode.IsControl) {
		return s, wrong // the scope becomes part of a command for agents
	}
	if err := lines.CheckText("namespace", s.Namespace, lines.MaxNamespace); err != nil {
		return s, err
	}
	return s, lines.CheckText("project", s.Project, memory.MaxTag-len(ref.ProjectPrefix))
}

// isPersonal is the SQL condition that somebody keeps the memory m for themselves. It is a
// preference or part of a conversation, or it has a property private, in upper or lower
// case, whose value does not mean no.
const isPersonal = `(
  lower(trim(m.kind)) in ('preference', 'session', 'turn')
  or exists (
    select 1
    from json_each(m.properties) p
    where lower(trim(p.key)) = 'private'
      and lower(trim(coalesce(p.value, ''))) not in ('', '0', 'false', 'no', 'off')
  )
)`

// inScope is the SQL condition that the memory m may go into the folder of the namespace
// ?1 and the project ?2, "" for memories of no project.
const inScope = `
m.namespace = ?1
  and m.uri is null
  and iif(
    ?2 = '',
    not exists (select 1 from json_each(m.tags) where value glob 'project/*'),
    exists (select 1 from json_each(m.tags) where value = 'project/' || ?2)
  )
  and not ` + isPersonal
