package graphtest

import (
	"slices"
	"time"

	"pgregory.net/rapid"

	"hence/edges"
	"hence/internal/ref"
)

// Times are the time arguments of a query.
type Times struct {
	AsOf, KnownAt string
	IncludeEnded  bool
}

// now is the time of a test, later than all days of a world.
var now = time.Now().UTC().Format("2006-01-02T15:04:05.000Z")

// DrawTimes draws the time arguments of a query.
func DrawTimes(t *rapid.T) (times Times) {
	if rapid.Bool().Draw(t, "as of a time") {
		times.AsOf = Day(rapid.IntRange(1, 9).Draw(t, "as_of"))
	}
	if rapid.Bool().Draw(t, "known at a time") {
		times.KnownAt = Day(rapid.IntRange(1, 7).Draw(t, "known_at"))
	}
	times.IncludeEnded = rapid.IntRange(0, 3).Draw(t, "include_ended") == 0
	return times
}

// The following functions apply the contract for AsOf and KnownAt to one row at a time.

// isKnown reports whether the store had a row at KnownAt.
func (times Times) isKnown(created string) bool {
	return times.KnownAt == "" || created <= times.KnownAt
}

// hasBegun reports whether a memory or edge became valid at AsOf or before.
func (times Times) hasBegun(created string, validFrom *string) bool {
	if validFrom != nil {
		created = *validFrom
	}
	return times.AsOf == "" || created <= times.AsOf
}

// isOver reports whether the answer omits a memory or edge because its validity has ended.
func (times Times) isOver(validTo *string) bool {
	switch {
	case times.IncludeEnded || validTo == nil:
		return false
	case times.AsOf != "":
		return *validTo <= times.AsOf
	}
	return times.KnownAt == "" && *validTo <= now
}

// Holds reports whether an edge belongs to the answer for the times.
func (t Tie) Holds(times Times) bool {
	return times.isKnown(t.Created) && times.hasBegun(t.Created, t.ValidFrom) && !times.isOver(t.ValidTo)
}

// Open reports whether a walk may enter a memory.
func (w *World) Open(i int, p Pass) bool {
	m, times := w.Mems[i], p.Times
	switch {
	case slices.Contains(p.Ends, i):
		return true
	case !times.isKnown(m.Created), !times.hasBegun(m.Created, m.ValidFrom), times.isOver(m.ValidTo):
		return false
	case p.WithoutFiles && m.File:
		return false
	case !p.IncludeForgotten && m.Forgotten != nil && (times.KnownAt == "" || *m.Forgotten <= times.KnownAt):
		return false
	}
	return p.IncludeSuperseded || !w.hasSuccessor(i, times)
}

// hasSuccessor reports whether a memory had a successor at the times. With AsOf, a successor
// counts from when it became valid.
func (w *World) hasSuccessor(i int, times Times) bool {
	return slices.ContainsFunc(w.Ties, func(t Tie) bool {
		if t.To != i || t.Kind != edges.Supersedes || !times.isKnown(t.Created) {
			return false
		}
		validSince := w.Mems[t.From].Created
		if validFrom := w.Mems[t.From].ValidFrom; validFrom != nil {
			validSince = *validFrom
		}
		if t.ValidFrom != nil {
			validSince = *t.ValidFrom
		}
		return times.AsOf == "" || validSince <= times.AsOf
	})
}

// End returns a memory as the answer for the times must describe it.
func (w *World) End(i int, times Times) ref.End {
	m := w.Mems[i]
	return ref.End{Named: ref.Named{ID: m.ID, Title: m.Title}, Status: m.Status, Aging: w.Aging(i, times)}
}

// Aging returns the Aging of a memory that the answer for the times must have.
func (w *World) Aging(i int, times Times) ref.Aging {
	m := w.Mems[i]
	a := ref.Aging{Ended: EndedByNow(m.ValidTo), Begins: beginsAfterNow(m.ValidFrom)}
	edited := m.Created
	switch {
	case m.Absent != nil:
		edited = m.Absent.Edited
	case m.Updated != nil:
		edited = *m.Updated
	}
	if times.KnownAt != "" && m.Created > times.KnownAt {
		a.KnownSince = m.Created
		return a
	}
	if times.KnownAt != "" && edited > times.KnownAt && (m.Forgotten == nil || *m.Forgotten != edited) {
		a.EditedSince = edited
	}
	return a
}

// beginsAfterNow returns the time if it is to come, else "".
func beginsAfterNow(validFrom *string) string {
	if validFrom != nil && *validFrom > now {
		return *validFrom
	}
	return ""
}

// EndedByNow returns the time if it has passed, else "".
func EndedByNow(validTo *string) string {
	if validTo != nil && *validTo <= now {
		return *validTo
	}
	return ""
}
