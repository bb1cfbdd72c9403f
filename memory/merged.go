package memory

import (
	"hence/internal/db"
)

// OtherEdit is the tag of a memory that keeps the losing text of a merge. The memory whose
// text it was supersedes it.
const OtherEdit = "conflicting-edit"

// WithOtherEdits selects the keys of the memories with the ids ?1 and of those that keep their losing
// texts of merges, which have the tag ?2, OtherEdit.
const WithOtherEdits = `
  with recursive texts (key) as (
    select key from memories where id in (select value from json_each(?1))
    union
    select e.to_key
    from texts t
    join edges e on e.from_key = t.key and e.kind = 'supersedes'
    join memories m on m.key = e.to_key
    where exists (select 1 from json_each(m.tags) where value = ?2)
  )
  select key from texts
`

// PurgeStatements returns the statements that remove memories for good, with the memories that
// keep their losing texts of merges. The first deletes them.
func PurgeStatements(ids ...string) []db.Stmt {
	return append([]db.Stmt{db.S(`
delete from memories
where key in (`+WithOtherEdits+`)`, db.List(ids), OtherEdit)}, db.EraseDeleted...)
}
