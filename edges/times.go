package edges

import (
	"strings"

	"hence/internal/db"
)

// Times are the times that a query asks about, each in the stored form. AsOf selects rows by
// their validity: those valid at that time, as known now. KnownAt selects rows by the history
// of the store: those that existed at that time. With both, rows that existed at KnownAt and
// were then recorded as valid at AsOf. With neither, rows whose validity has not ended.
type Times struct {
	AsOf    string `json:"as_of"`    // "": not requested
	KnownAt string `json:"known_at"` // "": not requested
	Since   string `json:"since"`    // only what was stored or changed from this time on; "": no limit
	Until   string `json:"until"`    // only what was stored or changed until this time; "": no limit
	Over    string `json:"over"`     // omit what had ended by this time; "": omit nothing
	Marked  string `json:"marked"`   // mark what had ended by this time
}

// ParseTimes parses the times of a call. It fails with invalid_argument.
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

// Today returns the times of a query that has no time arguments.
func Today() Times {
	now := db.Now()
	return Times{Over: now, Marked: now}
}

// ParseTimesOfChange parses the times of a call that may ask for what was stored or changed in a period. It fails with
// invalid_argument.
func ParseTimesOfChange(asOf, knownAt string, includeEnded bool, since, until string) (t Times, err error) {
	if t, err = ParseTimes(asOf, knownAt, includeEnded); err == nil {
		t.Since, t.Until, err = db.ParseWindow(since, until)
	}
	return t, err
}

// IsAsked reports whether AsOf or KnownAt was requested. Then the times in the rows decide
// what belongs to the answer, not the current status.
func (t Times) IsAsked() bool { return t.AsOf != "" || t.KnownAt != "" }

// Bind returns the times as one argument of a query: JSON, of which the conditions below
// read the fields. SQLite evaluates such an expression once per query, not once per row.
func (t Times) Bind() string { return db.List(t) }

// Stands returns the SQL condition that a memory belongs to an answer: it was known and valid
// at the times. memory is the alias of the table; times is the name of the argument with the
// result of Times.Bind. superseded and forgotten are SQL conditions: where they are true, the
// answer includes superseded or forgotten memories.
func Stands(memory, times, superseded, forgotten string) string {
	return strings.NewReplacer("{m}", memory, "{times}", times, "{superseded}", superseded, "{forgotten}", forgotten).Replace(standsCondition)
}

// standsCondition is the template of Stands. A memory is valid from its valid_from, else from
// when it was stored. It is valid until the earlier of its valid_to and the time from which
// its successor is valid: the valid_from of the edge, else that of the successor.
const standsCondition = `(
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

// MemoryCounts returns the SQL subquery for the counts of memories by namespace, status, kind and origin, with -1
// for each that has ended by a time, an SQL expression.
func MemoryCounts(time string) string {
	return `(
  select namespace, status, kind, origin, number
  from memory_counts
  union all
  select namespace, status, kind, origin, -1
  from memories indexed by memories_ending
  where valid_to <= ` + time + `
)`
}

// Succeeds returns the SQL condition that a supersedes edge belongs to an answer. An edge
// without valid_from is valid from when its successor is (see Stands), not from when it was
// stored: a successor may be stored long after it became valid.
func Succeeds(edge, times string) string {
	return strings.NewReplacer("{e}", edge, "{times}", times).Replace(succeedsCondition)
}

const succeedsCondition = `(
    {e}.kind = 'supersedes'
    and coalesce({e}.valid_to, '~') > {times} ->> 'over'
    and ({times} ->> 'known_at' = '' or {e}.created_at <= {times} ->> 'known_at')
    and {times} ->> 'as_of' >= (
      select coalesce({e}.valid_from, successor.valid_from, successor.created_at)
      from memories successor
      where successor.key = {e}.from_key
    )
  )`

// ChangedThen returns the SQL condition that the time of a change, the expression at, is
// between Since and Until of the times.
func ChangedThen(at, times string) string {
	return strings.NewReplacer("{at}", at, "{times}", times).Replace(
		`{at} between {times} ->> 'since' and coalesce(nullif({times} ->> 'until', ''), '~')`)
}

// Holds returns the SQL condition that an edge belongs to an answer, as Stands does for
// memories. It looks up edges that end, which are few, in an index of their own, so that a
// walk can read most edges from an index alone.
func Holds(edge, times string) string {
	return strings.NewReplacer("{e}", edge, "{times}", times).Replace(holdsCondition)
}

const holdsCondition = `(
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
