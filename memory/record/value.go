package record

import (
	"slices"
	"strings"
)

// Kind returns a kind as the store keeps it: without blanks around it, and one that the store knows in lower case.
func Kind(text string) string {
	text = strings.TrimSpace(text)
	if known := strings.ToLower(text); slices.Contains([]string{"fact", "decision", "event", "preference", "rule", "instruction", "session", "summary"}, known) {
		return known
	}
	return text
}

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
