package main

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// ask answers a question of these tests: a word, then numbers.
func ask(r *reference, question string) string {
	var word string
	var a, b, c int
	fmt.Sscan(question, &word, &a, &b, &c)
	s := r.now()
	switch word {
	case "current":
		return list(s.current(a))
	case "known": // of matter a, by what was known after b events
		return list(r.states[b].current(a))
	case "held": // of matter a on day b
		return list(s.heldOn(a, b))
	case "believed": // of matter a on day b, by what was known after c events
		return list(r.states[c].heldOn(a, b))
	case "rests":
		return list(s.restsOn(a))
	case "came":
		return list(s.cameFrom(a))
	case "clash":
		return list(s.clash(a))
	case "sound":
		return list(s.sound())
	case "doubt":
		return list(s.those(s.doubtful))
	case "why":
		routes := []string{}
		for _, route := range s.routes(a) {
			routes = append(routes, strings.ReplaceAll(list(route), " ", ">"))
		}
		return strings.Join(routes, " ")
	case "text":
		return s.said[a].text
	}
	panic("no such question: " + question)
}

func list(ids []int) string { return strings.Trim(fmt.Sprint(ids), "[]") }

// fact returns a statement whose matter has its number.
func fact(id int, on ...int) event {
	return event{kind: evState, id: id, matter: id, text: fmt.Sprint("text ", id), on: on}
}

func drawn(id int, sources ...int) event {
	e := fact(id)
	e.sources = sources
	return e
}

func dated(id, from, until int) event {
	e := fact(id)
	e.from, e.until = from, until
	return e
}

// instead returns a statement on the matter of another, against it.
func instead(kind string, id, against, matter int) event {
	return event{kind: kind, id: id, matter: matter, text: fmt.Sprint("text ", id), against: against}
}

func from(e event, day int) event { e.from = day; return e }

func change(kind string, id int) event {
	return event{kind: kind, id: id, text: fmt.Sprint("other ", id), until: 50}
}

var undo = event{kind: evUndo}

// Written by hand, from the meaning of each event.
var episodes = []struct {
	name    string
	events  []event
	answers string
}{
	{"nothing was said", nil, "current 1: ; known 1 0: ; held 1 5: ; rests 1: ; came 1: ; sound: ; doubt: "},
	{"a statement holds", []event{fact(1)}, "current 1: 1; known 1 0: ; known 1 1: 1; sound: 1; rests 1: ; clash 1: "},
	{"a chain", []event{fact(1), fact(2, 1), fact(3, 2), fact(4)}, "rests 1: 2 3; rests 2: 3; rests 3: ; rests 4: ; doubt: ; why 3: ; came 1: "},
	{"a diamond", []event{fact(1), fact(2, 1), fact(3, 1), fact(4, 2, 3)}, "rests 1: 2 3 4; rests 3: 4"},
	{"seven in a row", []event{fact(1), fact(2, 1), fact(3, 2), fact(4, 3), fact(5, 4), fact(6, 5), fact(7, 6), change(evCorrect, 1)},
		"rests 1: 2 3 4 5 6 7; doubt: 2 3 4 5 6 7; why 7: 7>6>5>4>3>2>1; sound: 1"},

	{"superseded", []event{fact(1), instead(evSupersede, 2, 1, 1)}, "current 1: 2; known 1 1: 1; known 1 2: 2; text 1: text 1; sound: 2"},
	{"what rested on the superseded", []event{fact(1), fact(3, 1), fact(4, 3), fact(5), instead(evSupersede, 2, 1, 1)},
		"rests 1: 3 4; rests 2: ; doubt: 3 4; why 3: 3>1; why 4: 4>3>1; sound: 2 5"},
	{"superseded twice", []event{fact(1), fact(9, 1), instead(evSupersede, 2, 1, 1), instead(evSupersede, 3, 2, 1)}, "current 1: 3; known 1 3: 2; why 9: 9>1"},
	{"superseded from a day", []event{dated(1, 10, 0), from(instead(evSupersede, 2, 1, 1), 20)},
		"held 1 9: ; held 1 10: 1; held 1 19: 1; held 1 20: 2; held 1 30: 2; believed 1 30 1: 1; believed 1 15 2: 1"},
	{"superseded in conflict", []event{fact(1), fact(9, 1), instead(evContradict, 2, 1, 1), instead(evSupersede, 3, 2, 1)}, "current 1: 1 3; clash 1: ; doubt: "},
	{"superseded source", []event{fact(1), drawn(2, 1), drawn(3, 2), instead(evSupersede, 4, 1, 1)}, "came 1: 2 3; doubt: 2 3; sound: 4; why 3: 3>2>1"},
	{"supersession taken back", []event{fact(1), fact(3, 1), instead(evSupersede, 2, 1, 1), undo}, "current 1: 1; rests 1: 3; doubt: ; sound: 1 3"},

	{"superseded by one without a day", []event{dated(1, 10, 0), instead(evSupersede, 2, 1, 1)}, "held 1 30: 1; current 1: 2"},
	{"without a day", []event{fact(1)}, "held 1 30: ; current 1: 1"},

	{"corrected", []event{fact(1), fact(2, 1), fact(3, 2), fact(4), change(evCorrect, 1)},
		"current 1: 1; text 1: other 1; rests 1: 2 3; doubt: 2 3; why 3: 3>2>1; sound: 1 4"},
	{"corrected before anything rests on it", []event{fact(1), change(evCorrect, 1), fact(2, 1)}, "doubt: ; rests 1: 2"},
	{"corrected and dated", []event{dated(1, 10, 20), change(evCorrect, 1)}, "held 1 10: 1; held 1 20: ; text 1: other 1"},
	{"corrected in conflict", []event{fact(1), instead(evContradict, 2, 1, 1), change(evCorrect, 2)}, "clash 1: 2; current 1: 1 2"},
	{"corrected source", []event{fact(1), drawn(2, 1), fact(3, 2), change(evCorrect, 1)}, "came 1: 2; rests 1: 2 3; doubt: 2 3"},
	{"correction taken back", []event{fact(1), fact(2, 1), change(evCorrect, 1), undo}, "text 1: text 1; doubt: "},

	{"held until a day", []event{dated(1, 10, 0), fact(2, 1), change(evUntil, 1)}, "current 1: ; held 1 49: 1; held 1 50: ; known 1 2: 1; believed 1 60 2: 1; sound: 2"},
	{"until taken back", []event{dated(1, 10, 0), change(evUntil, 1), undo}, "current 1: 1; held 1 60: 1"},
	{"until in a chain", []event{dated(1, 10, 0), fact(2, 1), change(evUntil, 1)}, "rests 1: 2; doubt: ; why 2: "},

	{"contradicted", []event{fact(1), fact(3, 1), fact(4, 3), instead(evContradict, 2, 1, 1)},
		"current 1: 1 2; clash 1: 2; clash 2: 1; clash 3: ; rests 1: 3 4; doubt: 3 4; why 4: 4>3>1; sound: 1 2; known 1 3: 1"},
	{"contradicted and dated", []event{dated(1, 10, 0), from(instead(evContradict, 2, 1, 1), 20)}, "held 1 15: 1; held 1 20: 1 2; believed 1 20 1: 1"},
	{"the other gives way", []event{fact(1), fact(3, 1), instead(evContradict, 2, 1, 1), change(evWithdraw, 2)}, "current 1: 1; clash 1: ; doubt: ; sound: 1 3"},
	{"the first gives way", []event{fact(1), fact(3, 1), instead(evContradict, 2, 1, 1), instead(evSupersede, 4, 1, 1)}, "current 1: 2 4; clash 2: ; doubt: 3; why 3: 3>1"},
	{"contradicted source", []event{fact(1), drawn(3, 1), instead(evContradict, 2, 1, 1)}, "came 1: 3; doubt: 3"},
	{"contradiction taken back", []event{fact(1), fact(3, 1), instead(evContradict, 2, 1, 1), undo}, "current 1: 1; clash 1: ; doubt: "},

	{"withdrawn", []event{fact(1), fact(2, 1), fact(3, 2), change(evWithdraw, 1)}, "current 1: ; known 1 3: 1; rests 1: 2 3; doubt: 2 3; why 3: 3>2>1; sound: "},
	{"withdrawn and dated", []event{dated(1, 10, 0), change(evWithdraw, 1)}, "held 1 10: ; believed 1 10 1: 1"},
	{"withdrawn in the middle", []event{fact(1), fact(2, 1), fact(3, 2), change(evWithdraw, 2)}, "rests 1: 3; rests 2: 3; doubt: 3; why 3: 3>2; sound: 1"},
	{"withdrawn source", []event{fact(1), drawn(2, 1), drawn(3, 2), fact(4, 3), fact(5), change(evWithdraw, 1)}, "came 1: 2 3; doubt: 2 3 4; sound: 5; why 4: 4>3>2>1"},
	{"two sources", []event{fact(1), fact(2), drawn(3, 1, 2), drawn(4, 2), change(evWithdraw, 1)}, "came 1: 3; came 2: 3 4; doubt: 3; sound: 2 4"},
	{"withdrawal taken back", []event{fact(1), drawn(2, 1), change(evWithdraw, 1), undo}, "current 1: 1; came 1: 2; doubt: ; sound: 1 2"},

	{"edited by hand", []event{fact(1), fact(2, 1), change(evEdit, 1)}, "current 1: 1; text 1: other 1; doubt: 2; why 2: 2>1; rests 1: 2"},
	{"edited source", []event{fact(1), drawn(2, 1), change(evEdit, 1)}, "came 1: 2; doubt: 2"},
	{"edited in conflict", []event{fact(1), instead(evContradict, 2, 1, 1), change(evEdit, 1)}, "clash 1: 2"},
	{"edited and dated", []event{dated(1, 10, 0), change(evEdit, 1)}, "held 1 10: 1; known 1 1: 1"},
	{"edit taken back", []event{fact(1), fact(2, 1), change(evEdit, 1), undo}, "text 1: text 1; doubt: "},

	{"erased", []event{fact(1), fact(2, 1), fact(3, 2), change(evErase, 1)}, "current 1: ; text 1: ; rests 1: 2 3; doubt: 2 3; why 2: 2>1"},
	{"erased and dated", []event{dated(1, 10, 0), change(evErase, 1)}, "held 1 10: "},
	{"erased in conflict", []event{fact(1), instead(evContradict, 2, 1, 1), change(evErase, 2)}, "clash 1: ; current 1: 1"},
	{"erased source", []event{fact(1), drawn(2, 1), change(evErase, 1)}, "doubt: 2; came 1: 2"},

	{"stated beside", []event{fact(1), fact(2, 1), change(evCorrect, 1), fact(3)}, "doubt: 2; sound: 1 3; current 3: 3; why 2: 2>1"},
	{"stated and taken back", []event{fact(1), fact(2, 1), undo}, "current 2: ; rests 1: ; known 2 2: 2"},
	{"two causes", []event{fact(1), fact(2), fact(3, 1, 2), change(evCorrect, 1), change(evWithdraw, 2)}, "why 3: 3>1 3>2"},
	{"two routes", []event{fact(1), fact(2, 1), fact(3, 1), fact(4, 2, 3), change(evCorrect, 1)}, "why 4: 4>2>1 4>3>1; doubt: 2 3 4"},
	{"stated until a day", []event{dated(1, 10, 20)}, "current 1: ; held 1 15: 1; held 1 20: ; sound: "},
}

func TestReferenceAnswersEpisodesWrittenByHand(t *testing.T) {
	for _, episode := range episodes {
		t.Run(episode.name, func(t *testing.T) {
			r := newReference()
			for _, e := range episode.events {
				r.tell(e)
			}
			for _, line := range strings.Split(episode.answers, ";") {
				question, want, _ := strings.Cut(line, ":")
				if got := ask(r, question); got != strings.TrimSpace(want) {
					t.Errorf("%s: %q, want %q", strings.TrimSpace(question), got, strings.TrimSpace(want))
				}
			}
		})
	}
}

// random returns events of all kinds on statements drawn by chance.
func random(r *rand.Rand, n int) (events []event) {
	holding := newReference()
	for id := 1; len(events) < n; id++ {
		s := holding.now()
		all := s.those(s.holds)
		e := fact(id)
		if len(all) > 0 {
			for range r.IntN(3) {
				if on := pick(r, all); !slices.Contains(e.on, on) {
					e.on = append(e.on, on)
				}
			}
			one := pick(r, all)
			switch kind := pick(r, []string{evState, evState, evState, evSupersede, evContradict, evCorrect, evUntil, evWithdraw}); kind {
			case evState:
			case evSupersede, evContradict:
				e = instead(kind, id, one, s.said[one].matter)
			default:
				if e = (event{kind: kind, id: one, text: fmt.Sprint("text ", id, " of ", one)}); kind == evUntil {
					e.text, e.until = "", 50
				}
			}
		}
		events = append(events, e)
		holding.tell(e)
	}
	return events
}

// each calls a check for each event of a hundred random episodes, with the state before it and after it.
func each(t *testing.T, check func(e event, before, after state) string) {
	t.Helper()
	for seed := range uint64(100) {
		r := newReference()
		for i, e := range random(rand.New(rand.NewPCG(seed, 1)), 30) {
			before := r.now()
			r.tell(e)
			if wrong := check(e, before, r.now()); wrong != "" {
				t.Fatalf("seed %d, event %d, %+v: %s", seed, i, e, wrong)
			}
		}
	}
}

func TestSuccess(t *testing.T) {
	each(t, func(e event, _, after state) string {
		if stated := e.kind == evState || e.kind == evSupersede || e.kind == evContradict; stated && !slices.Contains(after.current(e.matter), e.id) {
			return "what was stated last does not hold"
		}
		if e.kind == evCorrect && after.said[e.id].text != e.text {
			return "the text is not the last one"
		}
		if (e.kind == evWithdraw || e.kind == evUntil) && after.holds(e.id) {
			return "it still holds"
		}
		return ""
	})
}

func TestInclusionAndVacuity(t *testing.T) {
	each(t, func(e event, before, after state) string {
		touched := append([]int{e.id, e.against}, append(before.restsOn(e.id), before.restsOn(e.against)...)...)
		for _, other := range append([]int{e.id, e.against}, append(before.clash(e.id), before.clash(e.against)...)...) {
			touched = append(touched, append(before.restsOn(other), other)...) // a conflict ends with either side
		}
		for id := range before.said {
			if slices.Contains(touched, id) {
				continue
			}
			if before.holds(id) != after.holds(id) || (before.holds(id) && before.doubtful(id) != after.doubtful(id)) {
				return fmt.Sprint("nothing touched ", id, ", and it changed")
			}
		}
		if e.kind == evSupersede || e.kind == evWithdraw || e.kind == evCorrect {
			for _, id := range before.restsOn(max(e.against, 0)) {
				if e.kind == evSupersede && after.holds(id) && !after.doubtful(id) {
					return fmt.Sprint(id, " rested on it and is not in doubt")
				}
			}
		}
		return ""
	})
}

func TestConsistency(t *testing.T) {
	each(t, func(e event, _, after state) string {
		for id, one := range after.said {
			if one.successor != 0 && after.holds(id) {
				return fmt.Sprint(id, " has a successor and holds")
			}
			for _, with := range after.clash(id) {
				if !slices.Contains(after.clash(with), id) {
					return "one side only is in conflict"
				}
			}
			if after.doubtful(id) != slices.ContainsFunc(after.those(func(c int) bool { return after.reaches(id, c, false) }), func(c int) bool {
				return slices.ContainsFunc(after.routes(id), func(route []int) bool { return route[len(route)-1] == c })
			}) {
				return "a route ends where nothing can be reached"
			}
		}
		return ""
	})
}

func TestRecovery(t *testing.T) {
	for seed := range uint64(100) {
		r := newReference()
		for _, e := range random(rand.New(rand.NewPCG(seed, 2)), 30) {
			before := r.now()
			r.tell(e)
			r.tell(undo)
			if !reflect.DeepEqual(before, r.now()) {
				t.Fatalf("seed %d: after %+v was taken back, not all is as it was", seed, e)
			}
			r.tell(e)
		}
	}
}

func TestIrrelevance(t *testing.T) {
	each(t, func(e event, _, after state) string {
		r := &reference{states: []state{after}}
		r.tell(fact(1000))
		for id := range after.said {
			if after.holds(id) != r.now().holds(id) || !reflect.DeepEqual(after.routes(id), r.now().routes(id)) || !slices.Equal(after.restsOn(id), r.now().restsOn(id)) {
				return fmt.Sprint("a statement beside it changed ", id)
			}
		}
		return ""
	})
}
