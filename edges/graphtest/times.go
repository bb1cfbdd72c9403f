package graphtest

import (
	"slices"
	"time"

	"pgregory.net/rapid"

	"hence/edges"
	"hence/internal/ref"
)

// Times are the times of a question, as its arguments give them.
type Times struct {
	AsOf, KnownAt string
	IncludeEnded  bool
}

// now is the time of a test, later than all days of a world.
var now = time.Now().UTC().Format("2006-01-02T15:04:05.000Z")

// DrawTimes draws the times of a question: usually none.
func DrawTimes(t *rapid.T) (asked Times) {
	if rapid.Bool().Draw(t, "as of a time") {
		asked.AsOf = Day(rapid.IntRange(1, 9).Draw(t, "as_of"))
	}
	if rapid.Bool().Draw(t, "known at a time") {
		asked.KnownAt = Day(rapid.IntRange(1, 7).Draw(t, "known_at"))
	}
	asked.IncludeEnded = rapid.IntRange(0, 3).Draw(t, "include_ended") == 0
	return asked
}

// This is the contract on the two times, word by word and row by row.

// isKnown reports whether the store had a row at a time of the store.
func (asked Times) isKnown(created string) bool {
	return asked.KnownAt == "" || created <= asked.KnownAt
}

// began reports whether something held at a time of the world, or before.
func (asked Times) began(created string, validFrom *string) bool {
	if validFrom != nil {
		created = *validFrom
	}
	return asked.AsOf == "" || created <= asked.AsOf
}

// isOver reports whether something had ended that is to be left out.
func (asked Times) isOver(validTo *string) bool {
	switch {
	case asked.IncludeEnded || validTo == nil:
		return false
	case asked.AsOf != "":
		return *validTo <= asked.AsOf
	}
	return asked.KnownAt == "" && *validTo <= now
}

// Holds reports whether an edge belongs to an answer.
func (t Tie) Holds(asked Times) bool {
	return asked.isKnown(t.Created) && asked.began(t.Created, t.ValidFrom) && !asked.isOver(t.ValidTo)
}

// Open reports whether a memory may be entered.
func (w *World) Open(i int, p Pass) bool {
	m, asked := w.Mems[i], p.Times
	switch {
	case slices.Contains(p.Ends, i):
		return true
	case !asked.isKnown(m.Created), !asked.began(m.Created, m.ValidFrom), asked.isOver(m.ValidTo):
		return false
	case p.WithoutFiles && m.File:
		return false
	case !p.IncludeForgotten && m.Forgotten != nil && (asked.KnownAt == "" || *m.Forgotten <= asked.KnownAt):
		return false
	}
	return p.IncludeSuperseded || !w.hasSuccessor(i, asked)
}

// hasSuccessor reports whether a memory had a successor at the times. Where a time of the
// world is asked for, that is when the successor began to hold, unless the memory says
// itself how long it held.
func (w *World) hasSuccessor(i int, asked Times) bool {
	if asked.AsOf != "" && w.Mems[i].ValidTo != nil {
		return false
	}
	return slices.ContainsFunc(w.Ties, func(t Tie) bool {
		if t.To != i || t.Kind != edges.Supersedes || !asked.isKnown(t.Created) {
			return false
		}
		began := w.Mems[t.From].Created
		if from := w.Mems[t.From].ValidFrom; from != nil {
			began = *from
		}
		if t.ValidFrom != nil {
			began = *t.ValidFrom
		}
		return asked.AsOf == "" || began <= asked.AsOf
	})
}

// End returns a memory as an answer to a question of some times names it.
func (w *World) End(i int, asked Times) ref.End {
	m := w.Mems[i]
	return ref.End{Named: ref.Named{ID: m.ID, Title: m.Title}, Status: m.Status, Aging: w.Aging(i, asked)}
}

// Aging returns what an answer must say of a memory's times.
func (w *World) Aging(i int, asked Times) ref.Aging {
	m := w.Mems[i]
	a := ref.Aging{Ended: EndedByNow(m.ValidTo)}
	edited := m.Created
	switch {
	case m.Absent != nil:
		edited = m.Absent.Edited
	case m.Updated != nil:
		edited = *m.Updated
	}
	if asked.KnownAt != "" && m.Created > asked.KnownAt {
		a.KnownSince = m.Created
		return a
	}
	if asked.KnownAt != "" && edited > asked.KnownAt && (m.Forgotten == nil || *m.Forgotten != edited) {
		a.EditedSince = edited
	}
	return a
}

// EndedByNow returns a time of an end that has passed.
func EndedByNow(validTo *string) string {
	if validTo != nil && *validTo <= now {
		return *validTo
	}
	return ""
}
