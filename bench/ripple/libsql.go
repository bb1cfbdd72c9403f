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

func openLibsql(s *server) (Adapter, error) {
	has := "read rests_on derives_from supersedes contradicts correct until withdraw erase many rests came why conflict"
	return native{s, has, libsql{s}.do}, s.start([]string{"LIBSQL_URL=file:" + filepath.Join(s.folder, "memory.db")}, "node", s.program)
}

func (l libsql) do(r Request) (answer Answer, err error) {
	var g graph
	switch r.Do {
	case "store":
		if answer.Handle, err = free(r, l.open); err == nil {
			err = l.create(entity(answer.Handle, r.Text))
		}
		if relations := ties(r, answer.Handle); err == nil && len(relations) > 0 {
			err = l.call("create_relations", tree{"relations": trees(relations, "source", "type", "target")}, nil)
		}
	case "many":
		facts := []tree{}
		for i, one := range r.Many {
			facts = append(facts, entity(fmt.Sprint(one.About, " ", i), one.Text))
		}
		err = l.create(facts...)
	case "correct":
		err = l.create(entity(r.Handle, r.Text))
	case "until", "withdraw":
		if g, err = l.open(r.Handle); err == nil && len(g.Entities) > 0 {
			said := map[string]string{"until": obsUntil + r.Until, "withdraw": obsWithdrawn}[r.Do]
			err = l.create(entity(r.Handle, append(g.Entities[0].Observations, said)...))
		}
	case "erase":
		err = l.call("delete_entity", tree{"name": r.Handle}, nil)
	case "find":
		g, err = l.search(r.Words, 10)
		answer.Shown = g.shown()
	default:
		return follow(r, l.open)
	}
	return answer, err
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
		others := func(one node) bool { return one.Name != name }
		all.Entities = append(all.Entities, slices.DeleteFunc(g.Entities, others)...)
		all.Relations = append(all.Relations, g.Relations...)
	}
	return all, nil
}

func (l libsql) create(facts ...tree) error {
	for some := range slices.Chunk(facts, 50) { // it takes no more at once
		if err := l.call("create_entities", tree{"entities": some}, nil); err != nil {
			return err
		}
	}
	return nil
}
