package memory

import (
	"hence/internal/db"
)

// KeepBeforeMerge returns the statements that keep, for undo, what the journal does not
// record and a batch is about to change: stamps, verifications and bases of memories and
// edges, by their ids; edges that are unsettled; and removals, by from, to, kind and
// rel. What was kept for the batch before stays.
func KeepBeforeMerge(batch int64, memories, edges []string, removals [][4]string) []db.Stmt {
	return []db.Stmt{
		db.S(`
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
on conflict do nothing`, batch, db.List(memories)),
		db.S(`
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
on conflict do nothing`, batch, db.List(edges)),
		db.S(`
insert into before_merges (batch, id, what)
select
  ?1,
  'unlinked ' || j.value,
  json_object(
    'sort', 'removal',
    'from', j.value ->> 0,
    'to', j.value ->> 1,
    'kind', j.value ->> 2,
    'rel', j.value ->> 3,
    'id', u.id,
    'namespace', u.namespace,
    'at', u.at
  )
from json_each(?2) j
left join unlinked u on u.from_id = j.value ->> 0
  and u.to_id = j.value ->> 1
  and u.kind = j.value ->> 2
  and u.rel = j.value ->> 3
where true
on conflict do nothing`, batch, db.List(removals)),
	}
}
