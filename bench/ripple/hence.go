package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
)

// hence asks Hence by its server over stdio, and by its command line where only that has it.
type hence struct {
	*server
	binary, folder string
}

func openHence(binary string) func(string) (Adapter, error) {
	return func(folder string) (Adapter, error) {
		s, err := startServer([]string{"HOME=" + folder}, binary, "--db", filepath.Join(folder, "store.db"), "serve")
		return hence{s, binary, folder}, err
	}
}

func (h hence) Do(r Request) (answer Answer, err error) {
	var is henceResult
	before := h.calls
	defer func() { answer.Calls, answer.Shown = max(1, h.calls-before), is.shown() }()
	switch r.Do {
	case "has":
		answer.Has = []string{"read", "rests_on", "derives_from", "supersedes", "contradicts", "correct", "note", "until", "withdraw", "undo", "erase",
			"merge", "many", "day", "instant", "rests", "came", "why", "list", "export", "doubt", "conflict"}
	case "store":
		if r.Note {
			answer.Handle, err = h.note(r.About+".md", r.Text)
			return answer, err
		}
		err = h.call("memory_store", filled(tree{"content": r.Text, "title": r.About, "valid_from": moment(r.From), "valid_to": moment(r.Until), "dedup": "off",
			"supersedes": some(r.Supersedes), "links": append(append(links("depends-on", r.RestsOn), links("derived-from", r.DerivesFrom)...), links("contradicts", some(r.Contradicts))...)}), &is)
		answer.Handle, is.Memory.ID = is.Memory.ID, ""
	case "correct", "until":
		err = h.call("memory_update", filled(tree{"id": r.Handle, "content": r.Text, "valid_to": moment(r.Until)}), nil)
	case "edit":
		if err = h.call("memory_get", tree{"id": r.Handle}, &is); err == nil {
			_, err = h.note(path.Base(is.Memories[0].URI), r.Text)
		}
	case "withdraw":
		err = h.call("memory_forget", tree{"id": r.Handle}, nil)
	case "find":
		err = h.call("memory_search", filled(tree{"query": r.Words, "as_of": moment(r.Day), "known_at": r.Instant, "detail": "full"}), &is)
	case "read", "why":
		err = h.call("memory_get", tree{"id": r.Handle}, &is)
		for _, one := range is.Memories {
			for _, stale := range one.Stale {
				answer.Routes = append(answer.Routes, stale.Route)
			}
		}
	case "rests":
		err = h.call("memory_trace", tree{"id": r.Handle, "direction": "downstream", "max_hops": 10, "include_ended": true}, &is)
	case "came":
		err = h.call("expand", tree{"seed_doc_ids": []string{r.Handle}, "direction": "incoming", "edge_types": []string{"derived-from"}, "hops": 5, "detail": "full"}, &is)
	case "list":
		err = h.call("memory_list", tree{"limit": 200, "token_budget": 50000}, &is)
	case "undo":
		_, err = h.command("undo")
	case "erase":
		_, err = h.command("forget", "--purge", r.Handle)
	case "export":
		answer.Text, err = h.command("export")
	case "merge":
		answer.Text, err = h.command("sync", filepath.Join(r.Folder, "store.db"))
	case "many":
		lines := []byte{}
		for i, one := range r.Many {
			line, _ := json.Marshal(tree{"type": "memory", "id": fmt.Sprint(one.About, " ", i), "title": one.About, "content": one.Text})
			lines = append(append(lines, line...), '\n')
		}
		file := filepath.Join(h.folder, "many.jsonl")
		if err = os.WriteFile(file, lines, 0o644); err == nil {
			_, err = h.command("import", file)
		}
	default:
		err = fmt.Errorf("hence: %s: %w", r.Do, errLacks)
	}
	return answer, err
}

// A henceResult is any of Hence's results; a row says what holds of its memory.
type henceResult struct {
	Memory            henceRow
	Memories, Results []henceRow
}

type henceRow struct {
	ID, Content, Snippet, Status, URI, Ended string
	Stale                                    []struct{ Route []string }
	ContradictedBy                           []any `json:"contradicted_by"`
	Edges                                    []struct {
		Type  string
		Other struct{ Status, Ended string }
	}
}

func (is henceResult) shown() (all []Shown) {
	for _, row := range append(is.Memories, is.Results...) {
		conflict := len(row.ContradictedBy) > 0
		for _, edge := range row.Edges {
			conflict = conflict || edge.Type == "contradicts" && edge.Other.Status == "current" && edge.Other.Ended == ""
		}
		all = append(all, Shown{row.ID, row.Content + row.Snippet, marks(row.Status != "current", len(row.Stale) > 0, conflict && row.Status == "current" && row.Ended == "", row.Ended != "")})
	}
	return all
}

func links(kind string, to []string) []tree {
	all := []tree{}
	for _, one := range to {
		all = append(all, tree{"to": one, "type": kind})
	}
	return all
}

// note writes a note as a person does, and lets Hence read the folder.
func (h hence) note(name, text string) (id string, err error) {
	folder := filepath.Join(h.folder, "notes")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
		return "", err
	}
	if _, err := h.command("import", folder, "--name", "notes"); err != nil {
		return "", err
	}
	var is henceResult
	if err := h.call("memory_get", tree{"id": name}, &is); err != nil {
		return "", err
	}
	return is.Memories[0].ID, nil
}

func (h hence) command(arguments ...string) (string, error) {
	command := exec.Command(h.binary, append([]string{"--db", filepath.Join(h.folder, "store.db")}, arguments...)...)
	command.Env = append(os.Environ(), "HOME="+h.folder)
	out, err := command.Output()
	if failed, is := err.(*exec.ExitError); is {
		err = fmt.Errorf("hence %s: %s", arguments[0], failed.Stderr)
	}
	return string(out), err
}
