package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A graph is what servers of entities and relations show. Each statement is an entity, whose
// name is what it is about, with a number from the second on, and each tie is a relation.
type graph struct {
	Entities  []node
	Relations []relation
}

type node struct {
	Name         string
	Observations []string
}

type relation struct{ From, To, RelationType string }

// add adds what a file says of its own: its lines, and those of them that are links.
func (g *graph) add(name string, lines []string) {
	g.Entities = append(g.Entities, node{name, lines})
	g.link(name, lines...)
}

// link adds those of some lines of a file that are links, such as depends_on [[port of the job queue]].
func (g *graph) link(name string, lines ...string) {
	for _, line := range lines {
		if kind, to, is := strings.Cut(strings.TrimSuffix(line, "]]"), " [["); is {
			g.Relations = append(g.Relations, relation{name, to, kind})
		}
	}
}

// Two observations that say that a statement no longer holds, for want of a field.
const (
	obsWithdrawn = "withdrawn: it turned out wrong"
	obsUntil     = "held until "
)

// shown are the entities of an answer with what the same answer says of them.
func (g graph) shown() (all []Shown) {
	for _, e := range g.Entities {
		conflict := slices.ContainsFunc(g.Relations, func(r relation) bool {
			return r.RelationType == "contradicts" && (r.From == e.Name && !g.out(r.To) || r.To == e.Name && !g.out(r.From))
		})
		s := Shown{Handle: e.Name, Marks: marks(g.out(e.Name), false, conflict && !g.out(e.Name), false)}
		for _, o := range e.Observations {
			s.Text += o + "\n"
		}
		all = append(all, s)
	}
	return all
}

// out says whether the answer says that a statement was superseded, withdrawn or is over.
func (g graph) out(name string) bool {
	for _, r := range g.Relations {
		if r.RelationType == "supersedes" && r.To == name {
			return true
		}
	}
	for _, e := range g.Entities {
		if e.Name == name && slices.ContainsFunc(e.Observations, func(o string) bool {
			return o == obsWithdrawn || len(o) == len(obsUntil)+10 && o[:len(obsUntil)] == obsUntil
		}) {
			return true
		}
	}
	return false
}

// ties are the relations that a new statement comes with, from it.
func ties(r Request, from string) (all []relation) {
	for _, kind := range []struct {
		name string
		to   []string
	}{{"depends_on", r.RestsOn}, {"derived_from", r.DerivesFrom}, {"supersedes", some(r.Supersedes)}, {"contradicts", some(r.Contradicts)}} {
		for _, to := range kind.to {
			all = append(all, relation{from, to, kind.name})
		}
	}
	return all
}

// trees returns relations with the names that a system gives to their ends and kind. A part whose name is empty is left out.
func trees(all []relation, from, kind, to string) []tree {
	said := []tree{}
	for _, one := range all {
		said = append(said, filled(tree{from: one.From, kind: one.RelationType, to: one.To}))
	}
	return said
}

// follow answers what an adapter finds by looking at statements by name, and by following their relations.
func follow(r Request, look func(...string) (graph, error)) (answer Answer, err error) {
	switch r.Do {
	case "read":
		var g graph
		g, err = look(r.Handle)
		answer.Shown = g.shown()
	case "rests":
		answer.Shown, err = below(r.Handle, look, "depends_on", "derived_from")
	case "came":
		answer.Shown, err = below(r.Handle, look, "derived_from")
	case "why":
		answer.Routes, err = causes([]string{r.Handle}, look)
	default:
		err = errLacks
	}
	return answer, err
}

// free returns the first name for a statement that look finds nothing under.
func free(r Request, look func(...string) (graph, error)) (string, error) {
	about := cmp.Or(r.About, r.Text)
	for name, n := about, 2; ; name, n = fmt.Sprint(about, " ", n), n+1 {
		g, err := look(name)
		if err != nil || !slices.ContainsFunc(g.Entities, func(n node) bool { return n.Name == name }) {
			return name, err
		}
	}
}

// below follows relations of some kinds backward, asking for a level of names at a time, and returns all that it was shown on the way.
func below(from string, look func(...string) (graph, error), kinds ...string) (all []Shown, err error) {
	seen := []string{from}
	for level := seen; len(level) > 0; {
		g, err := look(level...)
		if err != nil {
			return nil, err
		}
		for _, s := range g.shown() {
			if slices.Contains(level, s.Handle) && s.Handle != from {
				all = append(all, s)
			}
		}
		next := []string{}
		for _, r := range g.Relations {
			if slices.Contains(kinds, r.RelationType) && slices.Contains(level, r.To) && !slices.Contains(seen, r.From) {
				seen, next = append(seen, r.From), append(next, r.From)
			}
		}
		level = next
	}
	return all, nil
}

// causes follows relations forward from the end of a route, and returns the routes whose end is out or in conflict.
func causes(route []string, look func(...string) (graph, error)) (all [][]string, err error) {
	g, err := look(route[len(route)-1])
	if err != nil {
		return nil, err
	}
	for _, s := range g.shown() {
		if s.Handle == route[len(route)-1] && len(route) > 1 && len(s.Marks) > 0 {
			all = append(all, slices.Clone(route))
		}
	}
	for _, r := range g.Relations {
		if r.From == route[len(route)-1] && (r.RelationType == "depends_on" || r.RelationType == "derived_from") {
			further, err := causes(append(slices.Clone(route), r.To), look)
			if err != nil {
				return nil, err
			}
			all = append(all, further...)
		}
	}
	return all, nil
}
