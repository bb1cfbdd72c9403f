package main

import (
	"maps"
	"slices"
)

// The reference says what a memory ought to answer. It is naive on purpose: it keeps a
// copy of everything after each event, and walks by trying all that there is.

// Kinds of events.
const (
	evState      = "state"      // a statement; with on and from it rests on others or derives from them
	evSupersede  = "supersede"  // a statement that takes another's place
	evContradict = "contradict" // a statement against another one
	evCorrect    = "correct"    // a statement reads otherwise now, because it was wrong
	evEdit       = "edit"       // a note was changed by hand, in its file
	evUntil      = "until"      // a statement held until a day
	evWithdraw   = "withdraw"   // a statement, or a source, turns out wrong
	evUndo       = "undo"       // the last event is taken back
	evErase      = "erase"      // a statement must leave no trace
)

// An event is what a user does to a memory. Statements are numbers.
type event struct {
	kind        string
	id          int
	matter      int
	text        string
	from, until int // days; 0 where open
	note        bool
	on          []int // what it rests on
	sources     []int // what it derives from
	against     int   // what it supersedes or contradicts
}

// A said is a statement as the memory has it.
type said struct {
	matter      int
	text        string
	from, until int
	reasons     []reason
	successor   int // 0 for none
	withdrawn   bool
}

// A reason is a statement that another rests on, and how it read when that was said.
type reason struct {
	id      int
	text    string
	derived bool
}

// A state is all that was said, and who contradicts whom.
type state struct {
	said    map[int]said
	clashes [][2]int
}

// A reference has the state after each event; the first is empty.
type reference struct{ states []state }

func newReference() *reference { return &reference{states: []state{{said: map[int]said{}}}} }

func (r *reference) now() state { return r.states[len(r.states)-1] }

func (r *reference) tell(e event) {
	s := state{said: maps.Clone(r.now().said), clashes: slices.Clone(r.now().clashes)}
	one := s.said[e.id]
	switch e.kind {
	case evState, evSupersede, evContradict:
		one = said{matter: e.matter, text: e.text, from: e.from, until: e.until}
		for _, on := range e.on {
			one.reasons = append(one.reasons, reason{id: on, text: s.said[on].text})
		}
		for _, source := range e.sources {
			one.reasons = append(one.reasons, reason{id: source, text: s.said[source].text, derived: true})
		}
		if e.kind == evSupersede {
			old := s.said[e.against]
			old.successor = e.id
			s.said[e.against] = old
		}
		if e.kind == evContradict {
			s.clashes = append(s.clashes, [2]int{e.id, e.against})
		}
	case evCorrect, evEdit:
		one.text = e.text
	case evUntil:
		one.until = e.until
	case evWithdraw:
		one.withdrawn = true
	case evUndo:
		r.states = append(r.states, r.states[len(r.states)-2])
		return
	case evErase:
		one.withdrawn, one.text = true, ""
	}
	s.said[e.id] = one
	r.states = append(r.states, s)
}

// holds says whether a statement holds today.
func (s state) holds(id int) bool {
	one, ok := s.said[id]
	return ok && !one.withdrawn && one.successor == 0 && one.until == 0
}

// current returns what holds of a matter today. Each day of an episode is past.
func (s state) current(matter int) []int {
	return s.those(func(id int) bool { return s.said[id].matter == matter && s.holds(id) })
}

// heldOn returns what held of a matter on a day, by what the state knows. A statement
// without a first day began when it was said, after each day of an episode.
func (s state) heldOn(matter, day int) []int {
	return s.those(func(id int) bool {
		one := s.said[id]
		began := func(of said) bool { return of.from != 0 && of.from <= day }
		return one.matter == matter && !one.withdrawn && began(one) && !began(s.said[one.successor]) && (one.until == 0 || day < one.until)
	})
}

// clash returns the current statements that contradict a current statement.
func (s state) clash(id int) (with []int) {
	for _, c := range s.clashes {
		if slices.Contains(c[:], id) && s.holds(c[0]) && s.holds(c[1]) {
			with = append(with, c[0]+c[1]-id)
		}
	}
	return with
}

// changed says whether a reason is not what it was: replaced, withdrawn, contradicted, or it reads otherwise.
func (s state) changed(why reason) bool {
	on := s.said[why.id]
	return on.successor != 0 || on.withdrawn || on.text != why.text || len(s.clash(why.id)) > 0
}

// routes returns each way from a statement along its reasons to one that changed, that one last.
func (s state) routes(id int) (all [][]int) {
	for _, why := range s.said[id].reasons {
		if s.changed(why) {
			all = append(all, []int{id, why.id})
		}
		for _, further := range s.routes(why.id) {
			all = append(all, append([]int{id}, further...))
		}
	}
	return all
}

// doubtful says whether a statement rests on something that changed.
func (s state) doubtful(id int) bool { return len(s.routes(id)) > 0 }

// restsOn returns what holds and rests on a statement, directly or by way of others.
func (s state) restsOn(id int) []int {
	return s.those(func(other int) bool { return other != id && s.holds(other) && s.reaches(other, id, false) })
}

// cameFrom returns what holds and derives from a source, directly or by way of others.
func (s state) cameFrom(source int) []int {
	return s.those(func(other int) bool { return other != source && s.holds(other) && s.reaches(other, source, true) })
}

func (s state) reaches(from, to int, derived bool) bool {
	return slices.ContainsFunc(s.said[from].reasons, func(why reason) bool {
		return (why.derived || !derived) && (why.id == to || s.reaches(why.id, to, derived))
	})
}

// sound returns what holds and is not in doubt.
func (s state) sound() []int {
	return s.those(func(id int) bool { return s.holds(id) && !s.doubtful(id) })
}

func (s state) those(are func(int) bool) []int {
	ids := []int{}
	for _, id := range slices.Sorted(maps.Keys(s.said)) {
		if are(id) {
			ids = append(ids, id)
		}
	}
	return ids
}
