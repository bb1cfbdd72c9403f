package ref

import "strings"

// Aging has the marks that an answer must put on a memory: whether it ended or changed, and
// whether its text is a stranger's. An empty field is no mark.
type Aging struct {
	Ended       string `json:"ended,omitempty"`        // when it ended, if that has passed
	EditedSince string `json:"edited_since,omitempty"` // when it was last edited, if after known_at
	KnownSince  string `json:"known_since,omitempty"`  // when it was stored, if after known_at
}

// EndedByNow returns the SQL expression for when a memory or an edge ended, the empty text if
// it has not ended by now. row is the alias of the table.
func EndedByNow(row string) string { return endOf(row, `strftime('%Y-%m-%dT%H:%M:%fZ', 'now')`) }

// EndedAt is EndedByNow for a query with times: it compares with the field marked of the
// argument named times.
func EndedAt(row, times string) string { return endOf(row, times+` ->> 'marked'`) }

// endOf returns the SQL expression for when a row ended, the empty text if after time.
func endOf(row, time string) string {
	return strings.NewReplacer("{row}", row, "{time}", time).Replace(`iif({row}.valid_to <= {time}, {row}.valid_to, '')`)
}

// KnownSince returns the SQL expression for Aging.KnownSince. It is needed because a walk may
// start from a memory that was not known at known_at.
func KnownSince(memory, times string) string {
	return strings.NewReplacer("{m}", memory, "{times}", times).Replace(
		`iif({times} ->> 'known_at' <> '' and {m}.created_at > {times} ->> 'known_at', {m}.created_at, '')`)
}

// EditedSince returns the SQL expression for Aging.EditedSince. Forgetting or restoring a
// memory sets updated_at but is not an edit: the time of the last edit is in the journal.
func EditedSince(memory, times string) string {
	return strings.NewReplacer("{m}", memory, "{times}", times).Replace(`case
    when {times} ->> 'known_at' = '' or {m}.updated_at <= {times} ->> 'known_at' then ''
    when {m}.created_at > {times} ->> 'known_at' then ''
    when {m}.updated_at is not {m}.forgotten_at
      and not exists (select 1 from journal j where j.id = {m}.id and j.action = 'restore' and j.at = {m}.updated_at)
      then {m}.updated_at
    else coalesce(
      (select max(j.at) from journal j where j.id = {m}.id and j.action = 'update' and j.at > {times} ->> 'known_at'),
      ''
    )
  end`)
}
