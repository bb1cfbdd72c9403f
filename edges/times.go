package edges

import (
	"encoding/json"
	"strings"

	"hence/internal/db"
)

// Times are the times that a question asks about, each as it is stored. AsOf is a time
// of the world: what held then, by what is known now. KnownAt is a time of the store:
// what it said then, by its rows. With both, what was then believed of AsOf. Without
// either, what is over by now is left out.
type Times struct {
	AsOf    string `json:"as_of"`    // "": not asked
	KnownAt string `json:"known_at"` // "": not asked
	Since   string `json:"since"`    // stored or changed from then on; "": at any time
	Until   string `json:"until"`    // and until then; "": at any time
	Over    string `json:"over"`     // what has ended by then is left out; "": nothing is
	Marked  string `json:"marked"`   // what has ended by then is marked
}

// ParseTimes reads the times of a call. It fails with invalid_argument.
func ParseTimes(asOf, knownAt string, includeEnded bool) (t Times, err error) {
	if t.AsOf, err = db.ParseTime("as_of", asOf); err != nil {
		return t, err
	}
	if t.KnownAt, err = db.ParseTime("known_at", knownAt); err != nil {
		return t, err
	}
	now := db.Now()
	t.Marked = max(now, t.AsOf)
	switch {
	case includeEnded:
	case t.AsOf != "":
		t.Over = t.AsOf
	case t.KnownAt == "":
		t.Over = now
	}
	return t, nil
}

// Today are the times of a question that asks for none.
func Today() Times {
	now := db.Now()
	return Times{Over: now, Marked: now}
}

// LimitChanges limits the times to what was stored or changed in a period. It fails with
// invalid_argument.
func (t *Times) LimitChanges(since, until string) (err error) {
	t.Since, t.Until, err = db.ParseWindow(since, until)
	return err
}

// IsAsked reports whether a time was asked for, so that rows decide instead of the
// status.
func (t Times) IsAsked() bool { return t.AsOf != "" || t.KnownAt != "" }

// Bind returns the times as one argument of a query, of which the conditions below read
// the parts. SQLite does that once a query, not once a row.
func (t Times) Bind() string {
	text, err := json.Marshal(t)
	if err != nil {
		panic(err) // four texts
	}
	return string(text)
}

// Stands returns the condition that a memory belongs to an answer: it was known and held
// at the times that the argument named times has (as Times.Bind returns them).
// superseded and forgotten are conditions on which such memories belong to it too.
// memory is the alias of the table.
func Stands(memory, times, superseded, forgotten string) string {
	return strings.NewReplacer("{m}", memory, "{times}", times, "{superseded}", superseded, "{forgotten}", forgotten).Replace(stands)
}

// stands is written once for all questions. A memory began to hold when it says so, else
// when it was stored. It held until its valid_to, else until its successor began to
// hold: by the edge, else by the successor.
const stands = `(
    coalesce({m}.valid_to, '~') > {times} ->> 'over'
    and case
      when {times} ->> 'as_of' = '' and {times} ->> 'known_at' = ''
        then {m}.status = 'current'
          or {superseded} and {m}.status = 'superseded'
          or {forgotten} and {m}.status = 'forgotten'
      else ({times} ->> 'known_at' = '' or {m}.created_at <= {times} ->> 'known_at')
        and ({times} ->> 'as_of' = '' or coalesce({m}.valid_from, {m}.created_at) <= {times} ->> 'as_of')
        and (
          {forgotten}
          or {m}.forgotten_at is null
          or {times} ->> 'known_at' <> '' and {m}.forgotten_at > {times} ->> 'known_at'
        )
        and (
          {superseded}
          or {times} ->> 'as_of' <> '' and {m}.valid_to is not null
          or not exists (
            select 1
            from edges succession
            join memories successor on successor.key = succession.from_key
            where succession.to_key = {m}.key
              and succession.kind = 'supersedes'
              and ({times} ->> 'known_at' = '' or succession.created_at <= {times} ->> 'known_at')
              and (
                {times} ->> 'as_of' = ''
                or coalesce(succession.valid_from, successor.valid_from, successor.created_at) <= {times} ->> 'as_of'
              )
          )
        )
    end
  )`

// Succeeds returns the condition that an edge that supersedes belongs to an answer. Without a
// time of its own it begins with its successor, as Stands has it, not when it was stored:
// a successor may be stored long after it began to hold.
func Succeeds(edge, times string) string {
	return strings.NewReplacer("{e}", edge, "{times}", times).Replace(succeeds)
}

const succeeds = `(
    {e}.kind = 'supersedes'
    and coalesce({e}.valid_to, '~') > {times} ->> 'over'
    and ({times} ->> 'known_at' = '' or {e}.created_at <= {times} ->> 'known_at')
    and {times} ->> 'as_of' >= (
      select coalesce({e}.valid_from, successor.valid_from, successor.created_at)
      from memories successor
      where successor.key = {e}.from_key
    )
  )`

// ChangedThen returns the condition that a time of change is in the period that the
// times have.
func ChangedThen(at, times string) string {
	return strings.NewReplacer("{at}", at, "{times}", times).Replace(
		`{at} between {times} ->> 'since' and coalesce(nullif({times} ->> 'until', ''), '~')`)
}

// Holds returns the condition that an edge belongs to an answer, as Stands does for
// memories. Edges that have ended are few, and found in an index, because a walk
// reads most edges from an index too.
func Holds(edge, times string) string {
	return strings.NewReplacer("{e}", edge, "{times}", times).Replace(holds)
}

const holds = `(
    not exists (
      select 1
      from edges ended indexed by edges_ending
      where ended.key = {e}.key
        and ended.valid_to <= {times} ->> 'over'
    )
    and (
      {times} ->> 'known_at' = ''
      or {e}.created_at <= {times} ->> 'known_at'
    )
    and (
      {times} ->> 'as_of' = ''
      or coalesce({e}.valid_from, {e}.created_at) <= {times} ->> 'as_of'
    )
  )`
