package exchange

import (
	"context"
	"database/sql"
	"maps"
	"slices"
	"strings"

	"hence/edges"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/memory"
)

// TeamChanges are what changed in a team's memory between two states of its folder.
type TeamChanges struct {
	New          []TeamChange `json:"new"`
	Changed      []TeamChange `json:"changed"`
	Superseded   []TeamChange `json:"superseded"`
	Forgotten    []TeamChange `json:"forgotten"`
	Restored     []TeamChange `json:"restored"`
	Contradicted []TeamChange `json:"contradicted"`
	Stale        []TeamChange `json:"stale"`           // that were not, or not for this reason
	Purged       []TeamChange `json:"purged"`          // with no text left
	Withdrawn    []TeamChange `json:"withdrawn"`       // that somebody keeps for themselves now
	Deleted      []TeamChange `json:"deleted"`         // whose file is gone: the next sync of somebody who has it writes it again
	Scope        *TeamScope   `json:"scope,omitempty"` // if the folder keeps other memories from now on
	Marks        []string     `json:"marks"`           // files with git's conflict marks
	Secrets      []string     `json:"secrets"`         // what looks like a secret: file, line, kind of secret
}

// TeamChange is a memory that changed.
type TeamChange struct {
	ref.Named
	Kind   string     `json:"kind"`
	Fields []string   `json:"fields,omitempty"` // that changed
	Reason string     `json:"reason,omitempty"` // of what is stale: superseded, forgotten, contradicted or changed
	By     *ref.Named `json:"by,omitempty"`     // its successor, what contradicts it, or what it rests on
}

// Words says in words what changed.
func (c TeamChange) Words() string {
	words := append([]string{ref.ShortID(c.ID)}, c.Fields...)
	switch {
	case c.By != nil && c.Reason != "":
		words = append(words, "rests on "+c.By.Title+", which was "+c.Reason)
	case c.By != nil:
		words = append(words, "by "+c.By.Title)
	}
	return strings.Join(words, ", ")
}

// Empty reports whether nothing changed, and nothing is to be mended.
func (c TeamChanges) Empty() bool {
	return len(c.New)+len(c.Changed)+len(c.Superseded)+len(c.Forgotten)+len(c.Restored)+len(c.Contradicted)+len(c.Stale)+
		len(c.Purged)+len(c.Withdrawn)+len(c.Deleted)+len(c.Marks)+len(c.Secrets) == 0 && c.Scope == nil
}

// CompareTeam says what changed in a team's memory between two states of its folder. Each
// is read into a store of its own, which goes afterwards. It fails with invalid_argument
// and the lines if files of the later state cannot be read; what cannot be read of the
// earlier one is taken for new.
func CompareTeam(ctx context.Context, dir string, before, after TeamFiles) (done TeamChanges, err error) {
	then, err := teamStateOf(ctx, dir, before)
	if fault.CodeOf(err) == fault.InvalidArgument {
		then, err = teamStateOf(ctx, dir, TeamFiles{})
	}
	if err != nil {
		return done, err
	}
	now, err := teamStateOf(ctx, dir, after)
	if err != nil {
		return done, err
	}
	done = TeamChanges{
		New: []TeamChange{}, Changed: []TeamChange{}, Forgotten: []TeamChange{}, Restored: []TeamChange{},
		Superseded: now.pairs(now.successors, then.successors), Contradicted: now.pairs(now.contradicted, then.contradicted), Stale: now.pairs(now.stale, then.stale),
		Purged: []TeamChange{}, Withdrawn: []TeamChange{}, Deleted: []TeamChange{}, Marks: now.marks, Secrets: now.secrets,
	}
	if before.HasScope() && now.scope != then.scope {
		done.Scope = &now.scope
	}
	for _, id := range slices.Sorted(maps.Keys(now.memories)) {
		m, change := now.memories[id], now.change(id)
		old, known := then.memories[id]
		if !known && m.Status != memory.Forgotten {
			done.New = append(done.New, change)
		}
		switch {
		case m.ForgottenAt != nil && old.ForgottenAt == nil:
			done.Forgotten = append(done.Forgotten, change)
		case m.ForgottenAt == nil && old.ForgottenAt != nil:
			done.Restored = append(done.Restored, change)
		}
		if change.Fields = differences(&old, &m); known && len(change.Fields) > 0 {
			done.Changed = append(done.Changed, change)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(then.memories)) {
		_, there := now.memories[id]
		_, withdrawn := now.withdrawn[id]
		switch {
		case there:
		case now.purged[id]:
			done.Purged = append(done.Purged, then.change(id))
		case withdrawn:
			done.Withdrawn = append(done.Withdrawn, then.change(id))
		default:
			done.Deleted = append(done.Deleted, then.change(id))
		}
	}
	return done, nil
}

// teamState is what a folder says at one time.
type teamState struct {
	memories                        map[string]memoryLine
	purged                          map[string]bool
	successors, contradicted, stale map[pair]bool
	marks, secrets                  []string
	scope                           TeamScope
	withdrawn                       map[string]string
}

// pair is a memory, and the one for whose sake it is superseded, contradicted or stale.
type pair struct{ id, by, reason string }

// teamStateOf reads files into a store of their own, and what follows from them.
func teamStateOf(ctx context.Context, dir string, files TeamFiles) (state *teamState, err error) {
	err = inScratch(ctx, "check "+dir, nil, func(scratch *db.DB) error {
		t := Store{DB: scratch, Caller: ref.Caller{Namespace: "default"}}.team(TeamArgs{Dir: dir}, "check")
		if err := t.readFiles(files); err != nil {
			return err
		}
		if err := t.merge(ctx); err != nil {
			return err
		}
		state = &teamState{
			memories: map[string]memoryLine{}, purged: map[string]bool{}, successors: map[pair]bool{}, contradicted: map[pair]bool{}, stale: map[pair]bool{},
			marks: t.done.Marks, secrets: files.secrets(), scope: t.scope, withdrawn: t.withdrawn,
		}
		return scratch.Read(ctx, func(r *db.Reader) error { return state.read(ctx, r) })
	})
	return state, err
}

func (s *teamState) read(ctx context.Context, r *db.Reader) error {
	memories, err := db.Select(ctx, r, scanMemory, selectMemories, "")
	if err != nil {
		return err
	}
	for _, m := range memories {
		s.memories[m.ID] = m
	}
	gone, err := db.Select(ctx, r, scanRemoved, selectRemoved, "")
	if err != nil {
		return err
	}
	for _, l := range gone {
		s.purged[l.ID] = s.purged[l.ID] || l.Type == typePurged
	}
	err = db.Each(ctx, r, func(row *sql.Rows) error {
		e, err := scanEdge(row)
		switch edges.Kind(e.EdgeType) {
		case edges.Supersedes:
			s.successors[pair{e.To, e.From, ""}] = true
		case edges.Contradicts:
			s.contradicted[pair{e.To, e.From, ""}] = true
		}
		return err
	}, selectEdges, "")
	if err != nil {
		return err
	}
	return db.Each(ctx, r, func(row *sql.Rows) error {
		var one pair
		err := row.Scan(&one.id, &one.by, &one.reason)
		s.stale[one] = true
		return err
	}, `
select
  id,
  because_id,
  reason
from stale`)
}

func (s *teamState) change(id string) TeamChange {
	m := s.memories[id]
	return TeamChange{Named: ref.Named{ID: id, Title: m.Title}, Kind: m.Kind}
}

// pairs returns the pairs that were not before.
func (s *teamState) pairs(now, before map[pair]bool) []TeamChange {
	all := []TeamChange{}
	for one := range now {
		if before[one] {
			continue
		}
		change := s.change(one.id)
		change.Reason, change.By = one.reason, &ref.Named{ID: one.by, Title: s.memories[one.by].Title}
		all = append(all, change)
	}
	slices.SortFunc(all, func(a, b TeamChange) int {
		return strings.Compare(a.ID+" "+a.By.ID+" "+a.Reason, b.ID+" "+b.By.ID+" "+b.Reason)
	})
	return all
}
