package edges

import (
	"context"
	"database/sql"
	"slices"

	"hence/internal/args"
	"hence/internal/budget"
	"hence/internal/db"
	"hence/internal/ref"
)

// HistoryArgs are the arguments of Graph.History.
type HistoryArgs struct {
	ID          string `json:"id" jsonschema:"id, path or title"`
	TokenBudget int    `json:"token_budget,omitempty" min:"64"`
}

// Version is one memory of a chain. Reason is the note of the edge to its predecessor.
type Version struct {
	ref.End
	CreatedAt string `json:"created_at"`
	Reason    string `json:"reason,omitempty"`
}

// Merged is a memory outside the chain that one of the chain replaced too, directly or through others.
type Merged struct {
	ref.End
	Into   string `json:"into" jsonschema:"id of what replaced it"`
	Reason string `json:"reason,omitempty"`
}

// HistoryResult is a chain of memories, each of which replaced the one before it: oldest
// first.
type HistoryResult struct {
	Chain      []Version `json:"chain"`
	Current    ref.End   `json:"current" jsonschema:"the newest of the line"`
	MergedFrom []Merged  `json:"merged_from,omitempty"`
	Truncated  bool      `json:"truncated,omitempty"`
	Next       string    `json:"next,omitempty"`
}

// succession is one supersedes edge.
type succession struct {
	oldKey, newKey         int64
	oldVersion, newVersion Version
	reason                 string
}

// History returns what a memory replaced, step by step, and what replaced it.
// If one memory replaced several, the chain continues with the one that was
// replaced first, and the others are in MergedFrom.
func (g Graph) History(ctx context.Context, a HistoryArgs) (result HistoryResult, err error) {
	if err := args.Check("history", &a); err != nil {
		return result, err
	}
	err = g.DB.Read(ctx, func(r *db.Reader) error {
		m, err := g.Caller.Find(ctx, r, a.ID)
		if err != nil {
			return err
		}
		self := Version{End: m.End}
		err = db.Each(ctx, r, func(row *sql.Rows) error { return row.Scan(&self.CreatedAt, &self.Ended, &self.Begins, &self.Trust) },
			`select m.created_at, `+ref.EndedByNow("m")+`, `+ref.BeginsAfterNow("m")+`, `+ref.TrustOf("m")+` from memories m where m.key = ?`, m.Key)
		if err != nil {
			return err
		}
		steps, err := successions(ctx, r, m.Key)
		if err != nil {
			return err
		}
		history := arrange(m.Key, self, steps)
		result, err = budget.Hold(ref.In(ctx, r), "history", a.TokenBudget, len(history.Chain)+len(history.MergedFrom), history.shorten)
		return err
	})
	return result, err
}

// shorten returns the result with only n memories, each text cut to a number of bytes. It
// keeps the newest of the chain first, then those of MergedFrom.
func (h HistoryResult) shorten(n, bytes int) HistoryResult {
	short, chainLength := h, min(n, len(h.Chain))
	short.Chain = slices.Clone(h.Chain[len(h.Chain)-chainLength:])
	short.MergedFrom = slices.Clone(h.MergedFrom[:n-chainLength])
	if bytes < budget.Whole {
		short.Current.Title, _ = budget.Cut(h.Current.Title, bytes)
		for i, v := range short.Chain {
			short.Chain[i].Title, _ = budget.Cut(v.Title, bytes)
			short.Chain[i].Reason, _ = budget.Cut(v.Reason, bytes)
		}
	}
	if bytes < budget.Whole || n < len(h.Chain)+len(h.MergedFrom) {
		short.Truncated, short.Next = true, budget.Next
	}
	return short
}

// successions returns every supersedes edge of the tree that a memory is part of: the
// memory's newest successor, and everything that it replaced directly or through others.
// The edges are in order of creation.
func successions(ctx context.Context, r *db.Reader, key int64) ([]succession, error) {
	return db.Select(ctx, r, db.Fields(func(s *succession) []any {
		return []any{
			&s.oldKey, &s.oldVersion.End, &s.oldVersion.Ended, &s.oldVersion.Begins, &s.oldVersion.Trust, &s.oldVersion.CreatedAt,
			&s.newKey, &s.newVersion.End, &s.newVersion.Ended, &s.newVersion.Begins, &s.newVersion.Trust, &s.newVersion.CreatedAt, &s.reason,
		}
	}), `
with recursive up (key) as (
  select ?1
  union
  select e.from_key
  from up u
  join edges e on e.to_key = u.key and e.kind = 'supersedes'
),
family (key) as (
  select key from up
  union
  select e.to_key
  from family f
  join edges e on e.from_key = f.key and e.kind = 'supersedes'
)
select
  o.key,
  `+EndOf("o")+`,
  o.created_at,
  n.key,
  `+EndOf("n")+`,
  n.created_at,
  e.note
from family f
join edges e on e.from_key = f.key and e.kind = 'supersedes'
join memories o on o.key = e.to_key
join memories n on n.key = e.from_key
order by e.created_at, o.created_at, o.id`, key)
}

// arrange arranges the successions in a chain through one memory: its successors follow
// it, and each memory follows the first that it replaced.
func arrange(key int64, self Version, steps []succession) HistoryResult {
	successor := map[int64]succession{}
	replaced := map[int64][]succession{}
	for _, s := range steps {
		successor[s.oldKey] = s
		replaced[s.newKey] = append(replaced[s.newKey], s)
	}
	newer := []Version{}
	inChain := map[int64]bool{key: true}
	for s, ok := successor[key]; ok; s, ok = successor[s.newKey] {
		s.newVersion.Reason = s.reason
		newer = append(newer, s.newVersion)
		inChain[s.newKey] = true
	}
	older := []Version{}
	for oldest := key; len(replaced[oldest]) > 0; {
		s := replaced[oldest][0]
		if len(older) == 0 {
			self.Reason = s.reason
		} else {
			older[0].Reason = s.reason
		}
		older = append([]Version{s.oldVersion}, older...)
		inChain[s.oldKey] = true
		oldest = s.oldKey
	}
	result := HistoryResult{Chain: append(append(older, self), newer...)}
	for _, s := range steps {
		if !inChain[s.oldKey] {
			result.MergedFrom = append(result.MergedFrom, Merged{End: s.oldVersion.End, Into: s.newVersion.ID, Reason: s.reason})
		}
	}
	result.Current = result.Chain[len(result.Chain)-1].End
	return result
}

// WarnOfSuperseded returns a warning for each superseded memory that the edges join, with its
// newest successor. It does not warn of supersedes edges, of edges between a memory and its
// newest successor, and of edges to the memory own, which the caller has just stored and
// replaced.
func WarnOfSuperseded(ctx context.Context, r *db.Reader, own string, declared ...Declaration) ([]string, error) {
	warnings, warned := []string{}, map[string]bool{}
	for _, d := range declared {
		if d.Kind == Supersedes {
			continue
		}
		for _, id := range []string{d.From, d.To} {
			if id == own || warned[id] {
				continue
			}
			old, superseded, err := db.First(ctx, r, scanNamed, `select id, title from memories where id = ? and status = 'superseded'`, id)
			if err != nil {
				return nil, err
			}
			if !superseded {
				continue
			}
			warned[id] = true
			next, err := newest(ctx, r, id)
			if err == nil {
				err = ref.Mark(ctx, r, &[]any{&old, &next})
			}
			if err != nil {
				return nil, err
			}
			switch {
			case next.ID == d.From || next.ID == d.To: // the edge joins it to its successor
			case next.ID == "":
				warnings = append(warnings, old.Text()+" is superseded; link to what replaced it")
			case next.Status != "":
				warnings = append(warnings, old.Text()+" was superseded by "+next.Text()+"; restore that, or unlink the two")
			default:
				warnings = append(warnings, old.Text()+" was superseded by "+next.Text()+"; link to that instead")
			}
		}
	}
	return warnings, nil
}

var scanNamed = db.Fields(func(n *ref.Named) []any { return []any{&n.ID, &n.Title} })

// ReadReplaced returns the superseded memories that a memory replaced directly: without its
// edges to them they would be current.
func ReadReplaced(ctx context.Context, r *db.Reader, key int64) ([]ref.Named, error) {
	return db.Select(ctx, r, scanNamed, `
select
  m.id,
  m.title
from edges e
join memories m on m.key = e.to_key and m.status = 'superseded'
where e.from_key = ?
  and e.kind = 'supersedes'
order by m.id`, key)
}

// Inherited is an edge of a superseded memory that its successor has not.
type Inherited struct {
	From ref.Named `json:"from,omitzero"` // the successor, if there is one
	Type Kind      `json:"type"`
	Rel  string    `json:"rel"`
	To   ref.End   `json:"to"`
}

// MaxInherited is the most edges that ReadInherited returns.
const MaxInherited = 5

// ReadInherited returns the edges that the successors of the memories with the ids replaced, and if planned those that
// they may get, may take over: those by which the replaced ones rested on, belonged to, supported or caused another. They lead to
// that one if it is current, else to its current successor, and never to a session or to one that the successor has an edge to already.
func ReadInherited(ctx context.Context, r *db.Reader, planned bool, replaced ...string) ([]Inherited, error) {
	return db.Select(ctx, r, db.Fields(func(i *Inherited) []any { return []any{&i.From.ID, &i.From.Title, &i.Type, &i.Rel, &i.To} }), `
with recursive reached (successor, kind, rel, key) as (
  select
    coalesce(s.from_key, 0),
    e.kind,
    e.rel,
    e.to_key
  from json_each(?1) j
  cross join memories m on m.id = j.value
  left join edges s on s.to_key = m.key and s.kind = 'supersedes'
  cross join edges e on e.from_key = m.key
  where (?2 or s.key is not null)
    and e.kind in ('depends-on', 'part-of', 'supports', 'causes')
    and coalesce(e.valid_to > ?3, true)
  union
  select
    p.successor,
    p.kind,
    p.rel,
    s.from_key
  from reached p
  cross join edges s on s.to_key = p.key and s.kind = 'supersedes'
)
select
  coalesce(f.id, ''),
  coalesce(f.title, ''),
  p.kind,
  min(p.rel),
  o.id,
  o.title,
  o.status
from reached p
cross join memories o on o.key = p.key and o.status = 'current'
left join memories f on f.key = p.successor
where o.key <> p.successor
  and o.kind <> 'session' -- that in which the replaced one was learned
  and o.id not in (select value from json_each(?1))
  and not exists (
    select 1
    from edges own
    where own.from_key = p.successor
      and own.to_key = o.key
      and own.kind <> 'mentions'
  )
group by p.successor, p.kind, o.key
order by instr('depends-on part-of supports causes', p.kind), o.title, o.id
limit ?4`, db.List(replaced), planned, db.Now(), MaxInherited)
}

// RestOnReplaced returns how many current memories rest directly on a memory that one of the
// given memories replaced, directly or through others. It does not count the given ones.
func RestOnReplaced(ctx context.Context, r *db.Reader, keys []int64) (int, error) {
	n, _, err := db.One[int](ctx, r, `
with recursive replaced (key) as (
  select e.to_key
  from json_each(?1) k
  cross join edges e on e.from_key = k.value and e.kind = 'supersedes'
  union
  select e.to_key
  from replaced p
  cross join edges e on e.from_key = p.key and e.kind = 'supersedes'
)
select count(distinct g.memory)
from replaced p
cross join grounds g on g.rests_on = p.key
cross join memories m on m.key = g.memory and m.status = 'current'
where g.memory not in (select value from json_each(?1))`, db.List(keys))
	return n, err
}
