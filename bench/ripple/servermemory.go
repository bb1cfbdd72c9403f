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

func openServerMemory(program string) func(string) (Adapter, error) {
	return func(folder string) (Adapter, error) {
		s, err := startServer([]string{"MEMORY_FILE_PATH=" + filepath.Join(folder, "memory.jsonl")}, "node", program)
		return serverMemory{s}, err
	}
}

func (m serverMemory) open(names ...string) (g graph, err error) {
	return g, m.call("open_nodes", tree{"names": names}, &g)
}

func (m serverMemory) Do(r Request) (answer Answer, err error) {
	before, g := m.calls, graph{}
	defer func() { answer.Calls = m.calls - before }()
	switch r.Do {
	case "has":
		answer.Has = []string{"read", "rests_on", "derives_from", "supersedes", "contradicts", "correct", "until", "withdraw", "erase", "many", "rests", "came", "why", "conflict"}
	case "store":
		if answer.Handle, err = free(r, m.open); err != nil {
			return answer, err
		}
		relations := []tree{}
		for _, tie := range ties(r) {
			relations = append(relations, tree{"from": answer.Handle, "relationType": tie[0], "to": tie[1]})
		}
		err = m.call("create_entities", tree{"entities": []tree{{"name": answer.Handle, "entityType": "fact", "observations": []string{r.Text}}}}, nil)
		if err == nil && len(relations) > 0 {
			err = m.call("create_relations", tree{"relations": relations}, nil)
		}
	case "many":
		entities := []tree{}
		for i, one := range r.Many {
			entities = append(entities, tree{"name": fmt.Sprint(one.About, " ", i), "entityType": "fact", "observations": []string{one.Text}})
		}
		err = m.call("create_entities", tree{"entities": entities}, nil)
	case "correct":
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
		err = m.call("search_nodes", tree{"query": r.Words}, &g)
		answer.Shown = g.shown()
	case "read":
		g, err = m.open(r.Handle)
		answer.Shown = g.shown()
	case "rests":
		answer.Shown, err = below(r.Handle, m.open, "depends_on", "derived_from")
	case "came":
		answer.Shown, err = below(r.Handle, m.open, "derived_from")
	case "why":
		answer.Routes, err = causes([]string{r.Handle}, m.open)
	default:
		err = errLacks
	}
	return answer, err
}

func (m serverMemory) observe(name, text string) error {
	return m.call("add_observations", tree{"observations": []tree{{"entityName": name, "contents": []string{text}}}}, nil)
}
