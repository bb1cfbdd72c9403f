package vault

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"slices"
	"sync"
	"time"

	"hence/edges"
	"hence/internal/db"
	"hence/internal/fault"
)

// shownChanges is the number of edges and dangling links that an Effect lists.
const shownChanges = 20

// Effect is what a write has changed in the store: edges to and from the note,
// and where its links lead to nothing now.
type Effect struct {
	EdgesAdded   Listed[EdgeChange]   `json:"edges_added"`
	EdgesRemoved Listed[EdgeChange]   `json:"edges_removed"`
	Dangling     Listed[DanglingLink] `json:"dangling"` // links of the note that lead to nothing
}

// EdgeChange is an edge, by the titles of what it joins.
type EdgeChange struct {
	From string     `json:"from"`
	Type edges.Kind `json:"type"`
	Rel  string     `json:"rel"`
	To   string     `json:"to"`
}

// DanglingLink is a link whose target does not exist.
type DanglingLink struct {
	LineNumber int    `json:"line_number"`
	Target     string `json:"target"`
}

// links are what ties a note to others.
type links struct {
	id       string
	edges    map[string]EdgeChange // by id
	dangling []DanglingLink
}

// linksOf reads what ties a file to others. One that the store does not know has
// nothing.
func (i Importer) linksOf(ctx context.Context, s File) (l links, err error) {
	l.edges = map[string]EdgeChange{}
	err = i.DB.Read(ctx, func(r *db.Reader) error {
		key, found, err := db.One[int64](ctx, r, `select key from memories where uri = ? and status <> 'forgotten'`, URI(s.Name, s.Path))
		if err != nil || !found {
			return err
		}
		if l.id, _, err = db.One[string](ctx, r, `select id from memories where key = ?`, key); err != nil {
			return err
		}
		if _, err = db.Select(ctx, r, func(row *sql.Rows) (struct{}, error) {
			var id string
			var e EdgeChange
			err := row.Scan(&id, &e.From, &e.Type, &e.Rel, &e.To)
			l.edges[id] = e
			return struct{}{}, err
		}, selectEdgesOf, key); err != nil {
			return err
		}
		l.dangling, err = db.Select(ctx, r, func(row *sql.Rows) (d DanglingLink, err error) {
			err = row.Scan(&d.LineNumber, &d.Target)
			return d, err
		}, `
select
  line,
  target || anchor
from sites
where note = ?
  and resolved_by = ''
order by line, key`, key)
		return err
	})
	return l, err
}

const selectEdgesOf = `
select
  e.id,
  f.title,
  e.kind,
  e.rel,
  t.title
from (
  select key from edges where from_key = ?1
  union
  select key from edges where to_key = ?1
) k
join edges e on e.key = k.key
join memories f on f.key = e.from_key
join memories t on t.key = e.to_key
where e.kind <> 'mentions'`

// effect is the difference to what is so afterwards.
func (l links) effect(after links) Effect {
	return Effect{
		EdgesAdded:   firstOf(missingIn(after.edges, l.edges)),
		EdgesRemoved: firstOf(missingIn(l.edges, after.edges)),
		Dangling:     firstOf(after.dangling),
	}
}

// missingIn returns the edges that are not in others, in the order of their
// words.
func missingIn(all, others map[string]EdgeChange) (missing []EdgeChange) {
	for id, e := range all {
		if _, ok := others[id]; !ok {
			missing = append(missing, e)
		}
	}
	slices.SortFunc(missing, func(a, b EdgeChange) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.Type, b.Type), cmp.Compare(a.Rel, b.Rel), cmp.Compare(a.To, b.To))
	})
	return missing
}

// firstOf lists the first of some things.
func firstOf[T any](all []T) Listed[T] {
	shown := listOf(all[:min(len(all), shownChanges)])
	return Listed[T]{Items: shown, TotalCount: len(all), ReturnedCount: len(shown), Truncated: len(shown) < len(all)}
}

// projections is what a process keeps in mind of the vaults that it writes to:
// who is called what, so that not all names are read for each note.
type projections struct {
	mutex sync.Mutex
	of    map[string]*state // by the vault's name
}

// take returns what is known of a vault, and forgets it: after a failure it
// would be of no use.
func (k *projections) take(name string) *state {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	s := k.of[name]
	delete(k.of, name)
	return s
}

func (k *projections) put(name string, s *state) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	if k.of == nil {
		k.of = map[string]*state{}
	}
	k.of[name] = s
}

// reproject takes a file that was written into the store. The whole folder is
// looked at where this is the first write, and after an import that found
// something to change, so that the names are known. It is done even when the
// caller has gone meanwhile, and waits for an import that does not know of the
// lock (of an older Hence).
func (i Importer) reproject(ctx context.Context, operation string, s File) error {
	i.Progress, i.moved = nil, nil
	kept := db.Kept[projections](i.DB)
	return i.whenFree(ctx, operation, func(ctx context.Context) (err error) {
		a, known := ImportArgs{Dir: s.Root, Name: s.Name}, kept.take(s.Name)
		if known == nil {
			_, known, err = i.importAll(ctx, a)
		} else {
			known.settings = s.settings
			_, known, err = i.importPaths(ctx, a, known, seen{paths: map[string]bool{s.Path: true}})
		}
		if err == nil {
			kept.put(s.Name, known)
		}
		return err
	})
}

// reprojectMoved takes a file that was moved, and those whose links were
// written anew, into the store.
func (i Importer) reprojectMoved(ctx context.Context, operation string, v Vault, from, to string) error {
	i.Progress, i.moved = nil, map[string]string{to: from}
	return i.whenFree(ctx, operation, func(ctx context.Context) error {
		_, _, err := i.importAll(ctx, ImportArgs{Dir: v.Root, Name: v.Name})
		return err
	})
}

// How long, and how often, a projection is tried again while another import is
// under way.
const (
	importWait  = 30 * time.Second
	importRetry = 100 * time.Millisecond
)

// whenFree projects, again and again while another import is under way.
func (i Importer) whenFree(ctx context.Context, operation string, project func(ctx context.Context) error) error {
	ctx = context.WithoutCancel(ctx)
	until := time.Now().Add(importWait)
	for {
		err := project(ctx)
		switch {
		case err == nil:
			return nil
		case !errors.Is(err, errAnotherImport) || time.Now().After(until):
			return fault.Wrap(fault.Unavailable, err, "%s: the file is written, and the store does not know yet; import the vault", operation)
		}
		time.Sleep(importRetry)
	}
}
