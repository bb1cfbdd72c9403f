package ref

import (
	"context"
	"database/sql"
	"strconv"
	"strings"

	"hence/internal/db"
)

// Named is the id and title of a memory, and the mark of a stranger's text. Text writes all
// of it; no other code writes a title without its mark.
type Named struct {
	ID    string `json:"id" is:""`
	Title string `json:"title" is:""`
	Trust string `json:"trust,omitempty"` // web, tool or import, if it is less trusted than an agent's own text: see Mark
}

// Text returns the title in quotes, the short id and the mark: "Zebra" (e6739b76) [from the web].
func (n Named) Text() string {
	return strconv.Quote(n.Title) + " (" + ShortID(n.ID) + ")" + n.Mark()
}

// Mark returns the mark that follows the title of a stranger's text, "" for other texts.
func (n Named) Mark() string {
	if n.Trust == "" {
		return ""
	}
	return " [" + FromWords(n.Trust) + "]"
}

// Fields returns pointers to scan the columns id, title into.
func (n *Named) Fields() []any { return []any{&n.ID, &n.Title} }

// End is a memory at one end of an edge or on a path.
type End struct {
	Named
	Status string `json:"status"`
	Aging
}

// Fields returns pointers to scan the columns id, title, status into.
func (e *End) Fields() []any { return []any{&e.ID, &e.Title, &e.Status} }

// Far is a memory at the other end of an edge, or in a list.
type Far struct {
	End
	Kind string `json:"kind"`
}

// Fields returns pointers to scan the columns id, title, status, kind into.
func (f *Far) Fields() []any { return []any{&f.ID, &f.Title, &f.Status, &f.Kind} }

// Seen is a memory that a walk reached. It does not embed End, because results have uri before
// title.
type Seen struct {
	ID     string `json:"id"`
	URI    string `json:"uri,omitempty"`
	Title  string `json:"title"`
	Trust  string `json:"trust,omitempty"` // see Named
	Kind   string `json:"kind"`
	Status string `json:"status"`
	Origin string `json:"origin"`
	Actor  string `json:"actor"`
	Place
	Aging
}

// Fields returns pointers to scan the columns id, title, status, uri, kind, origin, actor,
// FileOf, LineOf into.
func (s *Seen) Fields() []any {
	return []any{&s.ID, &s.Title, &s.Status, &s.URI, &s.Kind, &s.Origin, &s.Actor, &s.File, &s.StartLine}
}

// Place is where a symbol of source code is declared. It is empty for other memories.
type Place struct {
	File      string `json:"file,omitempty" jsonschema:"of code"`
	StartLine int    `json:"start_line,omitempty"`
}

// Named returns the id and title.
func (s Seen) Named() Named { return Named{s.ID, s.Title, s.Trust} }

// End returns the memory as the end of an edge.
func (s Seen) End() End { return End{s.Named(), s.Status, s.Aging} }

// Ends returns memories by their keys. Keys without a memory are not in the map.
func Ends(ctx context.Context, r *db.Reader, keys []int64) (map[int64]Far, error) {
	trust, err := Trust(ctx, r, keys)
	if err != nil {
		return nil, err
	}
	ends := make(map[int64]Far, len(keys))
	err = db.Each(ctx, r, func(row *sql.Rows) error {
		var key int64
		var f Far
		err := db.Scan(row, &key, &f, &f.Ended, &f.Begins)
		f.Trust = trust[key]
		ends[key] = f
		return err
	}, `
select
  m.key,
  m.id,
  m.title,
  m.status,
  m.kind,
  `+EndedByNow("m")+`,
  `+BeginsAfterNow("m")+`
from json_each(?) f
cross join memories m on m.key = f.value`, db.List(keys))
	return ends, err
}

// Aging has the marks that an answer must put on a memory: whether it holds or changed, and
// whether its text is a stranger's. An empty field is no mark.
type Aging struct {
	Ended       string `json:"ended,omitempty"`        // when it ended, if that has passed
	Begins      string `json:"begins,omitempty"`       // when it begins to hold, if that is to come
	EditedSince string `json:"edited_since,omitempty"` // when it was last edited, if after known_at
	KnownSince  string `json:"known_since,omitempty"`  // when it was stored, if after known_at
}

// EndedByNow returns the SQL expression for when a memory or an edge ended, the empty text if
// it has not ended by now. row is the alias of the table.
func EndedByNow(row string) string { return endOf(row, now) }

// now is the SQL expression for the present.
const now = `strftime('%Y-%m-%dT%H:%M:%fZ', 'now')`

// EndedAt is EndedByNow for a query with times: it compares with the field marked of the
// argument named times.
func EndedAt(row, times string) string { return endOf(row, times+` ->> 'marked'`) }

// BeginsAfterNow returns the SQL expression for Aging.Begins.
func BeginsAfterNow(row string) string { return beginOf(row, now) }

// BeginsAfter is BeginsAfterNow for a query with times, as EndedAt is EndedByNow.
func BeginsAfter(row, times string) string { return beginOf(row, times+` ->> 'marked'`) }

// beginOf returns the SQL expression for when a row begins to hold, the empty text if not after time.
func beginOf(row, time string) string {
	return strings.NewReplacer("{row}", row, "{time}", time).Replace(`iif({row}.valid_from > {time}, {row}.valid_from, '')`)
}

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
