package review

import (
	"context"
	"database/sql"
	"slices"

	"hence/edges/belief"
	"hence/internal/db"
	"hence/internal/lists"
	"hence/internal/ref"
)

// Effect is what accepting a call does.
type Effect struct {
	Supersedes []ref.Named `json:"supersedes"`
	belief.Consequences
	Refused string   `json:"refused,omitempty"` // why it cannot be accepted now
	Needs   []string `json:"needs,omitempty"`   // keys of calls of its session that have to be accepted before
	Needed  []string `json:"-"`                 // their ids
	touched []Touched
}

// Touched is a memory that a call concerns, as it is then.
type Touched struct {
	ID, Title, Content, Namespace, Trust, Since string

	New     bool // the call stores it
	Changed bool // or changes it, but for its edges

	said   bool // the call stores or changes its text
	status string
	key    int64
}

// Changed returns the memories that the call stores or changes, else those whose edges it changes.
func (e Effect) Changed() []Touched {
	changed := slices.DeleteFunc(slices.Clone(e.touched), func(m Touched) bool { return !m.Changed })
	if len(changed) == 0 {
		return e.touched
	}
	return changed
}

// moment is a place in the journal.
type moment struct {
	seq   int64
	asked int // rows of the table asked
}

func mark(ctx context.Context, d *db.DB) (m moment, err error) {
	m, _, err = db.First(ctx, d, db.Fields(func(m *moment) []any { return []any{&m.seq, &m.asked} }), `
select
  (select coalesce(max(seq), 0) from journal),
  (select count(*) from asked)`)
	return m, err
}

// touched returns the memories that were stored, changed, linked or unlinked since then: first those that were
// stored, then those that were changed.
func (m moment) touched(ctx context.Context, d *db.DB) (all []Touched, err error) {
	err = d.Read(ctx, func(r *db.Reader) error {
		all, err = db.Select(ctx, r, func(row *sql.Rows) (t Touched, err error) {
			return t, row.Scan(&t.key, &t.ID, &t.Title, &t.Content, &t.Namespace, &t.Since, &t.status, &t.New, &t.said, &t.Changed)
		}, `
with changed (id, is_new, is_said, is_changed) as (
  select
    id,
    action = 'store',
    action in ('store', 'update'),
    action in ('store', 'update', 'forget', 'restore', 'verify')
  from journal
  where seq > ?1
    and thing = 'memory'
  union all
  select m.id, 0, 0, 0
  from journal j
  cross join edges e on e.id = j.id
  cross join memories m on m.key in (e.from_key, e.to_key)
  where j.seq > ?1
    and j.thing = 'edge'
  union all
  select value, 0, 0, 0
  from journal j
  cross join json_each(j.before)
  where j.seq > ?1
    and j.action = 'unlink'
    and json_each.key in ('from', 'to')
)
select
  m.key,
  m.id,
  m.title,
  m.content,
  m.namespace,
  coalesce(m.valid_from, m.created_at),
  m.status,
  max(c.is_new),
  max(c.is_said),
  max(c.is_changed)
from changed c
cross join memories m on m.id = c.id
group by m.id
order by max(c.is_new) desc, max(c.is_changed) desc, m.id`, m.seq)
		if err != nil {
			return err
		}
		trust, err := ref.Trust(ctx, r, lists.Map(all, func(m Touched) int64 { return m.key }))
		for i := range all {
			all[i].Trust = trust[all[i].key]
		}
		return err
	})
	return all, err
}

// Foretell returns what accepting a call would do now.
func (k Desk) Foretell(ctx context.Context, c Call) (e Effect, err error) {
	person := k.Caller
	person.Origin = ref.Person
	err = k.DB.Rehearse(ctx, func(d *db.DB) error {
		if e, err = c.foretell(ctx, d, &person); err != nil || e.Refused == "" {
			return err
		}
		e.Needed, err = c.needs(ctx, d, &person)
		return err
	})
	return e, err
}

// Would returns the memories that the calls which the caller sees would touch, as they would be. It is nil where they cannot be
// tried.
func (k Desk) Would(ctx context.Context) (all []Touched, err error) {
	waiting, err := k.Waiting(ctx, k.Caller.Namespace)
	if err != nil || len(waiting) == 0 || k.DB.ReadOnly() || k.DB.Cluster() != nil {
		return nil, err
	}
	return all, k.DB.Rehearse(ctx, func(d *db.DB) error {
		all, err = touchedBy(ctx, d, waiting)
		return err
	})
}

func (c Call) foretell(ctx context.Context, d *db.DB, person *ref.Caller) (e Effect, err error) {
	return Foresee(ctx, d, func(d *db.DB) error { return c.carryOut(ctx, d, "", person) })
}

// Foresee returns what a change would do, which it rehearses twice: to learn what it touches, and to compare what follows.
func Foresee(ctx context.Context, d *db.DB, change func(d *db.DB) error) (e Effect, err error) {
	e = Effect{Supersedes: []ref.Named{}, Consequences: belief.NoConsequences()}
	err = d.Rehearse(ctx, func(d *db.DB) error {
		before, err := mark(ctx, d)
		if err == nil {
			err = change(d)
		}
		if err == nil {
			e.touched, err = before.touched(ctx, d)
		}
		return err
	})
	if err != nil && isRefusal(err) {
		e.Refused = ref.Explain(err)
		return e, nil
	}
	if err != nil {
		return e, err
	}
	ids, watch, now := lists.Map(e.touched, func(m Touched) string { return m.ID }), belief.Watch{}, belief.Consequences{}
	err = d.Read(ctx, func(r *db.Reader) error {
		if watch, err = belief.NewWatch(ctx, r, ids...); err == nil {
			now, err = belief.Watch{}.Consequences(ctx, r, ids...)
		}
		return err
	})
	if err != nil {
		return e, err
	}
	return e, d.Rehearse(ctx, func(d *db.DB) error {
		if err := change(d); err != nil {
			return err
		}
		for _, m := range e.touched {
			if m.status == "superseded" && slices.Contains(watch.Current, m.ID) {
				e.Supersedes = append(e.Supersedes, ref.Named{ID: m.ID, Title: m.Title, Trust: m.Trust})
			}
		}
		return d.Read(ctx, func(r *db.Reader) error {
			e.Consequences, err = watch.Consequences(ctx, r, ids...)
			e.TakesOver = nil // it is offered when that has been done
			e.Conflicts = slices.DeleteFunc(e.Conflicts, func(one belief.Conflict) bool {
				return slices.ContainsFunc(now.Conflicts, func(old belief.Conflict) bool { return old.A.ID == one.A.ID && old.B.ID == one.B.ID })
			})
			return err
		})
	})
}

// needs returns the ids of the calls of the same session without which this one is refused.
func (c Call) needs(ctx context.Context, d *db.DB, person *ref.Caller) (needed []string, err error) {
	all, err := db.Select(ctx, d, ScanCall, SelectCalls+`
  and caller ->> '$.session' = ?1
  and (at, id) < (?2, ?3)
order by at, id`, c.By.Session, c.At, c.ID)
	if err != nil {
		return nil, err
	}
	passes := func(earlier []Call) (ok bool, err error) {
		err = d.Rehearse(ctx, func(d *db.DB) error {
			if err := replay(ctx, d, earlier); err != nil {
				return err
			}
			err := c.carryOut(ctx, d, "", person)
			ok = err == nil
			if err != nil && isRefusal(err) {
				return nil
			}
			return err
		})
		return ok, err
	}
	if ok, err := passes(all); err != nil || !ok {
		return nil, err
	}
	for i := len(all) - 1; i >= 0 && err == nil; i-- {
		fewer, ok := slices.Delete(slices.Clone(all), i, i+1), false
		if ok, err = passes(fewer); ok {
			all = fewer
		}
	}
	return lists.Map(all, func(c Call) string { return c.ID }), err
}
