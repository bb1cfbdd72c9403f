-- From version 2 to 3: `or replace` on memories and edges is refused, and the
-- list of the journal says all that hence log does.
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
