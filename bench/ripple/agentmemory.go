package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// agentmemory asks @agentmemory/agentmemory as npm has it. Without its engine it runs reduced:
// seven tools, which save, find where each word stands in a memory, and delete. It has no
// relations then, so no reasons, conflicts or sources; no change in place, so a correction is
// a new memory and the old one is deleted, as is what was superseded; no dates and no undo.
type agentmemory struct{ *server }

func openAgentmemory(s *server) (Adapter, error) {
	return native{s, "read supersedes correct withdraw erase many", agentmemory{s}.do}, s.start(nil, "node", s.program, "mcp")
}

func (a agentmemory) do(r Request) (answer Answer, err error) {
	switch r.Do {
	case "store", "correct":
		var saved struct{ Saved string }
		if err = a.call("memory_save", tree{"content": r.Text, "type": "fact", "concepts": r.About}, &saved); err != nil {
			return answer, err
		}
		answer.Handle = saved.Saved
		for _, old := range some(r.Supersedes, r.Handle) {
			err = a.call("memory_governance_delete", tree{"memoryIds": old}, nil)
		}
	case "many":
		err = a.restart(func() error { return a.fill(r.Many) })
	case "withdraw", "erase":
		err = a.call("memory_governance_delete", tree{"memoryIds": r.Handle}, nil)
	case "find", "read":
		var found struct {
			Results []struct{ ID, Content string }
		}
		err = a.call("memory_recall", tree{"query": r.Words + r.Handle, "limit": 10}, &found)
		for _, one := range found.Results {
			answer.Shown = append(answer.Shown, Shown{Handle: one.ID, Text: one.Content})
		}
	default:
		err = errLacks
	}
	return answer, err
}

// fill writes statements into the file as memory_save does, which takes one at a time and
// then writes the whole file.
func (a agentmemory) fill(statements []Request) error {
	file := filepath.Join(a.folder, ".agentmemory", "standalone.json")
	all := map[string]map[string]any{}
	if old, err := os.ReadFile(file); err == nil {
		if err := json.Unmarshal(old, &all); err != nil {
			return err
		}
	}
	const kind = "mem:memories"
	if all[kind] == nil {
		all[kind] = map[string]any{}
	}
	for _, one := range statements {
		id := fmt.Sprintf("mem_%d", len(all[kind]))
		all[kind][id] = tree{"id": id, "type": "fact", "title": one.Text[:min(80, len(one.Text))], "content": one.Text, "concepts": []string{one.About}, "files": []string{}, "sessionIds": []string{}}
	}
	text, err := json.Marshal(all)
	if err != nil {
		return err
	}
	return put(file, string(text))
}
