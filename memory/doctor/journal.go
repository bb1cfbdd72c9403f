package doctor

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

// selectMisshapen reports rows in a form that neither triggers nor undo write.
const selectMisshapen = `
select 'row ' || j.seq || ' has an action that its thing does not have: ' || j.action || ' of ' || j.thing
from journal j
where (j.thing = 'edge') <> (j.action in ('link', 'relink', 'unlink'))
union all
select 'row ' || j.seq || ' has a time in another form than the journal writes: "' || j.at || '"'
from journal j
where j.at not glob '????-??-??T??:??:??.???Z'
union all
select 'row ' || j.seq || ' is numbered below 1'
from journal j
where j.seq < 1
union all
select 'row ' || j.seq || ' was undone by row ' || j.undone_by || ', which does not exist or is earlier'
from journal j
where j.undone_by is not null
  and not exists (select 1 from journal u where u.seq = j.undone_by and u.seq > j.seq)`

// selectDisordered reports rows that are out of order: batch numbers and times must rise.
// Rows made by hand have no batch, and the time of the shell. The rows of an import share
// one batch number below zero, and other rows may be between them.
const selectDisordered = `
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
where batch > (select batch from writer)`
