package main

import (
	"fmt"
	"path/filepath"
)

// serverMemory asks @modelcontextprotocol/server-memory, which keeps entities with
// observations, and relations with any word. It has no equivalent of dates, of what was
// known when, of undo or merge. "withdraw" and "until" are observations, since deletion
// would take the relations along; "erase" is deletion.
type serverMemory struct{ *server }

func openServerMemory(s *server) (Adapter, error) {
	has := "read rests_on derives_from supersedes contradicts correct until withdraw erase many rests came why conflict"
	return native{s, has, serverMemory{s}.do}, s.start([]string{"MEMORY_FILE_PATH=" + filepath.Join(s.folder, "memory.jsonl")}, "node", s.program)
}

func (m serverMemory) do(r Request) (answer Answer, err error) {
	switch r.Do {
	case "store":
		if answer.Handle, err = free(r, m.open); err == nil {
			err = m.create(entity(answer.Handle, r.Text))
		}
		if relations := ties(r, answer.Handle); err == nil && len(relations) > 0 {
			err = m.call("create_relations", tree{"relations": trees(relations, "from", "relationType", "to")}, nil)
		}
	case "many":
		facts := []tree{}
		for i, one := range r.Many {
			facts = append(facts, entity(fmt.Sprint(one.About, " ", i), one.Text))
		}
		err = m.create(facts...)
	case "correct":
		var g graph
		if g, err = m.open(r.Handle); err == nil && len(g.Entities) > 0 {
			err = m.call("delete_observations", tree{"deletions": []tree{{"entityName": r.Handle, "observations": g.Entities[0].Observations}}}, nil)
		}
		if err == nil {
			err = m.observe(r.Handle, r.Text)
		}
	case "until":
		err = m.observe(r.Handle, obsUntil+r.Until)
	case "withdraw":
		err = m.observe(r.Handle, obsWithdrawn)
	case "erase":
		err = m.call("delete_entities", tree{"entityNames": []string{r.Handle}}, nil)
	case "find":
		var g graph
		err = m.call("search_nodes", tree{"query": r.Words}, &g)
		answer.Shown = g.shown()
	default:
		return follow(r, m.open)
	}
	return answer, err
}

func (m serverMemory) open(names ...string) (g graph, err error) {
	return g, m.call("open_nodes", tree{"names": names}, &g)
}

func (m serverMemory) create(facts ...tree) error {
	return m.call("create_entities", tree{"entities": facts}, nil)
}

func (m serverMemory) observe(name, text string) error {
	return m.call("add_observations", tree{"observations": []tree{{"entityName": name, "contents": []string{text}}}}, nil)
}

func entity(name string, observations ...string) tree {
	return tree{"name": name, "entityType": "fact", "observations": observations}
}
