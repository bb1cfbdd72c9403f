package db

import (
	"context"
	"database/sql"
	"encoding/hex"
	"strings"

	"hence/internal/script"
)

// Upkeep is what follows from the journal and needs no rule: the stamps of fields, and the edges
// that were removed, for merges. Every batch of Hence ends with it, for its own changes and for those
// that others, such as the sqlite3 shell, have made since the last one. A batch that decides
// stamps or removals itself, as a merge does, does the upkeep before that: what is kept up once
// is not kept up again.
var Upkeep = []Stmt{S(stampMemories), S(keepRemovals), S(dropStamps), S(stampLinkedAgain), S(stampEdges), S(endUpkeep)}

const (
	// since are the rows of the journal that wait, and StampsWait says whether there are any.
	since      = `j.seq > (select kept from writer)`
	StampsWait = `exists (select 1 from journal j where ` + since + `)`

	endUpkeep = `update writer set kept = (select coalesce(max(seq), 0) from journal)`

	// stampAfter is the SQL expression for a stamp at c.at that is later than c.last, if that is a
	// time: the upkeep must not fail by what the sqlite3 shell wrote.
	stampAfter = `coalesce(iif(c.at || '~' > c.last, c.at, strftime('%Y-%m-%dT%H:%M:%fZ', substr(c.last, 1, 24), '+0.001 seconds')), c.at)
  || '~' || coalesce((select tag from store), '')`

	// A column without a field of its own is not compared by merges, or goes with another.
	stampMemories = `
insert into stamps (id, field, at, past)
with changed (id, name, was, at) as materialized (
  select
    c.id,
    c.name,
    (select before -> ('$.' || c.name) from journal where seq = c.first),
    (select at from journal where seq = c.last)
  from (
    select
      j.id,
      b.key as name,
      min(j.seq) as first,
      max(j.seq) as last
    from journal j
    cross join memories m on m.id = j.id and m.uri is null
    cross join json_each(j.before) b
    where ` + since + `
      and j.thing = 'memory'
      and j.before is not null
      and b.key not in ('namespace', 'content', 'status', 'uri', 'verified_at', 'forget_reason', 'verifications', 'verified', 'wording_only')
    group by +j.id, b.key -- not by the index journal_by_id, which has every row
  ) c
),
fields (id, field, was, at) as (
  select
    id,
    case name when 'content_hash' then 'content' when 'valid_from' then 'valid' when 'valid_to' then 'valid' when 'forgotten_at' then 'forgotten' else name end,
    iif(name in ('title', 'content_hash'), was ->> '$', null),
    at
  from changed
  where name not in ('tags', 'properties')
  union all
  select
    c.id,
    'forgotten',
    null,
    c.at
  from changed c
  cross join memories m on m.id = c.id and m.forgotten_at is not null
  union all
  select
    id,
    'tag:' || value,
    null,
    at
  from (
    select c.id, c.at, t.value
    from changed c
    cross join json_each(c.was) t
    where c.name = 'tags'
    union all
    select c.id, c.at, t.value
    from changed c
    cross join memories m on m.id = c.id
    cross join json_each(m.tags) t
    where c.name = 'tags'
  )
  group by id, value
  having count(*) = 1
  union all
  select
    id,
    'property:' || key,
    coalesce(max(iif(is_old, said, null)), ''),
    at
  from (
    select
      p.id,
      p.at,
      p.is_old,
      e.key,
      e.type || ' ' || iif(
        e.type in ('integer', 'real') and e.key <> '' and e.key not glob '*["\]*', -- which a path cannot have
        p.text -> e.fullkey, -- as it is written
        coalesce(e.value, '')
      ) as said
    from (
      select id, at, 1 as is_old, was as text
      from changed
      where name = 'properties'
      union all
      select c.id, c.at, 0, m.properties
      from changed c
      cross join memories m on m.id = c.id
      where c.name = 'properties'
    ) p
    cross join json_each(p.text) e
  )
  group by id, key
  having count(*) = 1
    or count(distinct said) > 1
)
select
  c.id,
  c.field,
  ` + stampAfter + ` || iif(c.field in ('content', 'forgotten'), substr(replace(c.content_hash, 'unhashed-', ''), 1, 8), ''),
  iif(c.was is null or exists (select 1 from stamps where id = c.id and field = c.field), '[]', json_array('=' || c.was))
from (
  select
    f.id,
    f.field,
    max(f.was) as was,
    max(f.at) as at,
    m.content_hash,
    max(m.created_at, coalesce((select max(at) from stamps where id = f.id), '')) as last
  from fields f
  cross join memories m on m.id = f.id
  group by f.id, f.field
) c
where true
on conflict (id, field) do update
set
  past = iif(
    field in ('title', 'content') or field glob 'property:*',
    json_insert(iif(json_array_length(past) < 50, past, json_remove(past, '$[1]')), '$[#]', at),
    past
  ),
  at = excluded.at`

	keepRemovals = `
insert into unlinked (from_id, to_id, kind, rel, id, namespace, at)
select
  f.id,
  t.id,
  j.before ->> '$.kind',
  iif(j.before ->> '$.kind' = 'supersedes', '', j.before ->> '$.rel'),
  j.id,
  f.namespace,
  max(j.at, j.before ->> '$.created_at', coalesce((select substr(max(at), 1, 24) from stamps where id = j.id), ''))
from journal j
cross join memories f on f.id = j.before ->> '$.from'
cross join memories t on t.id = j.before ->> '$.to'
where ` + since + `
  and j.action = 'unlink'
  and j.before ->> '$.declared' = 'explicit'
on conflict do update
set
  id = excluded.id,
  at = max(at, excluded.at)`

	dropStamps = `
delete from stamps
where id in (select j.id from journal j where ` + since + ` and j.action = 'unlink')
  and not exists (select 1 from edges where id = stamps.id)`

	stampEdges = `
insert into stamps (id, field, at)
select
  c.id,
  'said',
  ` + stampAfter + `
from (
  select
    e.id,
    max(j.at) as at,
    max(e.created_at, coalesce((select max(at) from stamps where id = e.id), '')) as last
  from journal j
  cross join edges e on e.id = j.id and e.declared = 'explicit'
  where ` + since + `
    and j.action = 'relink'
    and j.before ->> '$.declared' = 'explicit'
  group by e.id
) c
where true
on conflict (id, field) do update set at = excluded.at`

	// An edge that is linked again is later than its removal.
	linkedAgain = `
from journal j
cross join edges e on e.id = j.id and e.declared = 'explicit'
cross join removals r on r.edge = e.key
where ` + since + `
  and j.action = 'link'
  and (select 1 from unlinked limit 1) = 1`

	stampLinkedAgain = `
insert into stamps (id, field, at)
select
  e.id,
  'said',
  coalesce(strftime('%Y-%m-%dT%H:%M:%fZ', max(r.at), '+0.001 seconds'), max(r.at)) || '~' || coalesce((select tag from store), '')` + linkedAgain + `
  and r.at >= e.created_at
  and not exists (select 1 from stamps s where s.id = e.id and s.field = 'said' and s.at > r.at)
group by e.id
on conflict (id, field) do update set at = excluded.at`
)

// KeepUp does the upkeep that waits, in a batch of its own. Open calls it.
func (d *DB) KeepUp(ctx context.Context) error {
	if d.ReadOnly() {
		return nil
	}
	waits, _, err := One[bool](ctx, d, `
select
  `+StampsWait+`
  or exists (select 1 from folded_titles where folded is null)
  or exists (`+selectUnhashed+`)`)
	if err == nil && waits {
		_, err = d.Write(ctx, "", Now())
	}
	return err
}

// selectUnhashed selects the texts that the sqlite3 shell wrote. The hash of code is that of its tokens, and
// that of a file without text is its file's.
const selectUnhashed = `
select
  key,
  content,
  content_hash
from memories
where content_hash >= 'unhashed-'
  and content_hash < 'unhashed.'
  and origin <> 'code'
  and (uri is null or kind = 'note')`

// computed returns the statements with what the engine cannot compute for the rows that wait: hashes and
// folded titles.
func computed(ctx context.Context, c *conn) ([]Stmt, error) {
	hashed, err := hashTexts(ctx, c)
	if err != nil {
		return nil, err
	}
	folded, err := foldTitles(ctx, c)
	return append(hashed, folded...), err
}

// hashTexts returns the statements that hash the texts which wait for it.
func hashTexts(ctx context.Context, c *conn) (statements []Stmt, err error) {
	err = Each(ctx, &Reader{c}, func(row *sql.Rows) error {
		var key int64
		var content, before string
		err := row.Scan(&key, &content, &before)
		statements = append(statements, Rehash(key, before, Hash(content))...)
		return err
	}, selectUnhashed)
	return statements, err
}

// Rehash returns the statements that give a memory another hash. What names the old hash names the new
// one: edges, verifications and a person's confirmation, also those of the same batch. What was stale stays
// stale, because its basis is an older hash.
func Rehash(key int64, before, after string) []Stmt {
	return []Stmt{
		S(`update edges set basis = ?3 where basis = ?2 and to_key = ?1`, key, before, after),
		S(`update or ignore verifications set evidence = ?3 where because = ?1 and reason = 'changed' and evidence = ?2`, key, before, after),
		S(`
update memories
set
  content_hash = ?3,
  confirmed = iif(confirmed = ?2 || ' ' || title, ?3 || ' ' || title, confirmed)
where key = ?1
  and content_hash = ?2`, key, before, after),
	}
}

// foldTitles returns the statements that fold the titles which wait for it, none if none does. The
// nodes of a cluster cannot fold: they are given the result.
func foldTitles(ctx context.Context, c *conn) ([]Stmt, error) {
	titles, err := Select(ctx, &Reader{c}, Value[string], `
select m.title
from folded_titles f
join memories m on m.key = f.memory
where f.folded is null`)
	return FoldTitles(titles...), err
}

// FoldTitles returns the statement that folds titles for the batch that writes them, none if they are ASCII. It saves a
// cluster a batch of its own for them.
func FoldTitles(titles ...string) []Stmt {
	rows := Rows{}
	for _, title := range titles {
		if strings.ContainsFunc(title, func(r rune) bool { return r < ' ' || r > '~' }) {
			rows.Row(hex.EncodeToString([]byte(title)), script.Key(title)) // JSON has no bytes that are not UTF-8
		}
	}
	if len(rows) == 0 {
		return nil
	}
	return []Stmt{S(`
with given (title, folded) as materialized (
  select
    value ->> 0,
    value ->> 1
  from json_each(?1)
)
update folded_titles
set folded = g.folded
from memories m, given g
where folded_titles.folded is null
  and m.key = folded_titles.memory
  and g.title = lower(hex(m.title))`, rows.Arg())}
}
