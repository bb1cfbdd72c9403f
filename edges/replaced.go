package edges

import (
	"context"

	"hence/internal/db"
	"hence/internal/ref"
)

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
	Type Kind    `json:"type"`
	Rel  string  `json:"rel"`
	To   ref.End `json:"to"`
}

// MaxInherited is the most edges that ReadInherited returns.
const MaxInherited = 5

// ReadInherited returns the edges that a memory, or one that is yet to be stored (key 0), may take over from the
// memories with the ids replaced: those by which they rested on, belonged to, supported or caused something, to what
// of that is current, or is its current successor, if the memory has no edge to it.
func ReadInherited(ctx context.Context, r *db.Reader, key int64, replaced ...string) ([]Inherited, error) {
	return db.Select(ctx, r, db.Fields(func(i *Inherited) []any { return []any{&i.Type, &i.Rel, &i.To} }), `
with recursive reached (kind, rel, key) as (
  select
    e.kind,
    e.rel,
    e.to_key
  from json_each(?3) j
  cross join memories m on m.id = j.value
  cross join edges e on e.from_key = m.key
  where e.kind in ('depends-on', 'part-of', 'supports', 'causes')
    and coalesce(e.valid_to > ?2, true)
  union
  select
    p.kind,
    p.rel,
    s.from_key
  from reached p
  cross join edges s on s.to_key = p.key and s.kind = 'supersedes'
)
select
  p.kind,
  min(p.rel),
  o.id,
  o.title,
  o.status
from reached p
cross join memories o on o.key = p.key and o.status = 'current'
where o.key <> ?1
  and o.id not in (select value from json_each(?3))
  and not exists (
    select 1
    from edges own
    where own.from_key = ?1
      and own.to_key = o.key
      and own.kind <> 'mentions'
  )
group by p.kind, o.key
order by instr('depends-on part-of supports causes', p.kind), o.title, o.id
limit ?4`, key, db.Now(), db.List(replaced), MaxInherited)
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
