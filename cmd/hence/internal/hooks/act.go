package hooks

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"hence/code/moment"
	"hence/internal/db"
	"hence/internal/pattern"
)

// Act returns what the tool is about to do, or has tried to do. It has neither edits nor a command for a
// tool that only reads. A command edits the files that it names to write. A relative path begins at the client's folder.
func (c Call) Act() (a moment.Act) {
	m, ok := parse(c.Tool.Input)
	if !ok {
		return a
	}
	patch := m.patch()
	switch {
	case patch != "":
		a.Edits = readPatch(patch)
	case c.Tool.edits():
		a.Edits = m.edits()
	case c.Tool.runs():
		a.Command, a.Failure = m.command(), c.Tool.Error
		a.Edits = writes(a.Command)
	}
	a.Folder, _ = filepath.Abs(c.Folder) // the hook runs in it
	for i, e := range a.Edits {
		if a.Edits[i].Path = filepath.FromSlash(e.Path); !filepath.IsAbs(a.Edits[i].Path) {
			a.Edits[i].Path = filepath.Join(a.Folder, a.Edits[i].Path)
		}
	}
	return a
}

// edits returns the changes that the input of a tool for files describes, by the names that
// clients give to their parts.
func (m message) edits() (edits []moment.Edit) {
	e := moment.Edit{Path: m.text("filepath", "path", "notebookpath", "targetfile", "file", "filename", "relativepath")}
	if old := m.text("oldstring", "oldstr", "old", "targetcontent", "find"); old != "" {
		e.Changes = []moment.Change{{Old: old, New: m.text("newstring", "newstr", "new", "replacementcontent", "replace")}}
	} else if text := m.text("content", "contents", "filetext", "codecontent"); text != "" {
		e.Content = &text
	}
	parts := []json.RawMessage{}
	for _, name := range []string{"edits", "replacements", "replacementchunks"} {
		if json.Unmarshal(m[name], &parts) == nil {
			break
		}
	}
	for _, part := range parts {
		one, _ := parse(part)
		for _, more := range one.edits() {
			if more.Path == "" {
				e.Changes = append(e.Changes, more.Changes...)
			} else {
				edits = append(edits, more)
			}
		}
	}
	if e.Path != "" || len(e.Changes) > 0 {
		edits = append([]moment.Edit{e}, edits...)
	}
	return edits
}

// patchBegin is the first line of a patch as Codex writes it.
const patchBegin = "*** Begin Patch"

// patch returns the patch that the input has, in itself or in a command; "" for none.
func (m message) patch() string {
	for _, text := range []string{m.text("input", "patch", "patchtext"), m.command()} {
		if at := strings.Index(text, patchBegin); at >= 0 {
			return text[at:]
		}
	}
	return ""
}

// readPatch returns the edits of a patch. Each hunk replaces the lines that it keeps and removes.
func readPatch(patch string) (edits []moment.Edit) {
	hunk := moment.Change{}
	end := func() {
		if last := len(edits) - 1; last >= 0 && hunk.Old != hunk.New {
			edits[last].Changes = append(edits[last].Changes, hunk)
		}
		hunk = moment.Change{}
	}
	for line := range strings.Lines(patch) {
		head, path, isHead := strings.Cut(strings.TrimRight(line, "\r\n"), " File: ")
		switch {
		case isHead && strings.HasPrefix(head, "*** "):
			end()
			edits = append(edits, moment.Edit{Path: strings.TrimSpace(path)})
		case strings.HasPrefix(line, "@@"), strings.HasPrefix(line, "*** "):
			end()
		case strings.HasPrefix(line, "-"):
			hunk.Old += line[1:]
		case strings.HasPrefix(line, "+"):
			hunk.New += line[1:]
		default:
			line = strings.TrimPrefix(line, " ")
			hunk.Old, hunk.New = hunk.Old+line, hunk.New+line
		}
	}
	end()
	return edits
}

// failureLine matches the line near the end of a command's answer by which Gemini CLI and Copilot CLI say that it failed: they
// have no event of it.
var failureLine = pattern.Lazy(`(?m)^(?:Exit Code: -?[1-9]\d*|<exited with exit code -?[1-9]\d*>)\r?$`)

// failure returns what a command printed, if its answer says that it failed, and else "".
func (m message) failure() string {
	answer, _ := parse(m.object("toolresponse", "toolresult"))
	text := answer.text("llmcontent", "textresultforllm")
	end := strings.TrimRight(text, " \r\n")
	for range 4 { // lines: of its signal and its processes too
		end = end[:max(0, strings.LastIndexByte(end, '\n'))]
	}
	if failureLine().MatchString(text[len(end):]) {
		return text
	}
	return ""
}

// runs reports whether the tool runs a command.
func (t Tool) runs() bool {
	name := plain(t.Name)
	return slices.ContainsFunc([]string{"bash", "shell", "exec", "terminal", "command"}, func(part string) bool { return strings.Contains(name, part) })
}

// command returns the command line of the input, without a shell that only passes it on; "" for none.
func (m message) command() string {
	words, line := []string{}, m.text("command", "cmd", "script")
	for _, name := range []string{"command", "cmd"} {
		if json.Unmarshal(m[name], &words) == nil && len(words) > 0 {
			line = strings.Join(words, " ")
			break
		}
	}
	begin, rest, ok := strings.Cut(strings.TrimSpace(line), " -")
	flag, inner, _ := strings.Cut(rest, " ")
	if ok && strings.HasSuffix(begin, "sh") && !strings.Contains(begin, " ") && strings.HasSuffix(flag, "c") {
		return strings.Trim(strings.TrimSpace(inner), `"'`)
	}
	return line
}

// Task returns the task that the agent is about to give to a helper; "" for another tool.
func (c Call) Task() string {
	if name := plain(c.Tool.Name); name != "agent" && name != "task" {
		return ""
	}
	m, _ := parse(c.Tool.Input)
	return m.text("prompt")
}

// answerTask returns a line of JSON that makes the client put a text before the task of a helper, and
// leaves all else of the tool's input as it is. It allows nothing that the client would not.
func (c Call) answerTask(text string) []byte {
	input := map[string]json.RawMessage{}
	if text == "" || json.Unmarshal(c.Tool.Input, &input) != nil {
		return nil
	}
	input["prompt"] = json.RawMessage(db.JSON(text + c.Task()))
	return []byte(db.JSON(map[string]any{"hookSpecificOutput": map[string]any{"hookEventName": c.name, "updatedInput": input}}) + "\n")
}
