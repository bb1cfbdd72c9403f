package memory

// HasTag is the condition that a memory m has the tag wanted.value, or one
// nested in it. Case does not count.
const HasTag = `exists (
      select 1
      from json_each(m.tags) has
      where lower(has.value) = lower(wanted.value)
        or substr(lower(has.value), 1, length(wanted.value) + 1) = lower(wanted.value) || '/'
    )`

// HasProperty is the condition that a memory m has the property that a row
// wanted of json_each says: the same value, or a list with the value in it.
// Values of different types are different.
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
