package tidy

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"hence/edges"
	"hence/internal/budget"
	"hence/memory/statement"
)

const (
	mostValues = 8  // values of a text that are tried, each as the one that changed
	longSeries = 12 // more memories that differ in one value are a series of measurements
)

// momentary are kinds of memories that say what was at a moment, which nothing newer
// replaces.
var momentary = []string{"event", "session", "turn", "incident", "log"}

// listReplaced proposes that a newer memory replaces an older one: the same words with
// another value or with a negation more or less, or the same attribute of the same
// subject with another value.
func (w *world) listReplaced() []proposal {
	g := groups{byKey: map[string][]assertion{}, next: map[*memo]successor{}}
	for _, m := range w.all {
		if !w.isOver(m) && !m.note() && m.whole && !slices.Contains(momentary, m.Kind) {
			g.add(m)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(g.byKey)) {
		g.settle(key)
	}
	proposals := w.listProposed(edges.Supersedes)
	for _, older := range w.all {
		if s, ok := g.next[older]; ok {
			proposals = append(proposals, propose(s.sure, s.why, link(s.newer, older, edges.Supersedes, s.why), s.newer, older))
		}
	}
	return proposals
}

// groups collects statements that may replace each other: byKey by what they have in common,
// next the successor found for each memory.
type groups struct {
	byKey map[string][]assertion
	next  map[*memo]successor
}

// assertion is a memory with the value in which it differs from others of its group.
type assertion struct {
	memory *memo
	value  string
}

// successor is the memory that may replace an older one.
type successor struct {
	newer *memo
	why   string
	sure  float64
}

// The first letter of a group's key says in what its statements differ.
const (
	byValue     = 'v'
	byNegation  = 'n'
	byAttribute = 'a'
)

// add puts a memory into the groups of its text.
func (g groups) add(m *memo) {
	c := statement.ClaimOf(m.read().tokens)
	put := func(kind rune, common, value string) {
		key := string(kind) + " " + m.project + " " + common
		g.byKey[key] = append(g.byKey[key], assertion{m, value})
	}
	if statement.CountTelling(c.Words) < 2 {
		return
	}
	negation := "affirmed"
	if c.Negated {
		negation = "denied"
	}
	put(byNegation, c.Key(-1), negation)
	places := c.Values()
	for _, place := range places[:min(len(places), mostValues)] {
		if c.Measures(place) {
			put(byValue, negation+" "+c.Key(place), c.Words[place].Text)
		}
	}
	attribute, value, ok := c.Attribute()
	if ok = ok && !c.Negated; m.said != m.Content {
		attribute, value, ok = statement.OfMemory(m.Title, m.Content)
	}
	if ok {
		put(byAttribute, attribute, value)
	}
}

// settle finds for each statement of a group the next newer one with another value.
func (g groups) settle(key string) {
	all := g.byKey[key]
	if len(all) < 2 || key[0] == byValue && len(all) > longSeries {
		return
	}
	slices.SortFunc(all, func(a, b assertion) int {
		return cmp.Or(strings.Compare(a.memory.since(), b.memory.since()), strings.Compare(a.memory.ID, b.memory.ID))
	})
	for i, older := range all {
		at := slices.IndexFunc(all[i+1:], func(newer assertion) bool {
			return newer.value != older.value && newer.memory.since() > older.memory.since()
		})
		if at < 0 {
			continue
		}
		newer := all[i+1+at]
		if older.memory.isTied(newer.memory, edges.RelatesTo, edges.LinksTo, edges.RefersTo) {
			continue
		}
		before, known := g.next[older.memory]
		if !known || newer.memory.since() < before.newer.since() {
			sure := 2.0
			if key[0] == byAttribute {
				sure = 1
			}
			g.next[older.memory] = successor{newer.memory, changeOf(rune(key[0]), older.value, newer.value), sure}
		}
	}
}

// changeOf describes how a newer statement differs from an older one. kind is the first letter of
// the key of their group.
func changeOf(kind rune, older, newer string) string {
	if kind == byNegation {
		return "newer, and says the opposite"
	}
	older, _ = budget.Cut(older, 60)
	newer, _ = budget.Cut(newer, 60)
	return fmt.Sprintf("newer, and says %s in place of %s", newer, older)
}
