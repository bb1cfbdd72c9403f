package main

// agentmemory asks @agentmemory/agentmemory as npm has it. Without its engine it runs reduced:
// seven tools, which save, find where each word stands in a memory, and delete. It has no
// relations then, so no reasons, conflicts or sources; no change in place, so a correction is
// a new memory and the old one is deleted, as is what was superseded; no dates and no undo.
type agentmemory struct{ *server }

func openAgentmemory(program string) func(string) (Adapter, error) {
	return func(folder string) (Adapter, error) {
		s, err := startServer([]string{"HOME=" + folder}, "node", program, "mcp")
		return agentmemory{s}, err
	}
}

func (a agentmemory) Do(r Request) (answer Answer, err error) {
	before := a.calls
	defer func() { answer.Calls = a.calls - before }()
	switch r.Do {
	case "has":
		answer.Has = []string{"read", "supersedes", "correct", "withdraw", "erase"}
	case "store", "correct":
		var saved struct{ Saved string }
		if err = a.call("memory_save", tree{"content": r.Text, "type": "fact", "concepts": r.About}, &saved); err != nil {
			return answer, err
		}
		answer.Handle = saved.Saved
		for _, old := range some(r.Supersedes, r.Handle) {
			err = a.call("memory_governance_delete", tree{"memoryIds": old}, nil)
		}
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
