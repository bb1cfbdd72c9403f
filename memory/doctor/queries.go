package doctor

// The checks that are queries. Each row is the text of a problem.
const (
	selectUnsectioned = `
select 'memory ' || m.id || ' has no section, and search does not find it'
from memories m
where not exists (select 1 from sections s where s.memory = m.key)
order by m.id`
	insertSections = `
insert into sections (key, memory, ordinal)
select
  iif(
    m.origin = 'code',
    (select key from next_code_section where namespace = m.namespace),
    (select key from next_section where namespace = m.namespace)
  ) + row_number() over (partition by m.namespace, m.origin = 'code' order by m.key) - 1,
  m.key,
  0
from memories m
where not exists (select 1 from sections s where s.memory = m.key)`

	selectUnsuperseded = `
select 'memory ' || m.id || ' has a successor, and is current'
from memories m
join edges e on e.to_key = m.key and e.kind = 'supersedes'
where m.status = 'current'
order by m.id`
	updateSuperseded = `
update memories
set status = 'superseded'
where status = 'current'
  and key in (select to_key from edges where kind = 'supersedes')`

	selectSiteless = `
select 'a place in ' || m.title || ' (line ' || s.line || ') declares an edge that does not exist'
from sites s
join memories m on m.key = s.note
where s.edge is not null
  and not exists (select 1 from edges e where e.key = s.edge)
union all
select 'edge ' || e.id || ' is declared by places in notes only, and there is none'
from edges e
where e.declared = 'site'
  and not exists (select 1 from sites s where s.edge = e.key)`
)

// These queries compare the counts that triggers maintain with the rows.
const (
	selectMiscounted = `
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
order by namespace, status, kind, origin`
	selectMiscountedEdges = `
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
order by namespace, kind`
)

// The advice for rows that a unique index would have refused but that were written while it
// was missing. Only their owner knows which of them to keep.
const (
	successorAdvice = "keep one successor of each and unlink the others by their ids, with hence unlink SUCCESSOR supersedes MEMORY; then hence doctor --fix"
	twinAdvice      = "keep one edge of each and delete the other in the sqlite3 shell, with delete from edges where id = 'ID'; then hence doctor --fix"
	rulesAdvice     = "where rows are named, mend them first, then run hence doctor --fix again; a missing table comes only from a backup, with hence backup --restore"
)

const (
	selectSuccessors = `
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
order by id`
	selectTwins = `
select f.title || ' ' || e.kind || ' ' || t.title || ' has ' || count(*) || ' edges: ' || group_concat(e.id, ', ')
from (select * from edges order by key) e
join memories f on f.key = min(e.from_key, e.to_key)
join memories t on t.key = max(e.from_key, e.to_key)
where e.kind in ('contradicts', 'relates-to')
group by f.key, t.key, e.kind, e.rel
having count(*) > 1
order by min(e.key)`
)

// brokenRows holds the examinations that find rows which a unique index does not allow, by the
// name of the index.
var brokenRows = map[string]examination{
	"one_successor":      query(selectSuccessors),
	"one_symmetric_edge": query(selectTwins),
}

// journalAdvice is the advice for problems of the journal.
const journalAdvice = "select * from journal where seq = N shows a row in the sqlite3 shell; delete one that was added by hand"

// selectWriter reports problems of the single row of the table writer. A running
// transaction is not reported, because it clears the name before it commits.
const selectWriter = `
select 'the table writer has lost its row, and no change reaches the journal'
where not exists (select 1 from writer)
union all
select 'the table writer says that "' || actor || '" has been writing since ' || at || ', and nobody is'
from writer
where at <> ''
  or actor <> ''`

// selectStrangers reports rows of the journal about a memory or edge that neither exists nor
// was removed later.
const selectStrangers = `
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
order by j.seq`

// selectUnborn reports rows about a memory or edge without an earlier row that creates it.
// It reports nothing if the first rows of the journal were deleted to save space.
const selectUnborn = `
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
order by j.seq`

// selectUndead reports removals of a memory or edge that exists without having been created
// again.
const selectUndead = `
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
order by j.seq`
