-- From version 2 to 3: `or replace` on memories and edges is refused, the list
-- of the journal says all that hence log does, and what is over casts no doubt.
create table replacement (
  refused integer primary key
    constraint "a row is updated, not replaced: or replace would lose what hangs on it" check (refused = 0)
) strict;

create trigger memory_inserting before insert on memories
begin
  insert or ignore into replacement (refused) values (1);
end;

create trigger memory_moving before update of uri on memories
begin
  insert or ignore into replacement (refused) values (1);
end;

drop trigger edge_inserting;

create trigger edge_inserting before insert on edges
begin
  insert or ignore into replacement (refused) values (1);
  select raise(abort, 'an edge joins two memories that exist, of one namespace')
  where coalesce(
    (select namespace from memories where key = new.from_key)
      <> (select namespace from memories where key = new.to_key),
    true
  );
end;

create trigger edge_rewording before update of rel on edges
begin
  insert or ignore into replacement (refused) values (1);
end;

drop trigger memory_restored;

create trigger memory_restored after update of status on memories
when old.status = 'forgotten' and new.status <> 'forgotten'
  or old.status = 'superseded' and new.status = 'current'
begin
  delete from verifications
  where because = new.key
    and (
      old.status = 'forgotten' and reason = 'forgotten'
      or old.status = 'superseded' and mark = 'declared'
    );
end;

drop view stale_because;

create view stale_because (memory, because, reason, mark, doubted_by) as
with recursive doubted (memory, because, reason, mark, doubted_by) as (
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
  where (e.valid_from is null or e.valid_from <= strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
    and (e.valid_to is null or e.valid_to > strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
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
  where (e.valid_from is null or e.valid_from <= strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
    and (e.valid_to is null or e.valid_to > strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
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
risk (memory, because, reason, mark, doubted_by) as (
  select
    d.memory,
    d.because,
    d.reason,
    d.mark,
    d.doubted_by
  from doubted d
  where d.doubted_by is not d.memory
    and not exists (
      select 1
      from verifications v
      where v.memory = d.memory
        and v.because = d.because
        and v.reason = d.reason
        and v.mark = d.mark
        and d.reason <> 'changed' -- a verified memory has the new basis
    )
  union
  select
    g.memory,
    r.because,
    r.reason,
    r.mark,
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
        and v.mark = r.mark
    )
)
select
  memory,
  because,
  reason,
  mark,
  doubted_by
from risk;

drop view journal_list;

-- Who changed what, by the names of today. An edge that is gone is named by what
-- was kept of it when it went (u), which is nothing where an end was purged.
create view change_list (
  seq, act, at, actor, action, thing, id, there, namespace, title, what, from_id, to_id, before, undone_by
) as
select
  j.seq,
  j.act,
  j.at,
  j.actor,
  j.action,
  j.thing,
  j.id,
  coalesce(m.key, e.key) is not null, -- as it is now
  coalesce(m.namespace, f.namespace),
  coalesce(m.title, f.title),
  case j.thing
    when 'memory'
      then coalesce((select group_concat(k.key, ', ') from json_each(j.before) k where k.key <> 'forgotten_at'), '')
    else coalesce(e.kind, u.before ->> '$.kind', '')
      || coalesce(' (' || nullif(coalesce(e.rel, u.before ->> '$.rel'), '') || ')', '')
      || ' → ' || coalesce(t.title, '')
  end,
  f.id,
  t.id,
  j.before,
  j.undone_by
from journal j
left join memories m on j.thing = 'memory' and m.id = j.id
left join edges e on j.thing = 'edge' and e.id = j.id
left join journal u on u.seq = case
  when j.thing = 'edge' and e.key is null
    then (select min(k.seq) from journal k where k.id = j.id and k.seq >= j.seq and k.action = 'unlink')
end
left join memories f on j.thing = 'edge' and f.key = coalesce(e.from_key, (select key from memories where id = u.before ->> '$.from'))
left join memories t on j.thing = 'edge' and t.key = coalesce(e.to_key, (select key from memories where id = u.before ->> '$.to'));

-- The same in short.
create view journal_list (at, actor, action, id, title, what) as
select
  at,
  actor,
  action,
  id,
  title,
  what
from change_list;

pragma user_version = 3;
