package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
)

// hence asks Hence by its server over stdio, and by its command line where only that has it.
type hence struct{ *server }

func openHence(s *server) (Adapter, error) {
	has := "read rests_on derives_from supersedes contradicts correct note until withdraw undo erase merge many day instant rests came why list export doubt conflict"
	return native{s, has, hence{s}.do}, s.start(nil, s.program, "--db", "store.db", "serve")
}

func (h hence) do(r Request) (answer Answer, err error) {
	type call struct {
		tool      string
		arguments tree
	}
	get, update := call{"memory_get", tree{"id": r.Handle}}, call{"memory_update", tree{"id": r.Handle, "content": r.Text, "valid_to": moment(r.Until)}}
	calls := map[string]call{
		"store": {"memory_store", tree{"content": r.Text, "title": r.About, "valid_from": moment(r.From), "valid_to": moment(r.Until), "dedup": "off",
			"links": trees(ties(r, ""), "", "type", "to")}},
		"correct": update, "until": update,
		"withdraw": {"memory_forget", tree{"id": r.Handle}},
		"find":     {"memory_search", tree{"query": r.Words, "as_of": moment(r.Day), "known_at": r.Instant, "detail": "full"}},
		"read":     get, "why": get,
		"rests": {"memory_trace", tree{"id": r.Handle, "direction": "downstream", "max_hops": 10, "include_ended": true}},
		"came":  {"expand", tree{"seed_doc_ids": []string{r.Handle}, "direction": "incoming", "edge_types": []string{"derived-from"}, "hops": 5, "detail": "full"}},
		"list":  {"memory_list", tree{"limit": 200, "token_budget": 50000}},
	}
	commands := map[string]string{"undo": "undo", "export": "export", "many": "import many.jsonl", "erase": "forget --purge " + r.Handle, "merge": "sync " + filepath.Join(r.Folder, "store.db")}
	if r.Do == "many" {
		lines := &strings.Builder{}
		for i, one := range r.Many {
			json.NewEncoder(lines).Encode(tree{"type": "memory", "id": fmt.Sprint(one.About, " ", i), "title": one.About, "content": one.Text})
		}
		err = put(filepath.Join(h.folder, "many.jsonl"), lines.String())
	}
	if r.Note || r.Do == "edit" { // as a person writes it; then Hence reads the folder
		if err = put(filepath.Join(h.folder, "notes", r.About+".md"), r.Text); err == nil {
			_, err = h.command("import notes --name notes")
		}
		calls[r.Do] = call{"memory_get", tree{"id": r.About + ".md"}}
	}
	var is henceResult
	if one, ok := calls[r.Do]; err == nil && ok {
		err = h.call(one.tool, filled(one.arguments), &is)
	} else if err == nil {
		answer.Text, err = h.command(commands[r.Do])
	}
	answer.Handle = is.Memory.ID
	for _, row := range append(is.Memories, is.Results...) {
		conflict := len(row.ContradictedBy) > 0
		for _, edge := range row.Edges {
			conflict = conflict || edge.Type == "contradicts" && edge.Other.Status == "current" && edge.Other.Ended == ""
		}
		for _, stale := range row.Stale {
			answer.Routes = append(answer.Routes, stale.Route)
		}
		holds := row.Status == "current" && row.Ended == ""
		answer.Shown = append(answer.Shown, Shown{row.ID, row.Content + row.Snippet, marks(row.Status != "current", len(row.Stale) > 0, conflict && holds, row.Ended != "")})
		answer.Handle = row.ID // for which only a note asks
	}
	return answer, err
}

func (h hence) command(words string) (string, error) {
	return output(h.folder, h.program, append([]string{"--db", "store.db"}, strings.Fields(words)...)...)
}

// A henceResult is any of Hence's results; a row says what holds of its memory.
type henceResult struct {
	Memory            struct{ ID string }
	Memories, Results []struct {
		ID, Content, Snippet, Status, Ended string
		Stale                               []struct{ Route []string }
		ContradictedBy                      []any `json:"contradicted_by"`
		Edges                               []struct {
			Type  string
			Other struct{ Status, Ended string }
		}
	}
}
