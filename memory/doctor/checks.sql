-- The statements of the checks, each below its name. Those of a check return the text of a problem in each row.

--- without a section
select 'memory ' || m.id || ' has no section, and search does not find it'
from memories m
where not exists (select 1 from sections s where s.memory = m.key)
order by m.id;

--- add sections
insert into sections (key, memory, ordinal)
select
  (select next from section_ranges where namespace = m.namespace and is_code = (m.origin = 'code'))
  + row_number() over (partition by m.namespace, m.origin = 'code' order by m.key) - 1,
  m.key,
  0
from memories m
where not exists (select 1 from sections s where s.memory = m.key);

--- current with a successor
select 'memory ' || m.id || ' has a successor, and is current'
from memories m
join edges e on e.to_key = m.key and e.kind = 'supersedes'
where m.status = 'current'
order by m.id;

--- mark as superseded
update memories
set status = 'superseded'
where status = 'current'
  and key in (select to_key from edges where kind = 'supersedes');

--- places without edges
select 'a place in ' || m.title || ' (line ' || s.line || ') declares an edge that does not exist'
from sites s
join memories m on m.key = s.note
where s.edge is not null
  and not exists (select 1 from edges e where e.key = s.edge)
union all
select 'edge ' || e.id || ' is declared by places in notes only, and there is none'
from edges e
where e.declared = 'site'
  and not exists (select 1 from sites s where s.edge = e.key);

--- miscounted memories
select printf('there are %d %s %s memories of %s in %s, and %d are counted', sum(here), status, origin, kind, namespace, sum(kept))
from (
  select namespace, status, kind, origin, 0 as here, number as kept
  from memory_counts
  union all
  select namespace, status, kind, origin, 1, 0
  from memories
)
group by namespace, status, kind, origin
having sum(here) <> sum(kept)
order by namespace, status, kind, origin;

--- miscounted edges
select printf('there are %d edges %s in %s, and %d are counted', sum(here), kind, namespace, sum(kept))
from (
  select namespace, kind, 0 as here, number as kept
  from edge_counts
  union all
  select m.namespace, e.kind, 1, 0
  from edges e
  join memories m on m.key = e.from_key
)
group by namespace, kind
having sum(here) <> sum(kept)
order by namespace, kind;

--- two successors
select 'memory ' || id || ' (' || title || ') has ' || count(*) || ' successors: ' || group_concat(successor, ', ')
from (
  select
    m.id,
    m.title,
    f.id || ' (' || f.title || ', edge ' || e.id || ')' as successor
  from edges e
  join memories m on m.key = e.to_key
  join memories f on f.key = e.from_key
  where e.kind = 'supersedes'
  order by m.id, e.key
)
group by id
having count(*) > 1
order by id;

--- edges said twice
select f.title || ' ' || e.kind || ' ' || t.title || ' has ' || count(*) || ' edges: ' || group_concat(e.id, ', ')
from (select * from edges order by key) e
join memories f on f.key = min(e.from_key, e.to_key)
join memories t on t.key = max(e.from_key, e.to_key)
where e.kind in ('contradicts', 'relates-to')
group by f.key, t.key, e.kind, e.rel
having count(*) > 1
order by min(e.key);

--- writer
-- Reports problems of the single row of the table writer. A running
-- transaction is not reported, because it clears the name before it commits.
select 'the table writer has lost its row, and no change reaches the journal'
where not exists (select 1 from writer)
union all
select 'the table writer says that "' || actor || '" has been writing since ' || at || ', and nobody is'
from writer
where at <> ''
  or actor <> '';

--- journal of nothing
-- Reports rows of the journal about a memory or edge that neither exists nor
-- was removed later.
select 'row ' || j.seq || ' (' || j.action || ') is about ' || j.thing || ' ' || j.id || ', which does not exist and was not removed later'
from journal j
where case j.thing
  when 'memory' then not exists (select 1 from memories m where m.id = j.id)
  else not exists (select 1 from edges e where e.id = j.id)
end
  and not exists (
    select 1
    from journal g
    where g.id = j.id
      and g.thing = j.thing
      and g.action = iif(j.thing = 'memory', 'purge', 'unlink')
      and g.seq >= j.seq
  )
order by j.seq;

--- journal before its beginning
-- Reports rows about a memory or edge without an earlier row that creates it.
-- It reports nothing if the first rows of the journal were deleted to save space.
select 'row ' || j.seq || ' (' || j.action || ') is about ' || j.thing || ' ' || j.id || ', and no earlier row says that it was created'
from journal j
where exists (select 1 from journal where seq = 1)
  and not exists (
    select 1
    from journal s
    where s.id = j.id
      and s.thing = j.thing
      and s.action = iif(j.thing = 'memory', 'store', 'link')
      and s.seq <= j.seq
  )
order by j.seq;

--- journal after its end
-- Reports removals of a memory or edge that exists without having been created
-- again.
select 'row ' || j.seq || ' (' || j.action || ') says that ' || j.thing || ' ' || j.id || ' was removed, and it exists'
from journal j
where j.action = iif(j.thing = 'memory', 'purge', 'unlink')
  and case j.thing
    when 'memory' then exists (select 1 from memories m where m.id = j.id)
    else exists (select 1 from edges e where e.id = j.id)
  end
  and not exists (
    select 1
    from journal s
    where s.id = j.id
      and s.thing = j.thing
      and s.action = iif(j.thing = 'memory', 'store', 'link')
      and s.seq > j.seq
  )
order by j.seq;

--- journal in another form
-- Reports rows in a form that neither triggers nor undo write.
select 'row ' || j.seq || ' has an action that its thing does not have: ' || j.action || ' of ' || j.thing
from journal j
where (j.thing = 'edge') <> (j.action in ('link', 'relink', 'unlink'))
union all
select 'row ' || j.seq || ' has a time in another form than the journal writes: "' || j.at || '"'
from journal j
where j.at not glob '????-??-??T??:??:??.???Z'
union all
select 'row ' || j.seq || ' was undone by row ' || j.undone_by || ', which does not exist or is earlier'
from journal j
where j.undone_by is not null
  and not exists (select 1 from journal u where u.seq = j.undone_by and u.seq > j.seq);

--- journal out of order
-- Reports rows whose batch numbers and times do not rise. Rows made by hand have no
-- batch, and the time of the shell. The rows of an import share one batch number below
-- zero, and other rows may be between them.
select 'row ' || seq || ' (' || at || ') is earlier than row ' || seq_before || ' (' || at_before || ')'
from (
  select
    seq,
    at,
    lag(seq) over by_seq as seq_before,
    lag(at) over by_seq as at_before
  from journal
  where batch is not null
  window by_seq as (order by seq)
)
where at < at_before
union all
select 'row ' || seq || ' (batch ' || batch || ') is of an earlier batch than row ' || seq_before || ' (batch ' || batch_before || ')'
from (
  select
    seq,
    batch,
    lag(seq) over by_seq as seq_before,
    lag(batch) over by_seq as batch_before
  from journal
  where batch > 0
  window by_seq as (order by seq)
)
where batch < batch_before
union all
select 'row ' || seq || ' is of batch ' || batch || ', and the last transaction was ' || (select batch from writer)
from journal
where batch > (select batch from writer);

--- wrong vectors
select 'the vector of section ' || section || ' belongs to no section, or has another length than its model makes'
from vectors
where section not in (select key from sections)
  or length(vector) <> coalesce((select dimensions from embedders where state = 'in force'), 0)
  or length(next) <> coalesce((select dimensions from embedders where state = 'building'), 0)
order by section
limit 100;

--- delete wrong vectors
delete from vectors
where section not in (select key from sections)
  or length(vector) <> coalesce((select dimensions from embedders where state = 'in force'), 0)
  or length(next) <> coalesce((select dimensions from embedders where state = 'building'), 0);

--- missing vectors
select
  count(*) || iif(count(*) = 1, ' section has', ' sections have') || ' no vector by ' || e.name || ': ' || count(w.section)
    || iif(count(w.section) = 1, ' waits', ' wait') || ' for one, and it knows too few words of the others'
from embedders e
cross join sections s on s.key >= -1099511627776 -- not of source code
left join vectors v on v.section = s.key
left join vectors_waiting w on w.section = s.key and w.embedder = e.key
where iif(e.state = 'building', v.next, v.vector) is null
group by e.key;

--- let sections wait for a vector
insert into vectors_waiting (section, embedder)
select s.key, e.key
from embedders e
cross join sections s on s.key >= -1099511627776 -- not of source code
left join vectors v on v.section = s.key
where iif(e.state = 'building', v.next, v.vector) is null
  and not exists (select 1 from vectors_waiting w where w.section = s.key and w.embedder = e.key);

--- hashes of texts
select
  key,
  id,
  title,
  content,
  content_hash
from memories
where origin <> 'code' -- whose hash is that of its tokens
  and (uri is null or kind = 'note')
order by id;

--- columns of JSON
select id, title, 'tags', tags, json_valid(tags) from memories where tags <> '[]'
union all
select id, title, 'aliases', aliases, json_valid(aliases) from memories where aliases <> '[]'
union all
select id, title, 'properties', properties, json_valid(properties) from memories where properties <> '{}';

--- drop counts of memories
delete from memory_counts;

--- count memories
insert into memory_counts (namespace, status, kind, origin, number)
select namespace, status, kind, origin, count(*)
from memories
group by namespace, status, kind, origin;

--- drop counts of edges
delete from edge_counts;

--- count edges
insert into edge_counts (namespace, kind, number)
select m.namespace, e.kind, count(*)
from edges e
join memories m on m.key = e.from_key
group by m.namespace, e.kind;

--- rebuild the index
insert into section_search (section_search) values ('rebuild');

--- mirrors
select name from mirrors order by name;
