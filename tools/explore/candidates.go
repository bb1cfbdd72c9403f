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

// Candidates lists the mentions between current memories that have no declared edge in either
// direction and were not dismissed, page by page.
func (q reader) Candidates(ctx context.Context, a edges.PageArgs) (result CandidatesResult, err error) {
	var after candidateMark
	namespace, err := a.Start("candidates", q.Caller, &after)
	if err != nil {
		return result, err
	}
	err = q.DB.Read(ctx, func(r *db.Reader) error {
		if result.TotalCount, _, err = db.One[int](ctx, r, `select count(*)`+fromCandidates, namespace); err != nil {
			return err
		}
		candidates, err := db.Select(ctx, r, db.Fields(func(c *Candidate) []any {
			return []any{&c.key, &c.ID, &c.From, &c.To}
		}), selectCandidates, namespace, a.Cursor != "", after.From, after.To, after.ID, a.Limit+1)
		if err != nil {
			return err
		}
		candidates, result.Next = edges.Cut("candidates", candidates, a.Limit, func(c Candidate) any {
			return candidateMark{c.From.Title, c.To.Title, c.ID}
		})
		sites, err := sitesOf(ctx, r, edges.Keys(candidates, func(c Candidate) int64 { return c.key }))
		for i, c := range candidates {
			candidates[i].Sites = append([]Site{}, sites[c.key].sites...)
		}
		result.Candidates = candidates
		return err
	})
	result.Truncated, result.ReturnedCount = result.Next != "", len(result.Candidates)
	return result, err
}

// candidateMark is the cursor: it identifies the last candidate of a page.
type candidateMark struct {
	From string `json:"f"`
	To   string `json:"t"`
	ID   string `json:"d"`
}

// fromCandidates is the from and where clause that selects the candidates of the namespace ?1.
const fromCandidates = `
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
  and ` + tells + `
  and not ` + isDismissed

// tells is the SQL condition that a place of the edge e tells a name from a common word: it
// has two words, a capital inside a word, a capital inside a sentence, or letters of a script
// without capitals; or nobody found it in a text. Before what begins a sentence there are only marks, or the end of one.
const tells = `(not exists (select 1 from sites s where s.edge = e.key) or exists (
    select 1
    from (
      select
        trim(s.target) as name,
        rtrim(substr(s.context, 1, instr(s.context, s.target) - 1)) as before
      from sites s
      where s.edge = e.key
    )
    where instr(name, ' ') > 0
      or substr(name, 2) glob '*[A-ZÀ-ÖØ-ÞΑ-ΩА-Я]*'
      or unicode(name) between 0x0590 and 0x1FFF
      or unicode(name) >= 0x2E80
      or name glob '[A-ZÀ-ÖØ-ÞΑ-ΩА-Я]*'
        and trim(before, ' 0123456789.-+*#>|()[]"''“„«_') <> ''
        and substr(rtrim(before, ' )"''”»*_'), -1) not in ('.', '!', '?', ':', '…', '|')
  ))`

const selectCandidates = `
select
  e.key,
  e.id,
  f.id,
  f.title,
  t.id,
  t.title` + fromCandidates + `
  and (?2 = 0 or (f.title, t.title, e.id) > (?3, ?4, ?5))
order by f.title, t.title, e.id
limit ?6`
