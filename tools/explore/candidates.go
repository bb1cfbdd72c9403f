package explore

import (
	"context"
	"database/sql"

	"hence/edges"
	"hence/internal/args"
	"hence/internal/db"
)

// Candidate is an edge that a heuristic found between two memories without a
// declared edge.
type Candidate struct {
	ID    string     `json:"id" jsonschema:"of the edge"`
	From  edges.Name `json:"from"`
	To    edges.Name `json:"to"`
	Sites []Site     `json:"sites" jsonschema:"the first 20 places where it was found"`
	key   int64
}

// CandidatesResult is a page of candidates, in the order of the titles.
type CandidatesResult struct {
	Candidates    []Candidate `json:"candidates"`
	TotalCount    int         `json:"total_count"`
	ReturnedCount int         `json:"returned_count"`
	Truncated     bool        `json:"truncated"`
	Next          string      `json:"next,omitempty" jsonschema:"cursor of the next page"`
}

// Candidates lists the mentions between current memories that have no declared
// edge in either direction.
func (q reader) Candidates(ctx context.Context, a edges.PageArgs) (result CandidatesResult, err error) {
	if err := args.Check("candidates", &a); err != nil {
		return result, err
	}
	var after candidateMark
	if err := db.ReadCursor("candidates", "candidates", a.Cursor, &after); err != nil {
		return result, err
	}
	namespace, err := q.Caller.Reads("")
	if err != nil {
		return result, err
	}
	err = q.DB.Read(ctx, func(r *db.Reader) error {
		if result.TotalCount, _, err = db.One[int](ctx, r, `select count(*)`+guessed, namespace); err != nil {
			return err
		}
		result.Candidates, err = db.Select(ctx, r, scanCandidate, selectCandidates, namespace,
			a.Cursor != "", after.From, after.To, after.ID, a.Limit+1)
		if err != nil {
			return err
		}
		if result.Truncated = len(result.Candidates) > a.Limit; result.Truncated {
			result.Candidates = result.Candidates[:a.Limit]
			last := result.Candidates[a.Limit-1]
			result.Next = db.Cursor("candidates", candidateMark{last.From.Title, last.To.Title, last.ID})
		}
		return addPlaces(ctx, r, result.Candidates)
	})
	result.ReturnedCount = len(result.Candidates)
	return result, err
}

// candidateMark is the last candidate of a page, for the cursor.
type candidateMark struct {
	From string `json:"f"`
	To   string `json:"t"`
	ID   string `json:"d"`
}

// guessed are the mentions without a declared edge.
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
  )`

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

func scanCandidate(row *sql.Rows) (c Candidate, err error) {
	err = row.Scan(&c.key, &c.ID, &c.From.ID, &c.From.Title, &c.To.ID, &c.To.Title)
	c.Sites = []Site{}
	return c, err
}

// addPlaces adds the sites of each candidate.
func addPlaces(ctx context.Context, r *db.Reader, all []Candidate) error {
	keys := make([]int64, len(all))
	for i, c := range all {
		keys[i] = c.key
	}
	places, err := sitesOf(ctx, r, keys)
	for i, c := range all {
		if p, ok := places[c.key]; ok {
			all[i].Sites = p.sites
		}
	}
	return err
}
