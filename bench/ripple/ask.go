package main

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// An asked is a question, and what a system must have for it.
type asked struct {
	track, question string
	needs           []string
}

// The questions, in the order of the table.
var questions = []asked{
	{"current", "what holds now is found", nil},
	{"current", "what no longer holds is out of the way", nil},
	{"current", "a corrected text reads as corrected", []string{"read", "correct"}},
	{"current", "the old one is readable when asked for", []string{"read", "supersedes"}},
	{"current", "of plain texts, the newest comes first", nil},
	{"ripple", "what rests on what changed, 1 to 6 steps away, and nothing else", []string{"rests", "rests_on"}},
	{"ripple", "who reads one of these is told of the doubt", []string{"read", "doubt", "rests_on"}},
	{"ripple", "who reads another one is not", []string{"read", "doubt", "rests_on"}},
	{"why", "what changed is named, with a true route to it", []string{"why", "rests_on"}},
	{"time", "what held on a day", []string{"day"}},
	{"time", "what was known at an instant", []string{"instant"}},
	{"time", "what was then known of a day", []string{"day", "instant"}},
	{"time", "how a text read before it was corrected", []string{"instant", "correct"}},
	{"conflict", "both sides are shown, as in conflict", []string{"conflict", "contradicts"}},
	{"conflict", "when one gave way, the other is shown without", []string{"conflict", "contradicts"}},
	{"source", "what came from it, directly or by derivation", []string{"came", "derives_from"}},
	{"source", "what is left without doubt when it was wrong", []string{"list", "doubt", "derives_from", "withdraw"}},
	{"undo", "answers are as before", []string{"undo", "read"}},
	{"undo", "the export is as before", []string{"undo", "export"}},
	{"merge", "both orders end in the same export", []string{"merge", "export"}},
	{"merge", "no text is lost", []string{"merge", "export"}},
	{"merge", "two successors of one are named as a conflict", []string{"merge", "conflict", "supersedes"}},
	{"erase", "none of the texts is in a file", []string{"erase"}},
	{"erase", "nor four words that only one of them has", []string{"erase"}},
	{"many", "all that was acknowledged to a writer is there", []string{"read"}},
	{"many", "of 200 statements of eight writers, acknowledged", nil},
	{"find", "by seven of its words, in no order", nil},
	{"find", "by a paraphrase", nil},
	{"find", "by seven words, among many others", nil},
	{"find", "by a paraphrase, among many others", nil},
}

// An asker tells one system an episode and asks after each event.
type asker struct {
	*runner
	*world
	adapter   Adapter
	reference *reference
	instants  []time.Time    // after as many events
	handles   map[int]string // of statements
	ids       map[string]int // the newest statement with a handle
	texts     map[string]int // each text that was told
	export    string         // before the event that is taken back
}

func (r *runner) newAsker(adapter Adapter, w *world) *asker {
	return &asker{runner: r, world: w, adapter: adapter, reference: newReference(), instants: []time.Time{time.Now()},
		handles: map[int]string{}, ids: map[string]int{}, texts: map[string]int{}}
}

func (a *asker) named(ids []int) (handles []string) {
	for _, id := range ids {
		handles = append(handles, a.handles[id])
	}
	return handles
}

// tell tells an event, and notes the time after it.
func (a *asker) tell(e event, about string) error {
	request := Request{Do: e.kind, About: about, Text: e.text, Handle: a.handles[e.id], Until: date(e.until)}
	switch e.kind {
	case evState, evSupersede, evContradict:
		request.Do, request.From, request.Note = "store", date(e.from), e.note
		request.RestsOn, request.DerivesFrom = a.named(e.on), a.named(e.sources)
		if e.kind == evSupersede {
			request.Supersedes = a.handles[e.against]
		}
		if e.kind == evContradict {
			request.Contradicts = a.handles[e.against]
		}
	}
	answer, err := a.adapter.Do(request)
	if err != nil {
		return fmt.Errorf("%s %q: %w", e.kind, e.text, err)
	}
	if answer.Handle != "" {
		a.handles[e.id], a.ids[answer.Handle] = answer.Handle, e.id
	}
	if e.text != "" {
		a.texts[e.text] = e.id
	}
	a.reference.tell(e)
	time.Sleep(2 * time.Millisecond) // so that an instant lies between two events
	a.instants = append(a.instants, time.Now())
	time.Sleep(2 * time.Millisecond)
	return nil
}

// which returns the statement that an answer shows, 0 if it is none of the episode.
func (a *asker) which(shown Shown) int {
	if id, ok := a.ids[shown.Handle]; ok {
		return id
	}
	for text, id := range a.texts {
		if strings.Contains(shown.Text, text) {
			return id
		}
	}
	return 0
}

// found returns the statements that an answer shows, all or those that it does not call replaced or over.
func (a *asker) found(answer Answer, all bool) (ids []int) {
	for _, shown := range answer.Shown {
		if id := a.which(shown); id != 0 && !slices.Contains(ids, id) && (all || !marked(shown, "replaced") && !marked(shown, "over")) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

func marked(shown Shown, mark string) bool { return slices.Contains(shown.Marks, mark) }

// of returns those statements that are on a matter.
func (a *asker) of(matter int, ids []int) []int {
	return slices.DeleteFunc(ids, func(id int) bool { return a.reference.now().said[id].matter != matter })
}

// read reads a statement and says how it is shown.
func (a *asker) read(id int) (is Shown) {
	answer, err := a.adapter.Do(Request{Do: "read", Handle: a.handles[id]})
	a.failed(err)
	for _, shown := range answer.Shown {
		if a.which(shown) == id || shown.Handle == a.handles[id] {
			return shown
		}
	}
	return Shown{}
}

func (a *asker) find(matter int, day, before int) Answer {
	request := Request{Do: "find", Words: a.about(matter), Day: date(day)}
	if before > 0 {
		request.Instant = a.instants[before].UTC().Format(time.RFC3339Nano)
	}
	answer, err := a.adapter.Do(request)
	a.failed(err)
	answer.Shown = answer.Shown[:min(10, len(answer.Shown))]
	return answer
}

// ask asks all that there is to ask after an event.
func (a *asker) ask(e event) {
	before, after := a.reference.states[len(a.reference.states)-2], a.reference.now()
	subject := e.id
	if e.against != 0 {
		subject = e.against
	}
	switch e.kind {
	case evUndo:
		a.askBack()
		return
	case evErase:
		return
	}
	a.askCurrent(e, after)
	a.askTime(e.matter, before, after)
	switch e.kind {
	case evState:
		a.askOthers(before, after, nil)
	case evCorrect, evEdit, evSupersede, evContradict, evWithdraw:
		below := after.restsOn(subject)
		if len(below) > 0 {
			a.askRipple(subject, below, before, after)
		}
		a.askOthers(before, after, below)
	}
	if e.kind == evContradict {
		a.askConflict(e.id, true)
		a.askConflict(e.against, true)
	}
	for _, id := range before.clash(subject) {
		if e.kind == evWithdraw || e.kind == evSupersede {
			a.askConflict(id, false)
		}
	}
	if came := after.cameFrom(subject); e.kind == evWithdraw && len(came) > 0 {
		a.check("what came from it, directly or by derivation", func() (any, any) {
			answer, err := a.adapter.Do(Request{Do: "came", Handle: a.handles[subject]})
			a.failed(err)
			return a.found(answer, false), came
		})
		a.check("what is left without doubt when it was wrong", func() (any, any) {
			answer, err := a.adapter.Do(Request{Do: "list"})
			a.failed(err)
			answer.Shown = slices.DeleteFunc(answer.Shown, func(s Shown) bool { return marked(s, "doubt") })
			return a.found(answer, false), after.sound()
		})
	}
}

func (a *asker) askCurrent(e event, s state) {
	want := s.current(e.matter)
	if len(want) > 0 {
		a.check("what holds now is found", func() (any, any) {
			shown := a.of(e.matter, a.found(a.find(e.matter, 0, 0), false))
			return only(shown, want), want
		})
	}
	if e.kind == evSupersede || e.kind == evWithdraw || e.kind == evUntil {
		a.check("what no longer holds is out of the way", func() (any, any) {
			shown := a.of(e.matter, a.found(a.find(e.matter, 0, 0), false))
			return shown, only(shown, want)
		})
	}
	if e.kind == evCorrect || e.kind == evEdit {
		a.check("a corrected text reads as corrected", func() (any, any) {
			text := a.read(e.id).Text
			return strings.Contains(text, e.text) && !strings.Contains(text, a.reference.states[len(a.reference.states)-2].said[e.id].text), true
		})
	}
	if e.kind == evSupersede {
		a.check("the old one is readable when asked for", func() (any, any) {
			return strings.Contains(a.read(e.against).Text, s.said[e.against].text), true
		})
	}
}

func (a *asker) askTime(matter int, before, after state) {
	last := len(a.reference.states) - 1
	if a.reference.states[last-1].current(matter) != nil && last > 1 {
		a.check("what was known at an instant", func() (any, any) {
			return a.of(matter, a.found(a.find(matter, 0, last-1), true)), before.current(matter)
		})
	}
	dated := slices.DeleteFunc(after.those(func(id int) bool { return after.said[id].matter == matter }), func(id int) bool { return after.said[id].from == 0 })
	for _, id := range dated {
		for _, day := range []int{after.said[id].from - 1, after.said[id].from, after.said[id].from + 3, 60} {
			a.check("what held on a day", func() (any, any) {
				return a.of(matter, a.found(a.find(matter, day, 0), true)), after.heldOn(matter, day)
			})
			a.check("what was then known of a day", func() (any, any) {
				return a.of(matter, a.found(a.find(matter, day, last-1), true)), before.heldOn(matter, day)
			})
		}
	}
	for id, one := range before.said {
		if before.holds(id) && after.said[id].text != one.text {
			a.check("how a text read before it was corrected", func() (any, any) {
				return slices.ContainsFunc(a.find(matter, 0, last-1).Shown, func(s Shown) bool { return strings.Contains(s.Text, one.text) }), true
			})
		}
	}
}

func (a *asker) askRipple(subject int, below []int, before, after state) {
	a.check("what rests on what changed, 1 to 6 steps away, and nothing else", func() (any, any) {
		answer, err := a.adapter.Do(Request{Do: "rests", Handle: a.handles[subject]})
		a.failed(err)
		return a.found(answer, false), below
	})
	for _, id := range below {
		if !after.doubtful(id) {
			continue
		}
		a.check("who reads one of these is told of the doubt", func() (any, any) { return marked(a.read(id), "doubt"), true })
		if before.doubtful(id) {
			continue
		}
		a.check("what changed is named, with a true route to it", func() (any, any) {
			answer, err := a.adapter.Do(Request{Do: "why", Handle: a.handles[id]})
			a.failed(err)
			return a.trueRoutes(answer.Routes, after.routes(id), subject), true
		})
	}
}

// trueRoutes says whether each route is one that there is, and one of them ends at what changed.
func (a *asker) trueRoutes(routes [][]string, there [][]int, cause int) (named bool) {
	names := [][]string{}
	for _, route := range there {
		names = append(names, a.named(route))
	}
	for _, route := range routes {
		if !slices.ContainsFunc(names, func(one []string) bool { return slices.Equal(one, route) }) {
			return false
		}
		named = named || route[len(route)-1] == a.handles[cause]
	}
	return named
}

// askOthers reads three statements that the event does not touch and that are in no doubt.
func (a *asker) askOthers(before, after state, below []int) {
	sound := slices.DeleteFunc(after.sound(), func(id int) bool { return !before.holds(id) || slices.Contains(below, id) })
	for _, i := range a.rand.Perm(len(sound))[:min(3, len(sound))] {
		a.check("who reads another one is not", func() (any, any) {
			is := a.read(sound[i])
			return is.Text != "" && !marked(is, "doubt"), true
		})
	}
}

func (a *asker) askConflict(id int, stands bool) {
	question := "both sides are shown, as in conflict"
	if !stands {
		question = "when one gave way, the other is shown without"
	}
	matter := a.reference.now().said[id].matter
	a.check(question, func() (any, any) {
		shown := a.find(matter, 0, 0).Shown
		i := slices.IndexFunc(shown, func(s Shown) bool { return a.which(s) == id })
		return i >= 0 && marked(shown[i], "conflict") == stands, true
	})
}

// askBack asks, after something was taken back, whether all is as it was.
func (a *asker) askBack() {
	s := a.reference.now()
	a.check("the export is as before", func() (any, any) {
		answer, err := a.adapter.Do(Request{Do: "export"})
		a.failed(err)
		return answer.Text == a.export, true
	})
	for id := range a.reference.states[len(a.reference.states)-2].said {
		undone := a.reference.states[len(a.reference.states)-2].said[id]
		if now, is := s.said[id]; is && now.text == undone.text && now.successor == undone.successor && now.withdrawn == undone.withdrawn && now.until == undone.until &&
			s.doubtful(id) == a.reference.states[len(a.reference.states)-2].doubtful(id) {
			continue
		}
		a.check("answers are as before", func() (any, any) {
			shown := a.of(undone.matter, a.found(a.find(undone.matter, 0, 0), false))
			if !s.holds(id) {
				return slices.Contains(shown, id), false
			}
			is := a.read(id)
			return slices.Contains(shown, id) && strings.Contains(is.Text, s.said[id].text) && (!a.can("doubt") || marked(is, "doubt") == s.doubtful(id)), true
		})
	}
}

// only returns those of some statements that are among others.
func only(ids, among []int) []int {
	return slices.DeleteFunc(slices.Clone(ids), func(id int) bool { return !slices.Contains(among, id) })
}
