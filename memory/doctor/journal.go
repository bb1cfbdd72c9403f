package doctor

import (
	"context"
	"slices"
)

const judgeRows = "select * from journal where seq = N shows a row in the sqlite3 shell; delete one that was added by hand"

// selectWriter says what is wrong with the one row of the table writer. A batch
// that is under way does not show: it clears the name before it lands.
const selectWriter = `
select 'the table writer has lost its row, and no change reaches the journal'
where not exists (select 1 from writer)
union all
select 'the table writer says that a batch of "' || actor || '" is under way since ' || at || ', and none is'
from writer
where at <> ''
  or actor <> ''`

func examineWriter(ctx context.Context, d Doctor) ([]string, error) {
	return d.texts(ctx, selectWriter)
}

func fixWriter(ctx context.Context, d Doctor) error { return d.DB.MendWriter(ctx) }

// Every row of the journal is about a memory or an edge that is there, or that
// went later.
const selectStrangers = `
select 'row ' || j.seq || ' (' || j.action || ') is about ' || j.thing || ' ' || j.id || ', which is not there and did not go later'
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

// Each is stored before anything else happens to it. Where the first rows of
// the journal were deleted, to save room, nobody knows.
const selectUnborn = `
select 'row ' || j.seq || ' (' || j.action || ') is about ' || j.thing || ' ' || j.id || ', and no row before it says that this was made'
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

// What went is there only where it was made again.
const selectUndead = `
select 'row ' || j.seq || ' (' || j.action || ') says that ' || j.thing || ' ' || j.id || ' is gone, and it is there'
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

// What triggers and undo write has one form.
const selectMisshapen = `
select 'row ' || j.seq || ' says that an edge or memory was made, changed or taken back in a way that is not one: ' || j.action || ' of ' || j.thing
from journal j
where (j.thing = 'edge') <> (j.action in ('link', 'relink', 'unlink'))
union all
select 'row ' || j.seq || ' has no time of the journal: "' || j.at || '"'
from journal j
where j.at not glob '????-??-??T??:??:??.???Z'
union all
select 'row ' || j.seq || ' is numbered below 1'
from journal j
where j.seq < 1
union all
select 'row ' || j.seq || ' was taken back by row ' || j.undone_by || ', which is not there or not later'
from journal j
where j.undone_by is not null
  and not exists (select 1 from journal u where u.seq = j.undone_by and u.seq > j.seq)`

// Batches are numbered and timed in their order. Rows made by hand have no
// batch, and the shell's clock. The batches of an import have one number below
// zero, and others may be between them.
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
select 'row ' || seq || ' is of batch ' || batch || ', and there have been ' || (select batch from writer)
from journal
where batch > (select batch from writer)`

// examineJournal holds the journal against what is there and against itself. It
// cannot know a row that was added by hand in the right form about something
// that is there, nor one whose text was changed, nor one that was taken away
// from among others about the same thing.
func examineJournal(ctx context.Context, d Doctor) (problems []string, err error) {
	for _, query := range []string{selectStrangers, selectUnborn, selectUndead, selectMisshapen, selectDisordered} {
		found, err := d.texts(ctx, query)
		if err != nil {
			return nil, err
		}
		for _, problem := range found {
			if !slices.Contains(problems, problem) {
				problems = append(problems, problem)
			}
		}
	}
	return problems, nil
}
