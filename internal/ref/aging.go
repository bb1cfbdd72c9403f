package ref

import "strings"

// Aging says what an answer must not hide of a memory that it shows: of its times, and
// of strangers whose text it is.
type Aging struct {
	Ended       string `json:"ended,omitempty"`        // since when it holds no more
	EditedSince string `json:"edited_since,omitempty"` // when it was last edited, if after known_at
	KnownSince  string `json:"known_since,omitempty"`  // when it was stored, if after known_at
	Trust       string `json:"trust,omitempty"`        // web, tool or import, where it is less than an agent's own
}

// EndedByNow returns the expression for when a memory or an edge ended: ” for one that
// is not over now. row is the alias of the table.
func EndedByNow(row string) string { return endOf(row, `strftime('%Y-%m-%dT%H:%M:%fZ', 'now')`) }

// EndedAt is EndedByNow for an answer to a question that has times.
func EndedAt(row, times string) string { return endOf(row, times+` ->> 'marked'`) }

func endOf(row, at string) string {
	return strings.NewReplacer("{row}", row, "{at}", at).Replace(`iif({row}.valid_to <= {at}, {row}.valid_to, '')`)
}

// KnownSince returns the expression for Aging.KnownSince: a walk may begin at what was not
// known then.
func KnownSince(memory, times string) string {
	return strings.NewReplacer("{m}", memory, "{times}", times).Replace(
		`iif({times} ->> 'known_at' <> '' and {m}.created_at > {times} ->> 'known_at', {m}.created_at, '')`)
}

// EditedSince returns the expression for Aging.EditedSince. To forget a memory or to
// bring it back is a change, and no edit: the journal has the edit before it.
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
