package main

import (
	"slices"
	"time"
)

// An episode is a world and what happens in it. Its shape is the same for each seed: which
// kinds of events, how often, how far from the end of a chain. The seed draws the matters,
// the texts, what else rests on what, and the order in which things happen.
type episode struct {
	*world
	events []event
	used   int // matters
	last   int // statement
}

// undeclared is an episode of plain texts: a fact on each matter, and another that takes its place. Whether a
// system puts the newer one first hangs on how both are worded, so each seed has each pair of wordings of
// each attribute three times.
func undeclared(seed uint64) *episode {
	e := &episode{world: newWorld(seed)}
	n, pairs := len(e.matters), map[string]int{}
	first, second := make([]event, n), make([]event, n)
	for i, m := range e.matters {
		pair := pairs[m.attribute.name]
		pairs[m.attribute.name]++
		first[i] = event{kind: evState, id: i + 1, matter: i, text: e.worded(pair/2%2, m)}
		second[i] = event{kind: evSupersede, id: n + i + 1, matter: i, text: e.worded(pair%2, m), against: i + 1}
	}
	e.events = append(first, second...)
	return e
}

func declared(seed uint64) *episode {
	e := &episode{world: newWorld(seed)}
	superseded, corrected, withdrawn, contradicted := e.chain(7), e.chain(7), e.chain(7), e.chain(7)
	note := e.state(event{note: true})
	edited := append([]int{note}, e.chainOn(6, note)...)
	taken := []int{e.state(event{from: 5})}
	taken = append(taken, e.chainOn(2, taken[0])...)
	loners := e.loners(6)
	dated := []int{e.state(event{from: 10}), e.state(event{from: 20}), e.state(event{from: 30})}
	source, beside := e.state(event{}), e.state(event{})
	e.state(event{sources: []int{beside}})
	e.state(event{sources: []int{source}})
	e.chainOn(2, e.state(event{sources: []int{e.state(event{sources: []int{source}})}}))

	// Each line happens in this order; which line goes on is drawn.
	e.interleave(
		[]func(){e.supersedes(superseded[3], 0), e.supersedes(superseded[0], 0)},
		[]func(){e.change(evCorrect, corrected[0]), e.change(evCorrect, corrected[3])},
		[]func(){e.change(evWithdraw, withdrawn[0]), e.change(evWithdraw, withdrawn[3])},
		[]func(){e.contradicts(contradicted[3], false), e.contradicts(contradicted[0], true)},
		[]func(){e.change(evEdit, edited[0])},
		[]func(){e.supersedes(dated[0], 40), e.supersedes(dated[1], 45), e.change(evCorrect, dated[0]), e.until(dated[2])},
		[]func(){e.change(evWithdraw, source)},
		[]func(){e.stated, e.stated, e.stated},
		[]func(){
			e.back(e.stated), e.back(e.supersedes(taken[0], 0)), e.back(e.change(evCorrect, taken[0])), e.back(e.change(evWithdraw, taken[0])),
			e.back(func() { e.instead(evContradict, taken[0]) }), e.back(e.until(taken[0])),
		},
	)
	for _, id := range []int{loners[0], loners[1], corrected[3]} {
		e.change(evErase, id)()
	}
	return e
}

// state tells a new statement about a matter of its own, which follows from what it rests on.
func (e *episode) state(as event) int {
	e.last++
	as.kind, as.id, as.matter = evState, e.last, e.used
	e.used++
	because := []matter{}
	for _, on := range append(slices.Clone(as.on), as.sources...) {
		because = append(because, e.matters[e.matterOf(on)])
	}
	as.text = e.text(e.matters[as.matter], because...)
	e.events = append(e.events, as)
	return e.last
}

func (e *episode) stated() { e.state(event{}) }

func (e *episode) matterOf(id int) int {
	return e.events[slices.IndexFunc(e.events, func(one event) bool { return one.id == id })].matter
}

func (e *episode) chain(n int) []int { return e.chainOn(n, 0) }

// chainOn tells statements each of which rests on the one before, and one more that rests on any of them.
func (e *episode) chainOn(n, first int) (ids []int) {
	for on := first; len(ids) < n; on = ids[len(ids)-1] {
		one := event{}
		if on != 0 {
			one.on = []int{on}
		}
		ids = append(ids, e.state(one))
	}
	e.state(event{on: []int{pick(e.rand, ids[1:])}})
	return ids
}

func (e *episode) loners(n int) (ids []int) {
	for range n {
		ids = append(ids, e.state(event{}))
	}
	return ids
}

// instead tells a statement on the matter of another, which takes its place or contradicts
// it, and rests on what that rested on.
func (e *episode) instead(kind string, id int) *event {
	old := e.events[slices.IndexFunc(e.events, func(one event) bool { return one.id == id })]
	e.last++
	e.events = append(e.events, event{kind: kind, id: e.last, matter: old.matter, text: e.text(e.matters[old.matter]), on: old.on, against: id})
	return &e.events[len(e.events)-1]
}

func (e *episode) supersedes(id, from int) func() {
	return func() { e.instead(evSupersede, id).from = from }
}

// contradicts tells a conflict, and which side gives way.
func (e *episode) contradicts(id int, first bool) func() {
	return func() {
		other := e.instead(evContradict, id).id
		if first {
			e.instead(evSupersede, id)
			return
		}
		e.change(evWithdraw, other)()
	}
}

func (e *episode) change(kind string, id int) func() {
	return func() {
		one := event{kind: kind, id: id, matter: e.matterOf(id)}
		if kind == evCorrect || kind == evEdit {
			one.text = e.text(e.matters[one.matter])
		}
		e.events = append(e.events, one)
	}
}

func (e *episode) until(id int) func() {
	return func() { e.events = append(e.events, event{kind: evUntil, id: id, matter: e.matterOf(id), until: 50}) }
}

func (e *episode) back(happens func()) func() {
	return func() { happens(); e.events = append(e.events, event{kind: evUndo}) }
}

func (e *episode) interleave(lines ...[]func()) {
	for len(lines) > 0 {
		i := e.rand.IntN(len(lines))
		lines[i][0]()
		if lines[i] = lines[i][1:]; len(lines[i]) == 0 {
			lines = slices.Delete(lines, i, i+1)
		}
	}
}

// needs maps a kind of event to what a system must have for it.
var needs = map[string]string{
	evSupersede: "supersedes", evContradict: "contradicts", evCorrect: "correct", evEdit: "note",
	evUntil: "until", evWithdraw: "withdraw", evUndo: "undo", evErase: "erase",
}

// told returns the events that a system can be told: what it has nothing for is left out,
// and what only that would touch, and what is taken back where nothing can be.
func told(events []event, has []string) (can []event) {
	known, dropped := map[int]bool{}, false
	for i, e := range events {
		need := needs[e.kind]
		lacks := need != "" && !slices.Contains(has, need) || e.note && !slices.Contains(has, "note")
		stated := e.kind == evState || e.kind == evSupersede || e.kind == evContradict
		lacks = lacks || e.against != 0 && !known[e.against] || !stated && e.kind != evUndo && !known[e.id]
		back := i+1 < len(events) && events[i+1].kind == evUndo
		lacks = lacks || back && !slices.Contains(has, "undo") || e.kind == evUndo && dropped
		if dropped = lacks; lacks {
			continue
		}
		e.on = slices.DeleteFunc(slices.Clone(e.on), func(id int) bool { return !known[id] || !slices.Contains(has, "rests_on") })
		e.sources = slices.DeleteFunc(slices.Clone(e.sources), func(id int) bool { return !known[id] || !slices.Contains(has, "derives_from") })
		known[e.id] = known[e.id] || stated
		can = append(can, e)
	}
	return can
}

// date returns a day of an episode as people write it; 0 is left open.
func date(day int) string {
	if day == 0 {
		return ""
	}
	return time.Date(2025, 1, day, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
}
