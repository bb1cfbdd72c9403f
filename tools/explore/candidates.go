package explore

import (
	"context"

	"hence/edges"
	"hence/internal/db"
	"hence/internal/ref"
)

// Candidate is an edge that a heuristic found between two memories without a
// declared edge.
type Candidate struct {
	ID    string    `json:"id" jsonschema:"of the edge"`
	From  ref.Named `json:"from"`
	To    ref.Named `json:"to"`
	Sites []Site    `json:"sites" jsonschema:"the first 20 places where it was found"`
	key   int64
}

// CandidatesResult is a page of candidates, in the order of the titles.
type CandidatesResult struct {
	Candidates []Candidate `json:"candidates"`
	edges.Page
}

// Candidates lists the mentions between current memories that have no declared
// edge in either direction, and were not dismissed.
func (q reader) Candidates(ctx context.Context, a edges.PageArgs) (result CandidatesResult, err error) {
	var after candidateMark
	namespace, err := a.Start("candidates", q.Caller, &after)
	if err != nil {
		return result, err
	}
	err = q.DB.Read(ctx, func(r *db.Reader) error {
		if result.TotalCount, _, err = db.One[int](ctx, r, `select count(*)`+guessed, namespace); err != nil {
			return err
		}
		all, err := db.Select(ctx, r, db.Fields(func(c *Candidate) []any {
			return []any{&c.key, &c.ID, &c.From, &c.To}
		}), selectCandidates, namespace, a.Cursor != "", after.From, after.To, after.ID, a.Limit+1)
		if err != nil {
			return err
		}
		all, result.Next = edges.Cut("candidates", all, a.Limit, func(c Candidate) any {
			return candidateMark{c.From.Title, c.To.Title, c.ID}
		})
		places, err := sitesOf(ctx, r, edges.Keys(all, func(c Candidate) int64 { return c.key }))
		for i, c := range all {
			all[i].Sites = append([]Site{}, places[c.key].sites...)
		}
		result.Candidates = all
		return err
	})
	result.Truncated, result.ReturnedCount = result.Next != "", len(result.Candidates)
	return result, err
}

// candidateMark is the last candidate of a page, for the cursor.
type candidateMark struct {
	From string `json:"f"`
	To   string `json:"t"`
	ID   string `json:"d"`
}

// guessed are the mentions without a declared edge, in the namespace ?1.
const guessed = `
from edges e
join memories f on f.key = e.from_key and f.status = 'current'
join memories t on t.key = e.to_key and t.status = 'current'
where e.kind = 'mentions'
  and ?1 in ('', f.namespace)
  and not exists (
    select 1
    from edges d
    where d.from_key = e.from_key
      and d.to_key = e.to_key
      and d.kind <> 'mentions'
  )
  and not exists (
    select 1
    from edges d
    where d.from_key = e.to_key
      and d.to_key = e.from_key
      and d.kind <> 'mentions'
  )
  and not ` + isDismissed

const selectCandidates = `
select
  e.key,
  e.id,
  f.id,
  f.title,
  t.id,
  t.title` + guessed + `
  and (?2 = 0 or (f.title, t.title, e.id) > (?3, ?4, ?5))
order by f.title, t.title, e.id
limit ?6`
