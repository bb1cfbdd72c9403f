package explore

import (
	"cmp"
	"context"

	"hence/edges"
	"hence/internal/args"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/lists"
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
		sites, err := sitesOf(ctx, r, lists.Map(candidates, func(c Candidate) int64 { return c.key }))
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
        rtrim(substr(c.context, 1, instr(c.context, s.target) - 1)) as before
      from sites s
      cross join site_contexts c on c.site = s.key
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

// DismissArgs choose the candidates to dismiss, or the dismissal to take back.
type DismissArgs struct {
	IDs  []string `json:"ids,omitempty" jsonschema:"of candidates, at most 2000"`
	All  bool     `json:"all,omitempty" jsonschema:"every candidate there is"`
	Back string   `json:"back,omitempty" jsonschema:"takes back what was dismissed or rejected at this time: at from the response"`
	By   string   `json:"by,omitempty" jsonschema:"the agent that rejected it; left out: the caller"`
}

// DismissResult counts the pairs of memories that were dismissed, or that are candidates again.
type DismissResult struct {
	Changed int    `json:"changed"`
	At      string `json:"at" jsonschema:"of the dismissal"`
}

const (
	maxDismissed = 2000       // candidates named in a call
	guess        = "mentions" // value of rejections.what for dismissed candidates
)

// Dismiss dismisses candidates: the two memories of each are not listed again, whichever
// mentions the other, and whatever is imported later. Dismiss changes no memory and no
// edge, so undo does not cover it; DismissArgs.Back takes it back. It ignores ids that are
// not of candidates. It fails with too_large for more than maxDismissed ids, and with
// invalid_argument unless exactly one of ids, all and back is given.
func (q reader) Dismiss(ctx context.Context, a DismissArgs) (result DismissResult, err error) {
	if err := args.Check("dismiss", &a); err != nil {
		return result, err
	}
	namespace, actor := q.Caller.Namespace, q.Caller.Actor
	switch {
	case len(a.IDs) > maxDismissed:
		return result, fault.New(fault.TooLarge, "dismiss: there are %d ids, and at most %d are allowed; send fewer, or dismiss all", len(a.IDs), maxDismissed)
	case a.Back != "" && (a.All || len(a.IDs) > 0), a.Back == "" && a.All == (len(a.IDs) > 0):
		return result, fault.New(fault.InvalidArgument, "dismiss: give exactly one of ids, all and back")
	case a.Back != "":
		result.At = a.Back
		which := []any{cmp.Or(a.By, actor), a.Back, namespace, actor, q.Caller.IsPerson()}
		result.Changed, _, err = db.One[int](ctx, q.DB, `select count(distinct mark)`+dismissedAt, which...)
		if err == nil && result.Changed > 0 {
			_, err = q.DB.Write(ctx, actor, db.Now(), db.S(`delete`+dismissedAt, which...))
		}
		return result, err
	}
	pairs, err := db.Select(ctx, q.DB, db.Fields(func(p *[3]string) []any {
		return []any{&p[0], &p[1]}
	}), `
select distinct
  min(f.id, t.id),
  max(f.id, t.id)`+fromCandidates+`
  and (?2 or e.id in (select value from json_each(?3)))`, namespace, a.All, db.List(a.IDs))
	if err != nil || len(pairs) == 0 {
		return result, err
	}
	for i, p := range pairs {
		pairs[i][2] = db.Hash(guess + "\n" + p[0] + "\n" + p[1])
	}
	result = DismissResult{Changed: len(pairs), At: db.Now()}
	_, err = q.DB.Write(ctx, actor, result.At, db.S(insertDismissals, db.List(pairs), guess, actor, !q.Caller.IsPerson(), result.At))
	return result, err
}

// insertDismissals inserts two rows for each dismissed pair: one for each memory, with the same
// mark.
const insertDismissals = `
insert into rejections (memory, mark, what, actor, by_agent, at)
select
  m.key,
  p.value ->> 2,
  ?2,
  ?3,
  ?4,
  ?5
from json_each(?1) p
cross join memories m on m.id in (p.value ->> 0, p.value ->> 1)
where true
on conflict do nothing`

// dismissedAt selects from the rejections that an actor made at a time, and that the caller ?4 may take back.
const dismissedAt = `
from rejections
where actor = ?1
  and at = ?2
  and (actor = ?4 or ?5 and by_agent)
  and memory in (select key from memories where ?3 in ('', namespace))`

// Rejection is what somebody rejected or dismissed at a time.
type Rejection struct {
	At    string `json:"at"`
	What  string `json:"what" jsonschema:"kind of proposal; mentions: candidates"`
	Title string `json:"title" jsonschema:"of one of the memories"`
	Count int    `json:"count" jsonschema:"of proposals"`
	By    string `json:"by,omitempty" jsonschema:"the agent that did; left out: the caller"`
}

// selectRejections selects what an actor, and for a person ?5 also what agents rejected in a namespace since a time, the latest first. What a proposal keeps when it is
// accepted is not a rejection.
const selectRejections = `
select
  r.at,
  r.what,
  min(m.title),
  count(distinct r.mark),
  iif(r.actor = ?1, '', r.actor)
from rejections r
join memories m on m.key = r.memory
where (r.actor = ?1 or ?5 and r.by_agent)
  and ?2 in ('', m.namespace)
  and r.at >= ?3
  and not exists (select 1 from journal j where j.id = m.id and j.at = r.at and j.action = 'verify')
group by r.at, r.what, r.actor
order by r.at desc, r.what, r.actor
limit ?4`

// isDismissed is an SQL condition: the memories of the edge e were dismissed as a pair.
const isDismissed = `exists (
    select 1
    from rejections a
    join rejections b on b.mark = a.mark
    where a.memory = e.from_key
      and b.memory = e.to_key
      and a.what = '` + guess + `'
  )`
