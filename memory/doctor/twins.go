package doctor

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
