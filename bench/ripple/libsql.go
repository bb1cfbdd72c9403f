package main

import (
	"fmt"
	"path/filepath"
	"slices"
)

// libsql asks mcp-memory-libsql, which keeps entities with observations, and relations with
// any word, in SQLite. A statement is read by searching for its name. It has no equivalent of
// dates, of what was known when, of export, undo or merge. Storing an entity again replaces
// its observations: that is "correct"; for "withdraw" and "until" see serverMemory.
type libsql struct{ *server }

func openLibsql(program string) func(string) (Adapter, error) {
	return func(folder string) (Adapter, error) {
		s, err := startServer([]string{"LIBSQL_URL=file:" + filepath.Join(folder, "memory.db")}, "node", program)
		return libsql{s}, err
	}
}

// search shows entities and their relations.
func (l libsql) search(words string, limit int) (g graph, err error) {
	return g, l.call("search_nodes", tree{"query": words, "limit": limit}, &g)
}

func (l libsql) open(names ...string) (all graph, err error) {
	for _, name := range names {
		g, err := l.search(name, 50)
		if err != nil {
			return all, err
		}
		for _, e := range g.Entities {
			if e.Name == name {
				all.Entities = append(all.Entities, e)
			}
		}
		all.Relations = append(all.Relations, g.Relations...)
	}
	return all, nil
}

func (l libsql) put(entities ...tree) error {
	for some := range slices.Chunk(entities, 50) { // it takes no more at once
		if err := l.call("create_entities", tree{"entities": some}, nil); err != nil {
			return err
		}
	}
	return nil
}

func entity(name string, observations ...string) tree {
	return tree{"name": name, "entityType": "fact", "observations": observations}
}

func (l libsql) Do(r Request) (answer Answer, err error) {
	before, g := l.calls, graph{}
	defer func() { answer.Calls = l.calls - before }()
	switch r.Do {
	case "has":
		answer.Has = []string{"read", "rests_on", "derives_from", "supersedes", "contradicts", "correct", "until", "withdraw", "erase", "many", "rests", "came", "why", "conflict"}
	case "store":
		if answer.Handle, err = free(r, l.open); err != nil {
			return answer, err
		}
		relations := []tree{}
		for _, tie := range ties(r) {
			relations = append(relations, tree{"source": answer.Handle, "type": tie[0], "target": tie[1]})
		}
		if err = l.put(entity(answer.Handle, r.Text)); err == nil && len(relations) > 0 {
			err = l.call("create_relations", tree{"relations": relations}, nil)
		}
	case "many":
		entities := []tree{}
		for i, one := range r.Many {
			entities = append(entities, entity(fmt.Sprint(one.About, " ", i), one.Text))
		}
		err = l.put(entities...)
	case "correct":
		err = l.put(entity(r.Handle, r.Text))
	case "until", "withdraw":
		if g, err = l.open(r.Handle); err == nil && len(g.Entities) > 0 {
			said := map[string]string{"until": obsUntil + r.Until, "withdraw": obsWithdrawn}[r.Do]
			err = l.put(entity(r.Handle, append(g.Entities[0].Observations, said)...))
		}
	case "erase":
		err = l.call("delete_entity", tree{"name": r.Handle}, nil)
	case "find":
		g, err = l.search(r.Words, 10)
		answer.Shown = g.shown()
	case "read":
		g, err = l.open(r.Handle)
		answer.Shown = g.shown()
	case "rests":
		answer.Shown, err = below(r.Handle, l.open, "depends_on", "derived_from")
	case "came":
		answer.Shown, err = below(r.Handle, l.open, "derived_from")
	case "why":
		answer.Routes, err = causes([]string{r.Handle}, l.open)
	default:
		err = errLacks
	}
	return answer, err
}
