-- Why memories are stale. A memory is stale if something that it rests on, directly or
-- through others, was superseded, forgotten, contradicted or changed. Each such doubt
-- has its evidence. A doubt that the memory itself caused does not count; a verified
-- one (verifications) does not count either, nor a contradiction of which one side is over. This is the only definition: schema.go makes the
-- view stale_because (memory, because, reason, evidence, doubted_by) of it, and edges/belief/stale.go
-- runs it on a part of the grounds. The cross joins fix the join order: grounds
-- first, then doubts.
with recursive doubted (memory, because, reason, evidence, doubted_by) as (
  select
    g.memory,
    g.rests_on,
    'superseded',
    e.id,
    e.from_key
  from grounds g
  cross join edges e on e.to_key = g.rests_on and e.kind = 'supersedes'
  union all
  select
    g.memory,
    g.rests_on,
    m.status,
    coalesce(m.forgotten_at, 'declared'),
    null
  from grounds g
  cross join memories m on m.key = g.rests_on
  where m.status = 'forgotten'
    or m.status = 'superseded'
    and not exists (select 1 from edges e where e.to_key = m.key and e.kind = 'supersedes')
  union all
  select
    g.memory,
    g.rests_on,
    'contradicted',
    e.id,
    e.from_key
  from grounds g
  cross join edges e on e.to_key = g.rests_on and e.kind = 'contradicts'
  cross join memories f on f.key = e.from_key and f.status = 'current'
  cross join memories m on m.key = g.rests_on
  where (m.valid_to is null or m.valid_to > (select at from present))
    and (f.valid_to is null or f.valid_to > (select at from present))
    and (e.valid_from is null or e.valid_from <= (select at from present))
    and (e.valid_to is null or e.valid_to > (select at from present))
  union all
  select
    g.memory,
    g.rests_on,
    'contradicted',
    e.id,
    e.to_key
  from grounds g
  cross join edges e on e.from_key = g.rests_on and e.kind = 'contradicts'
  cross join memories t on t.key = e.to_key and t.status = 'current'
  cross join memories m on m.key = g.rests_on
  where (m.valid_to is null or m.valid_to > (select at from present))
    and (t.valid_to is null or t.valid_to > (select at from present))
    and (e.valid_from is null or e.valid_from <= (select at from present))
    and (e.valid_to is null or e.valid_to > (select at from present))
  union all
  select
    g.memory,
    g.rests_on,
    'changed',
    m.content_hash,
    null
  from grounds g
  cross join memories m on m.key = g.rests_on
  where g.basis <> m.content_hash
),
risk (memory, because, reason, evidence, doubted_by) as (
  select
    d.memory,
    d.because,
    d.reason,
    d.evidence,
    d.doubted_by
  from doubted d
  where d.doubted_by is not d.memory
    and not exists (
      select 1
      from verifications v
      where v.memory = d.memory
        and v.because = d.because
        and v.reason = d.reason
        and v.evidence = d.evidence
        and d.reason <> 'changed' -- verification sets the new basis
    )
  union
  select
    g.memory,
    r.because,
    r.reason,
    r.evidence,
    r.doubted_by
  from risk r
  join grounds g on g.rests_on = r.memory
  where g.memory <> r.because
    and r.doubted_by is not g.memory
    and not exists (
      select 1
      from verifications v
      where v.memory = g.memory
        and v.because = r.because
        and v.reason = r.reason
        and v.evidence = r.evidence
    )
)
select
  memory,
  because,
  reason,
  evidence,
  doubted_by
from risk
