package main

import (
	"cmp"
	"fmt"
	"slices"
)

// A graph is what servers of entities and relations show. Each statement is an entity, whose
// name is what it is about, with a number from the second on, and each tie is a relation.
type graph struct {
	Entities []struct {
		Name         string
		Observations []string
	}
	Relations []struct{ From, To, RelationType string }
}

// Two observations that say that a statement no longer holds, for want of a field.
const (
	obsWithdrawn = "withdrawn: it turned out wrong"
	obsUntil     = "held until "
)

// shown are the entities of an answer with what the same answer says of them.
func (g graph) shown() (all []Shown) {
	for _, e := range g.Entities {
		conflict := slices.ContainsFunc(g.Relations, func(r struct{ From, To, RelationType string }) bool {
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

// ties are the relations that a new statement comes with, from it: kind and end.
func ties(r Request) (all [][2]string) {
	for _, on := range r.RestsOn {
		all = append(all, [2]string{"depends_on", on})
	}
	for _, on := range r.DerivesFrom {
		all = append(all, [2]string{"derived_from", on})
	}
	for _, old := range some(r.Supersedes) {
		all = append(all, [2]string{"supersedes", old})
	}
	for _, other := range some(r.Contradicts) {
		all = append(all, [2]string{"contradicts", other})
	}
	return all
}

// free returns the first name for a statement that look finds nothing under.
func free(r Request, look func(...string) (graph, error)) (string, error) {
	about := cmp.Or(r.About, r.Text)
	for name, n := about, 2; ; name, n = fmt.Sprint(about, " ", n), n+1 {
		g, err := look(name)
		if err != nil || !slices.ContainsFunc(g.shown(), func(s Shown) bool { return s.Handle == name }) {
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
