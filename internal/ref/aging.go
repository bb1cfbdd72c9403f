package ref

import "strings"

// Aging says what an answer must not hide of the times of a memory that it shows.
type Aging struct {
	Ended       string `json:"ended,omitempty" brief:"-"`        // since when it holds no more
	EditedSince string `json:"edited_since,omitempty" brief:"-"` // when it was last edited, if after known_at
}

// EndedByNow returns the expression for when a memory or an edge ended: ” for one that
// is not over now. row is the alias of the table.
func EndedByNow(row string) string { return ended(row, `strftime('%Y-%m-%dT%H:%M:%fZ', 'now')`) }

// Ended is EndedByNow for an answer to a question that has times.
func Ended(row, times string) string { return ended(row, times+` ->> 'marked'`) }

func ended(row, at string) string {
	return strings.NewReplacer("{row}", row, "{at}", at).Replace(`iif({row}.valid_to <= {at}, {row}.valid_to, '')`)
}

// EditedSince returns the expression for Aging.EditedSince. To forget a memory does not
// edit it.
func EditedSince(memory, times string) string {
	return strings.NewReplacer("{m}", memory, "{times}", times).Replace(`iif(
    {times} ->> 'known_at' <> ''
    and {m}.updated_at > {times} ->> 'known_at'
    and {m}.updated_at is not {m}.forgotten_at,
    {m}.updated_at,
    ''
  )`)
}
