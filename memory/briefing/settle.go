package briefing

import (
	"cmp"
	"context"
	"database/sql"
	"slices"

	"hence/edges"
	"hence/edges/belief"
	"hence/internal/budget"
	"hence/internal/db"
	"hence/internal/ref"
	"hence/internal/secret"
)

// settle reads the stale memories, the last changed first, and what else is open, the texts
// that gave way in merges and the contradictions, the newest first. The two take turns; the
// project's come first.
func (b Briefer) settle(ctx context.Context, r *db.Reader, a Args, k *known) error {
	stale, total, err := b.stale(ctx, r, a.bytes())
	if err != nil {
		return err
	}
	open, conflicts, _, err := belief.FirstConflicts(ctx, r, b.Caller.Namespace, edges.Today(), candidates)
	if err != nil {
		return err
	}
	against, err := b.otherEdits(ctx, r)
	if err != nil {
		return err
	}
	conflicts += len(against)
	for _, c := range open {
		against = append(against, Unsettled{Named: mask(c.A.Named), Trust: c.A.Trust, Reason: "contradicts", Other: mask(c.B.Named), OtherTrust: c.B.Trust, Note: oneLine(secret.Mask(c.Note))})
	}
	k.unsettled = total + conflicts
	for i := range max(len(stale), len(against)) {
		k.toSettle = append(append(k.toSettle, slices.Clip(stale[min(i, len(stale)):min(i+1, len(stale))])...),
			against[min(i, len(against)):min(i+1, len(against))]...)
	}
	near, err := b.nearnesses(ctx, r, k.toSettle)
	slices.SortStableFunc(k.toSettle, func(a, b Unsettled) int { return cmp.Compare(near[a.ID], near[b.ID]) })
	return err
}

// otherEdits returns the memories of which another text gave way in a merge.
func (b Briefer) otherEdits(ctx context.Context, r *db.Reader) ([]Unsettled, error) {
	return db.Select(ctx, r, func(row *sql.Rows) (u Unsettled, err error) {
		u.Reason = "edited"
		err = db.Scan(row, &u.Named, &u.Trust, &u.Other, &u.OtherTrust)
		u.Named, u.Other = mask(u.Named), mask(u.Other)
		return u, err
	}, `
select
  m.id,
  m.title,
  `+ref.TrustOf("m")+`,
  t.id,
  t.title,
  `+ref.TrustOf("t")+`
from other_edits o
cross join memories m on m.key = o.memory
cross join memories t on t.key = o.text
where ?1 in ('', m.namespace)
order by t.created_at desc, t.id
limit ?2`, b.Caller.Namespace, candidates)
}

// stale returns the first stale memories, as far as a budget in bytes can pay for them,
// and how many there are.
func (b Briefer) stale(ctx context.Context, r *db.Reader, budgeted int) (first []Unsettled, total int, err error) {
	keys, _, err := belief.Latest(ctx, r, b.Caller.Namespace, candidates)
	if err != nil {
		return nil, 0, err
	}
	all := ranking{}
	all.rows, err = db.Select(ctx, r, b.scanRow, columns+`
from json_each(?2) k
cross join memories m on m.key = k.value
where m.status = 'current'
  and m.kind <> 'turn'
  and ?1 in ('', m.namespace)
order by m.updated_at desc, m.id`, b.Caller.Namespace, db.List(keys))
	if err != nil {
		return nil, 0, err
	}
	all.sort()
	if err := all.read(ctx, r, false); err != nil {
		return nil, 0, err
	}
	for some := range slices.Chunk(all.rows[:min(len(all.rows), candidates)], together) {
		doubts, err := belief.Stale(ctx, r, ranking{rows: some}.keys())
		if err != nil {
			return nil, 0, err
		}
		for _, e := range some {
			if why := doubts[e.key]; len(why) > 0 {
				one := Unsettled{Named: mask(e.named), Trust: e.trust, Reason: why[0].Reason, Other: mask(why[0].Named)}
				one.Title, _ = budget.Cut(one.Title, maxTitle)
				one.Other.Title, _ = budget.Cut(one.Other.Title, maxOther)
				first = append(first, one)
				budgeted -= len(one.ID) + len(one.Title) + len(one.Other.ID) + len(one.Other.Title) // at least
			}
		}
		if budgeted <= 0 {
			break
		}
	}
	if err := trustOthers(ctx, r, first); err != nil {
		return nil, 0, err
	}
	return first, len(all.rows), nameSuccessors(ctx, r, first)
}

// trustOthers says which reasons of what is stale are strangers' texts.
func trustOthers(ctx context.Context, r *db.Reader, stale []Unsettled) error {
	ids := edges.Keys(stale, func(one Unsettled) string { return one.Other.ID })
	trust := map[string]string{}
	err := db.Fill(ctx, r, trust, `
select
  m.id,
  `+ref.TrustOf("m")+`
from json_each(?) k
cross join memories m on m.id = k.value`, db.List(ids))
	for i := range stale {
		stale[i].OtherTrust = trust[stale[i].Other.ID]
	}
	return err
}

// together is how many memories are asked at once why they are stale.
const together = 20

// nameSuccessors adds to what is stale because something was superseded what has taken
// the place of that by now.
func nameSuccessors(ctx context.Context, r *db.Reader, stale []Unsettled) error {
	ids := []string{}
	for _, one := range stale {
		if one.Reason == "superseded" {
			ids = append(ids, one.Other.ID)
		}
	}
	successors := map[string]ref.Named{}
	err := db.Each(ctx, r, func(row *sql.Rows) error {
		var id string
		var last ref.Named
		err := db.Scan(row, &id, &last)
		successors[id] = mask(last)
		return err
	}, `
with recursive later (id, key, steps) as (
  select
    m.id,
    m.key,
    0
  from json_each(?) k
  cross join memories m on m.id = k.value
  union
  select
    l.id,
    e.from_key,
    l.steps + 1
  from later l
  cross join edges e on e.to_key = l.key and e.kind = 'supersedes'
)
select
  l.id,
  m.id,
  m.title
from later l
cross join memories m on m.key = l.key
where l.steps > 0
order by l.id, l.steps`, db.List(ids))
	for i, one := range stale {
		if last, ok := successors[one.Other.ID]; ok {
			stale[i].Successor = &last
		}
	}
	return err
}

// nearnesses returns how near to the project each of them is, by id.
func (b Briefer) nearnesses(ctx context.Context, r *db.Reader, all []Unsettled) (map[string]int, error) {
	near := map[string]int{}
	if b.Caller.Project == "" {
		return near, nil
	}
	ids := edges.Keys(all, func(one Unsettled) string { return one.ID })
	rows, err := db.Select(ctx, r, b.scanRow, columns+`
from json_each(?) k
cross join memories m on m.id = k.value`, db.List(ids))
	for _, e := range rows {
		near[e.named.ID] = e.nearness
	}
	return near, err
}
