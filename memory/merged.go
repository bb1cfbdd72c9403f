package memory

import (
	"hence/internal/db"
)

// OtherEdit is the tag of a memory that keeps the losing text of a merge. The memory whose
// text it was supersedes it.
const OtherEdit = "conflicting-edit"

// PurgeStatements returns the statements that remove a memory for good, with the memories that
// keep its losing texts of merges. The first deletes them.
func PurgeStatements(id string) []db.Stmt {
	return append([]db.Stmt{db.S(`
delete from memories
where key in (
  with recursive texts (key) as (
    select key from memories where id = ?1
    union
    select e.to_key
    from texts t
    join edges e on e.from_key = t.key and e.kind = 'supersedes'
    join memories m on m.key = e.to_key
    where exists (select 1 from json_each(m.tags) where value = ?2)
  )
  select key from texts
)`, id, OtherEdit)}, db.EraseDeleted...)
}

// KeptMerges is how many of the last merges, and undos of merges, can be undone.
const KeptMerges = 20

// KeepBeforeMerge returns the statements that copy into before_merges, for undo, what a batch
// is about to change and the journal does not record: stamps, verifications and bases of
// memories and edges, by their ids; edges that are unsettled; and removals, by the id of
// their edge or by from, to, kind and rel. A row that the batch has already copied stays.
func KeepBeforeMerge(batch int64, memories, edges []string, removals [][4]string) []db.Stmt {
	return []db.Stmt{
		db.S(keepMemories, batch, db.List(memories)),
		db.S(keepEdges, batch, db.List(edges)),
		db.S(keepRemovals, batch, db.List(removals), db.List(edges)),
	}
}

const (
	keepMemories = `
insert into before_merges (batch, id, what)
select
  ?1,
  j.value,
  json_object(
    'sort', 'memory',
    'stamps', (select json_group_array(json_array(s.field, s.at, json(s.past)) order by s.field) from stamps s where s.id = j.value),
    'created_at', m.created_at,
    'origin', m.origin,
    'actor', m.actor,
    'verified_at', m.verified_at,
    'verify_note', m.verify_note,
    'verifications', (
      select json_group_array(json_object('because', b.id, 'reason', v.reason, 'evidence', v.evidence, 'at', v.at) order by b.id, v.reason, v.evidence)
      from verifications v
      join memories b on b.key = v.because
      where v.memory = m.key
    )
  )
from json_each(?2) j
left join memories m on m.id = j.value
where true
on conflict do nothing`

	keepEdges = `
insert into before_merges (batch, id, what)
select
  ?1,
  j.value,
  json_object(
    'sort', 'edge',
    'stamps', (select json_group_array(json_array(s.field, s.at, json(s.past)) order by s.field) from stamps s where s.id = j.value),
    'basis', e.basis,
    'created_at', e.created_at,
    'origin', e.origin,
    'actor', e.actor,
    'from', u.from_id,
    'to', u.to_id,
    'namespace', u.namespace,
    'why', u.why,
    'line', json(u.line)
  )
from json_each(?2) j
left join edges e on e.id = j.value
left join unsettled u on u.id = j.value
where true
on conflict do nothing`

	keepRemovals = `
insert into before_merges (batch, id, what)
select
  ?1,
  'unlinked ' || json_array(p.from_id, p.to_id, p.kind, p.rel),
  json_object(
    'sort', 'removal',
    'from', p.from_id,
    'to', p.to_id,
    'kind', p.kind,
    'rel', p.rel,
    'id', u.id,
    'namespace', u.namespace,
    'at', u.at
  )
from (
  select
    value ->> 0 as from_id,
    value ->> 1 as to_id,
    value ->> 2 as kind,
    value ->> 3 as rel
  from json_each(?2)
  union
  select
    from_id,
    to_id,
    kind,
    rel
  from unlinked
  where id in (select value from json_each(?3))
) p
left join unlinked u on (u.from_id, u.to_id, u.kind, u.rel) = (p.from_id, p.to_id, p.kind, p.rel)
where true
on conflict do nothing`
)
