package memory

// HasTag is an SQL condition: the memory m has the tag wanted.value, or one nested
// in it, regardless of case.
const HasTag = `exists (
      select 1
      from json_each(m.tags) has
      where lower(has.value) = lower(wanted.value)
        or substr(lower(has.value), 1, length(wanted.value) + 1) = lower(wanted.value) || '/'
    )`

// LastSession ends an SQL query of the memories m and the row wanted, which has the tag
// of a project or "" for any: it chooses the last session that was not imported, in the
// namespace ?1 or, if that is "", in all.
const LastSession = `
where m.status = 'current'
  and m.kind = 'session'
  and m.origin <> 'import'
  and ?1 in ('', m.namespace)
  and (wanted.value = '' or ` + HasTag + `)
order by m.created_at desc, m.id desc
limit 1`

// HasProperty is an SQL condition: the memory m has the property of the row wanted of
// json_each, with the same value or a list that contains it. Values of different
// types differ, except integers and reals.
const HasProperty = `exists (
      select 1
      from json_each(m.properties) has
      where has.key = wanted.key
        and (
          has.type = wanted.type and has.value is wanted.value
          or has.type in ('integer', 'real') and wanted.type in ('integer', 'real') and has.value = wanted.value
          or has.type = 'array' and exists (
            select 1
            from json_each(has.value) one
            where one.type = wanted.type and one.value is wanted.value
              or one.type in ('integer', 'real') and wanted.type in ('integer', 'real') and one.value = wanted.value
          )
        )
    )`
