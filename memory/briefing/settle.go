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
	"hence/internal/prose"
	"hence/internal/ref"
	"hence/internal/secret"
)

// readUnsettled reads the stale memories, the last changed first, and the other open matters:
// the losing texts of merges, the contradictions, the newest first, and what the client loads though it
// is superseded. It alternates between
// the two, and puts the project's memories first.
func (b Briefer) readUnsettled(ctx context.Context, r *db.Reader, a Args, k *material) error {
	stale, total, err := b.readStale(ctx, r, a)
	if err != nil {
		return err
	}
	contradictions, conflicts, _, err := belief.FirstConflicts(ctx, r, b.Caller.Namespace, edges.Today(), maxShown)
	if err != nil {
		return err
	}
	others, err := b.readOtherEdits(ctx, r)
	if err != nil {
		return err
	}
	unread := max(0, conflicts-len(contradictions))
	for _, c := range contradictions {
		others = append(others, Unsettled{Named: maskTitle(c.A.Named), Reason: "contradicts", Other: maskTitle(c.B.Named), Note: prose.OneLine(secret.Mask(c.Note))})
	}
	others = append(others, k.loaded.superseded...)
	nearness, err := b.readNearness(ctx, r, a, slices.Concat(stale, others))
	if err != nil {
		return err
	}
	others = slices.DeleteFunc(others, func(u Unsettled) bool {
		_, concerns := nearness[u.ID]
		_, otherConcerns := nearness[u.Other.ID]
		return !concerns && !otherConcerns
	})
	k.unsettledCount = total + len(others) + unread
	for i := range max(len(stale), len(others)) {
		k.toSettle = append(append(k.toSettle, slices.Clip(stale[min(i, len(stale)):min(i+1, len(stale))])...),
			others[min(i, len(others)):min(i+1, len(others))]...)
	}
	slices.SortStableFunc(k.toSettle, func(a, b Unsettled) int { return cmp.Compare(nearness[a.ID], nearness[b.ID]) })
	return nil
}

// readOtherEdits returns the memories of which a text lost in a merge, with the memories that
// keep these texts.
func (b Briefer) readOtherEdits(ctx context.Context, r *db.Reader) ([]Unsettled, error) {
	return db.Select(ctx, r, func(row *sql.Rows) (u Unsettled, err error) {
		u.Reason = "edited"
		err = db.Scan(row, &u.Named, &u.Trust, &u.Other, &u.Other.Trust)
		u.Named, u.Other = maskTitle(u.Named), maskTitle(u.Other)
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
limit ?2`, b.Caller.Namespace, maxShown)
}

// readStale returns the first stale memories until the budget is used up, and how
// many stale memories there are, counting at most about maxShown.
func (b Briefer) readStale(ctx context.Context, r *db.Reader, a Args) (first []Unsettled, total int, err error) {
	keys, _, err := belief.Latest(ctx, r, b.Caller.Namespace, maxShown)
	if err != nil {
		return nil, 0, err
	}
	all, allowance := ranking{}, a.bytes()
	all.rows, err = db.Select(ctx, r, b.scanRow, columns+`
from json_each(?2) k
cross join memories m on m.key = k.value
where m.status = 'current'
  and m.kind <> 'turn'
  and ?1 in ('', m.namespace)`+concerns+`
order by m.updated_at desc, m.id`, b.Caller.Namespace, db.List(keys), nil, b.Caller.Own(), a.Others)
	if err != nil {
		return nil, 0, err
	}
	all.sort()
	if err := all.read(ctx, r, false); err != nil {
		return nil, 0, err
	}
	for batch := range slices.Chunk(all.rows[:min(len(all.rows), maxShown)], batchSize) {
		doubts, err := belief.Stale(ctx, r, ranking{rows: batch}.keys())
		if err != nil {
			return nil, 0, err
		}
		for _, e := range batch {
			if reasons := doubts[e.Key]; len(reasons) > 0 {
				entry := Unsettled{Named: maskTitle(e.Named()), Reason: reasons[0].Reason, Other: maskTitle(reasons[0].Named)}
				entry.Title, _ = budget.Cut(entry.Title, maxTitle)
				entry.Other.Title, _ = budget.Cut(entry.Other.Title, maxOther)
				first = append(first, entry)
				allowance -= len(entry.ID) + len(entry.Title) + len(entry.Other.ID) + len(entry.Other.Title) // the least that it can cost
			}
		}
		if allowance <= 0 {
			break
		}
	}
	if err := readSuccessors(ctx, r, first); err != nil {
		return nil, 0, err
	}
	return first, len(all.rows), ref.Mark(ctx, r, &first)
}

// batchSize is the number of memories in one query for the reasons why they are stale.
const batchSize = 20

// readSuccessors sets the current successor of the reasons that were superseded.
func readSuccessors(ctx context.Context, r *db.Reader, stale []Unsettled) error {
	ids := []string{}
	for _, u := range stale {
		if u.Reason == "superseded" {
			ids = append(ids, u.Other.ID)
		}
	}
	successors := map[string]ref.Named{}
	err := db.Each(ctx, r, func(row *sql.Rows) error {
		var id string
		var last ref.Named
		err := db.Scan(row, &id, &last)
		successors[id] = maskTitle(last)
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
	for i, u := range stale {
		if last, ok := successors[u.Other.ID]; ok {
			stale[i].Successor = &last
		}
	}
	return err
}

// readNearness returns the nearness of those memories, and of their others, that concern the
// caller, by id: see ref.Nearness.
func (b Briefer) readNearness(ctx context.Context, r *db.Reader, a Args, all []Unsettled) (map[string]int, error) {
	ids, nearness := []string{}, map[string]int{}
	for _, u := range all {
		ids = append(ids, u.ID, u.Other.ID)
	}
	return nearness, db.Fill(ctx, r, nearness, `
select
  m.id,
  `+ref.Nearness("?4")+`
from json_each(?1) k
cross join memories m on m.id = k.value
where true`+concerns, db.List(ids), nil, nil, b.Caller.Own(), a.Others)
}
