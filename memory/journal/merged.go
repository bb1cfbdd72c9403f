package journal

import (
	"context"
	"slices"

	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/lists"
	"hence/memory/record"
)

// KeptMerges is how many of the last merges, and undos of merges, can be undone.
const KeptMerges = 20

// KeepBeforeMerge returns the statements that copy into before_merges, for undo, what a batch
// is about to change and the journal does not record: stamps, verifications and bases of
// memories and edges, by their ids; edges that are unsettled; and removals, by the id of
// their edge or by from, to, kind and rel. These are lists as JSON. A row that the batch has already copied stays.
func KeepBeforeMerge(batch int64, memories, edges, removals string) []db.Stmt {
	return []db.Stmt{
		db.S(keepMemories, batch, memories),
		db.S(keepEdges, batch, edges),
		db.S(keepRemovals, batch, removals, edges),
	}
}

// The columns that a merge decides and the journal does not record.
var (
	keptOfMemory = record.Where(record.Memories, "kept")
	keptOfEdge   = record.Where(record.Edges, "kept")
)

// notNull returns the columns that are never null.
func notNull(columns []record.Column) []record.Column {
	return record.Except(columns, record.Names(record.Where(columns, "null"))...)
}

// keepState returns the statement that copies what is kept of a memory or edge: its stamps, columns, and further fields.
func keepState(sort, columns, further, joined string) string {
	return `
insert into before_merges (batch, id, what)
select
  ?1,
  j.value,
  json_object(
    'sort', '` + sort + `',
    'stamps', (select json_group_array(json_array(s.field, s.at, json(s.past)) order by s.field) from stamps s where s.id = j.value),
    ` + columns + `,` + further + `
  )
from json_each(?2) j` + joined + `
where true
on conflict do nothing`
}

var (
	keepMemories = keepState("memory", record.List(keptOfMemory, "'%[1]s', m.%[1]s"), `
    'verifications', (
      select json_group_array(json_object('because', b.id, 'reason', v.reason, 'evidence', v.evidence, 'at', v.at) order by b.id, v.reason, v.evidence)
      from verifications v
      join memories b on b.key = v.because
      where v.memory = m.key
    )`, `
left join memories m on m.id = j.value`)

	keepEdges = keepState("edge", record.List(keptOfEdge, "'%[1]s', e.%[1]s"), `
    'from', u.from_id,
    'to', u.to_id,
    'namespace', u.namespace,
    'why', u.why,
    'line', json(u.line)`, `
left join edges e on e.id = j.value
left join unsettled u on u.id = j.value`)

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

// mergedState names the rows that were kept before a merge, or an undo of one, because the
// journal does not record them. Undo puts them back; otherwise stores that merge again would
// take the undo for a decision about each memory. It is the zero value for other batches.
type mergedState struct {
	batch                     int64
	memories, edges, removals string // as KeepBeforeMerge takes them
}

// readMerged reads what was kept before a batch. It returns the zero value unless together
// are all changes of one batch, and fails with invalid_argument for a merge whose rows are no
// longer kept.
func readMerged(ctx context.Context, r *db.Reader, together []Change) (m mergedState, err error) {
	m, kept, err := db.First(ctx, r, db.Fields(func(m *mergedState) []any { return []any{&m.batch, &m.memories, &m.edges, &m.removals} }), `
select
  b.batch,
  json_group_array(b.id) filter (where b.what ->> '$.sort' = 'memory'),
  json_group_array(b.id) filter (where b.what ->> '$.sort' = 'edge'),
  json_group_array(json_array(b.what ->> '$.from', b.what ->> '$.to', b.what ->> '$.kind', b.what ->> '$.rel')) filter (where b.what ->> '$.sort' = 'removal')
from journal j
join before_merges b on b.batch = j.batch
where j.seq = ?1
  and ?2 = (select count(*) from journal a where a.batch = j.batch)
group by b.batch`, together[0].Seq, len(together))
	if err == nil && !kept {
		err = refuseOldMerge(ctx, r, together)
	}
	return m, err
}

// refuseOldMerge fails with invalid_argument for a merge that is older than the last
// KeptMerges merges. Its rows in before_merges are gone, and without them a store that merges
// later would take the undo for a decision about each memory.
func refuseOldMerge(ctx context.Context, r *db.Reader, together []Change) error {
	seq := together[0].Seq
	old, _, err := db.One[bool](ctx, r, `
select a.operation = 'merge' and ?2 <= (select count(distinct b.batch) from before_merges b where b.batch < a.batch)
from journal j
join batches a on a.batch = j.batch
where j.seq = ?1
  and ?3 = (select count(*) from journal a where a.batch = j.batch)`, seq, KeptMerges, len(together))
	if err == nil && old {
		err = fault.New(fault.InvalidArgument, "undo: change %d is part of an old merge, and only the last %d merges can be undone; edit the merged memories by hand, or restore a backup with hence backup --restore", seq, KeptMerges)
	}
	return err
}

// undone returns the changes that are undone one by one. For a merge it leaves out
// verifications, which are among the kept rows, and changes of purged memories and of their
// edges, which stay purged.
func (m mergedState) undone(together []Change) []Change {
	if m.batch == 0 {
		return together
	}
	return slices.DeleteFunc(slices.Clone(together), func(c Change) bool {
		return c.Action == "verify" || c.Action == "purge" || c.Action == "unlink" && string(c.before) == "{}" ||
			c.Action == "update" && string(c.before) == "{}" || c.Thing == "memory" && c.namespace == ""
	})
}

// restoreKept returns the statements that put the kept rows of a batch back. Removals and stamps come
// last, because the upkeep makes some for what the other statements change.
func restoreKept(batch int64) []db.Stmt {
	ofBatch := func(text string) db.Stmt { return db.S(text, batch) }
	return slices.Concat(lists.Map(restoredRows, ofBatch), db.Upkeep, lists.Map(restoredMarks, ofBatch))
}

var restoredRows = []string{
	`
delete from verifications
where memory in (select m.key from before_merges b join memories m on m.id = b.id where b.batch = ?1 and b.what ->> '$.sort' = 'memory')`,
	`
insert into verifications (memory, because, reason, evidence, at)
select
  m.key,
  w.key,
  v.value ->> 'reason',
  v.value ->> 'evidence',
  v.value ->> 'at'
from before_merges b
join json_each(b.what, '$.verifications') v
join memories m on m.id = b.id
join memories w on w.id = v.value ->> 'because'
where b.batch = ?1
  and b.what ->> '$.sort' = 'memory'`,
	`
update memories
set
  ` + record.List(notNull(keptOfMemory), "%[1]s = coalesce(b.what ->> '$.%[1]s', memories.%[1]s)") + `,
  ` + record.List(record.Where(keptOfMemory, "null"), "%[1]s = b.what ->> '$.%[1]s'") + `
from before_merges b
where b.batch = ?1
  and b.id = memories.id
  and b.what ->> '$.sort' = 'memory'`,
	`
update edges
set
  ` + record.List(keptOfEdge, "%[1]s = coalesce(b.what ->> '$.%[1]s', edges.%[1]s)") + `
from before_merges b
where b.batch = ?1
  and b.id = edges.id
  and b.what ->> '$.created_at' is not null`,
}

var restoredMarks = []string{
	`
delete from unlinked
where id in (select id from before_merges where batch = ?1 and what ->> '$.sort' = 'edge')
  or (from_id, to_id, kind, rel) in (
    select what ->> '$.from', what ->> '$.to', what ->> '$.kind', what ->> '$.rel'
    from before_merges
    where batch = ?1
      and what ->> '$.sort' = 'removal'
  )`,
	`
insert into unlinked (from_id, to_id, kind, rel, id, namespace, at)
select
  what ->> '$.from',
  what ->> '$.to',
  what ->> '$.kind',
  what ->> '$.rel',
  what ->> '$.id',
  what ->> '$.namespace',
  what ->> '$.at'
from before_merges
where batch = ?1
  and what ->> '$.at' is not null`,
	`delete from unsettled where id in (select id from before_merges where batch = ?1 and what ->> '$.sort' = 'edge')`,
	`
insert into unsettled (id, namespace, from_id, to_id, why, line)
select
  id,
  what ->> '$.namespace',
  what ->> '$.from',
  what ->> '$.to',
  what ->> '$.why',
  what -> '$.line'
from before_merges
where batch = ?1
  and what ->> '$.why' is not null`,
	// A memory that came with the merge is forgotten now, and keeps the stamps that it came
	// with, so that the next merge does not take it for another creation.
	`
delete from stamps
where (id, field) in (
  select s.id, s.field
  from before_merges b
  join stamps s on s.id = b.id
  where b.batch = ?1
    and (s.field = 'forgotten' or b.what ->> '$.sort' = 'edge' or b.what ->> '$.created_at' is not null)
    and s.field <> 'purged'
)`,
	`
insert into stamps (id, field, at, past)
select
  b.id,
  s.value ->> 0,
  s.value ->> 1,
  s.value -> 2
from before_merges b
join json_each(b.what, '$.stamps') s
where b.batch = ?1
  and s.value ->> 0 <> 'purged'
  and (exists (select 1 from memories where id = b.id) or exists (select 1 from edges where id = b.id))`,
}
