package team

import (
	"context"
	"database/sql"
	"maps"
	"slices"
	"strings"

	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/exchange/lines"
)

// Changes lists the changes of a team's memory between two states of its folder.
type Changes struct {
	New          []Change `json:"new"`
	Changed      []Change `json:"changed"`
	Superseded   []Change `json:"superseded"`
	Forgotten    []Change `json:"forgotten"`
	Restored     []Change `json:"restored"`
	Contradicted []Change `json:"contradicted"`
	Stale        []Change `json:"stale"`           // that were not stale before, or for another reason
	Purged       []Change `json:"purged"`          // whose text is deleted for good
	Withdrawn    []Change `json:"withdrawn"`       // that somebody made personal
	Deleted      []Change `json:"deleted"`         // whose file is missing: the next sync of somebody who has the memory writes it again
	Scope        *Scope   `json:"scope,omitempty"` // the new scope, nil if it is the same
	Marks        []string `json:"marks"`           // files with git's conflict marks
	Secrets      []string `json:"secrets"`         // likely secrets: file, line, kind of secret
}

// Change is a memory that changed.
type Change struct {
	ref.Named
	Kind   string     `json:"kind"`
	Fields []string   `json:"fields,omitempty"` // the names of the changed fields
	Reason string     `json:"reason,omitempty"` // why it is stale: By was superseded, forgotten, contradicted or changed
	By     *ref.Named `json:"by,omitempty"`     // its successor, a memory that contradicts it, or one that it rests on
}

// Words describes the change in words: the short id, the fields, and By.
func (c Change) Words() string {
	words := append([]string{ref.ShortID(c.ID)}, c.Fields...)
	switch {
	case c.By != nil && c.Reason != "":
		words = append(words, "rests on "+c.By.Title+c.By.Mark()+", which was "+c.Reason)
	case c.By != nil:
		words = append(words, "by "+c.By.Title+c.By.Mark())
	}
	return strings.Join(words, ", ")
}

// Empty reports whether nothing changed, and there are neither conflict marks nor secrets.
func (c Changes) Empty() bool {
	return len(c.New)+len(c.Changed)+len(c.Superseded)+len(c.Forgotten)+len(c.Restored)+len(c.Contradicted)+len(c.Stale)+
		len(c.Purged)+len(c.Withdrawn)+len(c.Deleted)+len(c.Marks)+len(c.Secrets) == 0 && c.Scope == nil
}

// Compare returns the changes of a team's memory between two states of its folder. It
// reads each state into a temporary store. It fails with invalid_argument and the lines if
// files of the later state cannot be read. If files of the earlier state cannot be read,
// that state counts as empty.
func Compare(ctx context.Context, dir string, before, after Files) (done Changes, err error) {
	oldState, err := stateOf(ctx, dir, before)
	if fault.CodeOf(err) == fault.InvalidArgument {
		oldState, err = stateOf(ctx, dir, Files{})
	}
	if err != nil {
		return done, err
	}
	newState, err := stateOf(ctx, dir, after)
	if err != nil {
		return done, err
	}
	done = Changes{
		New: []Change{}, Changed: []Change{}, Forgotten: []Change{}, Restored: []Change{},
		Superseded: newState.newPairs("superseded", oldState), Contradicted: newState.newPairs("contradicted", oldState), Stale: newState.newPairs("stale", oldState),
		Purged: []Change{}, Withdrawn: []Change{}, Deleted: []Change{}, Marks: newState.marks, Secrets: newState.secrets,
	}
	if before.HasScope() && newState.scope != oldState.scope {
		done.Scope = &newState.scope
	}
	for _, id := range slices.Sorted(maps.Keys(newState.memories)) {
		m, change := newState.memories[id], newState.change(id)
		old, isKnown := oldState.memories[id]
		if !isKnown && m.Status != memory.Forgotten {
			done.New = append(done.New, change)
		}
		switch {
		case m.ForgottenAt != "" && old.ForgottenAt == "":
			done.Forgotten = append(done.Forgotten, change)
		case m.ForgottenAt == "" && old.ForgottenAt != "":
			done.Restored = append(done.Restored, change)
		}
		if change.Fields = lines.Differences(&old, &m); isKnown && len(change.Fields) > 0 {
			done.Changed = append(done.Changed, change)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(oldState.memories)) {
		_, isThere := newState.memories[id]
		_, withdrawn := newState.withdrawn[id]
		switch {
		case isThere:
		case newState.purged[id]:
			done.Purged = append(done.Purged, oldState.change(id))
		case withdrawn:
			done.Withdrawn = append(done.Withdrawn, oldState.change(id))
		default:
			done.Deleted = append(done.Deleted, oldState.change(id))
		}
	}
	return done, nil
}

// state is the state of a team's memory according to the folder at one time.
type state struct {
	memories       map[string]lines.Memory // by id
	trust          map[string]string       // marks of strangers' texts, by id
	purged         map[string]bool         // ids of removals; true for purges
	pairs          map[pair]bool
	marks, secrets []string // see Changes
	scope          Scope
	withdrawn      map[string]string // see team
}

// pair is a memory, and the one because of which it is superseded, contradicted or stale, which is
// its sort.
type pair struct{ sort, id, by, reason string }

// stateOf reads files into a temporary store, and returns its state.
func stateOf(ctx context.Context, dir string, files Files) (s *state, err error) {
	err = db.InScratch(ctx, "check "+dir, nil, func(scratch *db.DB) error {
		t := newTeam(ref.View{DB: scratch, Caller: ref.Caller{Namespace: "default"}}, Args{Dir: dir}, "check")
		if err := t.readFiles(files); err != nil {
			return err
		}
		if err := t.merge(ctx); err != nil {
			return err
		}
		s = &state{
			memories: map[string]lines.Memory{}, trust: map[string]string{}, purged: map[string]bool{}, pairs: map[pair]bool{},
			marks: t.done.Marks, secrets: files.secrets(), scope: t.scope, withdrawn: t.withdrawn,
		}
		return scratch.Read(ctx, func(r *db.Reader) error { return s.read(ctx, r) })
	})
	return s, err
}

// read fills the state from the temporary store.
func (s *state) read(ctx context.Context, r *db.Reader) error {
	memories, err := db.Select(ctx, r, lines.ScanMemory, lines.SelectMemories, "")
	if err != nil {
		return err
	}
	for _, m := range memories {
		s.memories[m.ID] = m
	}
	if err := db.Fill(ctx, r, s.trust, `
select
  m.id,
  `+ref.TrustOf("m")+`
from memories m`); err != nil {
		return err
	}
	removals, err := db.Select(ctx, r, lines.ScanRemoved, lines.SelectRemoved, "")
	if err != nil {
		return err
	}
	for _, l := range removals {
		s.purged[l.ID] = s.purged[l.ID] || l.Type == lines.TypePurged
	}
	return db.Each(ctx, r, func(row *sql.Rows) error {
		var one pair
		err := row.Scan(&one.sort, &one.id, &one.by, &one.reason)
		s.pairs[one] = true
		return err
	}, `
select
  iif(kind = 'supersedes', 'superseded', 'contradicted'),
  to_id,
  from_id,
  ''
from edge_list
where kind in ('supersedes', 'contradicts')
union all
select
  'stale',
  id,
  because_id,
  reason
from stale`)
}

// change returns a change that names a memory of the state.
func (s *state) change(id string) Change {
	m := s.memories[id]
	return Change{Named: ref.Named{ID: id, Title: m.Title, Trust: s.trust[id]}, Kind: m.Kind}
}

// newPairs returns changes for the pairs of a sort that another state lacks, sorted by id.
func (s *state) newPairs(sort string, previous *state) []Change {
	all := []Change{}
	for one := range s.pairs {
		if one.sort != sort || previous.pairs[one] {
			continue
		}
		change := s.change(one.id)
		change.Reason, change.By = one.reason, &ref.Named{ID: one.by, Title: s.memories[one.by].Title, Trust: s.trust[one.by]}
		all = append(all, change)
	}
	slices.SortFunc(all, func(a, b Change) int {
		return strings.Compare(a.ID+" "+a.By.ID+" "+a.Reason, b.ID+" "+b.By.ID+" "+b.Reason)
	})
	return all
}
