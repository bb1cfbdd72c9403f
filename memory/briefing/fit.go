package briefing

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"hence/internal/budget"
	"hence/internal/ref"
)

// shares are the parts of the budget, in percent: rules, where it was left off, what
// holds, what agents claim, what is to be settled, what has changed.
var shares = [6]int{25, 15, 25, 10, 15, 10}

// The most bytes of one memory's text.
const (
	maxRule   = 400
	maxEntry  = 240
	maxDetail = 480 // of what is next; half of it for the goal and what was done
	maxTitle  = 160
	maxOther  = 80 // of the title of a reason, a successor or what contradicts
)

// list is a list of a briefing: what each of its entries costs, in bytes.
type list struct {
	costs []int
	shown int
	used  int
}

// take shows more entries, as many as an allowance pays for, and returns the rest of it.
func (l *list) take(allowance int) (rest int) {
	for l.shown < len(l.costs) && l.costs[l.shown] <= allowance {
		allowance -= l.costs[l.shown]
		l.shown++
	}
	return allowance
}

// takeOne exchanges the entry for the largest version that an allowance pays for, and
// returns the rest of it. The versions are the entries, the largest first, and only one
// is shown.
func (l *list) takeOne(allowance int) (rest int) {
	allowance += l.used
	for i, cost := range l.costs {
		if cost <= allowance {
			l.shown, l.used = i+1, cost
			return allowance - cost
		}
	}
	return allowance
}

// sizes are the lengths of what is next, in the versions of where it was left off.
var sizes = []int{maxDetail, 360, 240, 160, 100, 60}

// fit returns the briefing that the budget pays for: in its text and, separately, in
// JSON.
func (k known) fit(a Args) Result {
	bytes := a.bytes()
	k.shorten(a)
	k.price()
	for room := min(bytes, MaxText); room > 0; {
		r := k.fitRoom(room)
		text := r.Text()
		over := max(size(r)-bytes, len(text)-bytes, utf8.RuneCountInString(text)-MaxText)
		if over <= 0 {
			return r
		}
		room -= over
	}
	r := k.fitRoom(0)
	r.NotShown = []Unshown{}
	return r
}

// shorten cuts the titles, which can have 1,000 bytes, and texts that entries have not cut.
func (k *known) shorten(a Args) {
	if a.WithoutRules {
		k.ruled, k.rules = ranking{}, []Entry{}
	}
	cut := func(text *string, bytes int) { *text, _ = budget.Cut(*text, bytes) }
	if k.session != nil {
		cut(&k.session.Title, maxTitle)
	}
	for _, h := range slices.Concat(k.holds, k.claims) {
		if h.Because != nil {
			cut(&h.Because.Title, maxOther)
		}
	}
	for i, u := range k.toSettle {
		cut(&k.toSettle[i].Note, maxEntry/2)
		cut(&k.toSettle[i].Title, maxTitle)
		cut(&k.toSettle[i].Other.Title, maxOther)
		if u.Successor != nil {
			cut(&u.Successor.Title, maxOther)
		}
	}
}

// price computes what the entries cost, and the versions of where it was left off.
func (k *known) price() {
	if k.session != nil {
		for _, n := range sizes {
			l := *k.session
			l.Next, _ = budget.Cut(l.Next, n)
			l.Text, _ = budget.Cut(l.Text, n)
			l.Goal, _ = budget.Cut(l.Goal, n/2)
			l.Done, _ = budget.Cut(l.Done, n/2)
			k.versions = append(k.versions, l)
		}
	}
	k.costs = [5][]int{costs(k.rules, Entry.line), costs(k.versions, LeftOff.lines), costs(k.holds, Held.line), costs(k.claims, Held.line), costs(k.toSettle, Unsettled.line)}
	k.changeCosts = map[string]int{}
	for i, cost := range costs(k.changed.Entries, Entry.line) {
		k.changeCosts[k.changed.Entries[i].ID] = cost
	}
}

// fitRoom returns the briefing whose entries cost at most a number of bytes.
func (k known) fitRoom(room int) Result {
	lists := []*list{{costs: k.costs[0]}, {costs: k.costs[1]}, {costs: k.costs[2]}, {costs: k.costs[3]}, {costs: k.costs[4]}, {}}
	rest := 0
	for i, l := range lists[:5] {
		if rest += shares[i] * room / 100; i == 1 {
			rest = l.takeOne(rest)
		} else {
			rest = l.take(rest)
		}
	}
	r := Result{
		Project: k.project, Memories: k.counts.memories, Notes: k.counts.notes, Turns: k.counts.turns, Changed: k.changed,
	}
	r.show(k, lists)
	changes := r.omit(k.changed.Entries)
	for _, e := range changes {
		lists[5].costs = append(lists[5].costs, k.changeCosts[e.ID])
	}
	rest = lists[5].take(rest + shares[5]*room/100)
	for i, l := range lists {
		if i == 1 {
			rest = l.takeOne(rest)
		} else {
			rest = l.take(rest)
		}
	}
	r.show(k, lists)
	r.Changed.Entries = r.omit(changes[:lists[5].shown])
	if lists[1].shown > 0 {
		r.LeftOff = &k.versions[lists[1].shown-1]
	}
	r.NotShown = k.unshown(r, len(r.omit(changes)))
	return r
}

// show puts the entries of the lists that only grow into the briefing.
func (r *Result) show(k known, lists []*list) {
	r.Rules = append([]Entry{}, k.rules[:lists[0].shown]...)
	r.Holds = append([]Held{}, k.holds[:lists[2].shown]...)
	r.Unconfirmed = append([]Held{}, k.claims[:lists[3].shown]...)
	r.ToSettle = append([]Unsettled{}, k.toSettle[:lists[4].shown]...)
}

// costs are what entries cost: in JSON or in words, whichever is more.
func costs[T any](entries []T, words func(T) string) (bytes []int) {
	for _, e := range entries {
		bytes = append(bytes, max(size(e)+len(","), len(words(e))))
	}
	return bytes
}

func size(value any) int {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // texts and numbers
	}
	return len(text)
}

// omit returns the entries that no list of the briefing has.
func (r Result) omit(entries []Entry) []Entry {
	shown := map[string]bool{}
	for _, e := range r.Rules {
		shown[e.ID] = true
	}
	for _, e := range slices.Concat(r.Holds, r.Unconfirmed) {
		shown[e.ID] = true
	}
	for _, e := range r.ToSettle {
		shown[e.ID] = true
	}
	others := []Entry{}
	for _, e := range entries {
		if !shown[e.ID] {
			others = append(others, e)
		}
	}
	return others
}

// unshown says how much of each list is left out, and which call shows it. changes is
// how many of the last list there were to show.
func (k known) unshown(r Result, changes int) []Unshown {
	all := []Unshown{}
	if n := len(k.ruled.rows) - len(r.Rules); n > 0 {
		next := k.ruled.rows[len(r.Rules)]
		all = append(all, Unshown{"rules", n, k.ruled.more, fmt.Sprintf(`memory_list {"kind":%q,"order":"importance"}`, next.kind)})
	}
	if k.session != nil && (r.LeftOff == nil || *r.LeftOff != *k.session) {
		all = append(all, Unshown{"left_off", 1, false, fmt.Sprintf(`memory_get {"id":%q}`, ref.ShortID(k.session.ID))})
	}
	if n := len(k.held.rows) - len(r.Holds); n > 0 {
		next, call := k.held.rows[len(r.Holds)], `memory_list {"kind":"decision","order":"importance"}`
		if _, file, isNote := ref.SplitNoteURI(next.uri); isNote && next.kind != "decision" {
			call = fmt.Sprintf(`list_notes {"under":%q}`, strings.TrimPrefix(path.Dir(file), "."))
		}
		all = append(all, Unshown{"holds", n, k.held.more, call})
	}
	if n := len(k.claimed.rows) - len(r.Unconfirmed); n > 0 {
		call := fmt.Sprintf(`memory_list {"kind":%q,"order":"importance"}`, k.claimed.rows[len(r.Unconfirmed)].kind)
		all = append(all, Unshown{"unconfirmed", n, k.claimed.more, call})
	}
	if n := k.unsettled - len(r.ToSettle); n > 0 {
		all = append(all, Unshown{"to_settle", n, k.unsettled >= candidates, "graph_overview {}"})
	}
	for _, list := range k.late {
		all = append(all, Unshown{list, 0, true, map[string]string{"to_settle": "graph_overview {}", "changed": "memory_list {}"}[list]})
	}
	if n := changes - len(r.Changed.Entries); n > 0 {
		call := "memory_list {}"
		if k.changed.Since != "" {
			call = fmt.Sprintf(`memory_list {"since":%q}`, k.changed.Since)
		}
		all = append(all, Unshown{"changed", n, k.changes.more || changes >= candidates, call})
	}
	return all
}
