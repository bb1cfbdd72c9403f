package transcripts

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"hence/edges"
	"hence/internal/budget"
	"hence/internal/db"
	"hence/internal/lists"
	"hence/internal/pattern"
	"hence/internal/plural"
	"hence/internal/prose"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/exchange/lines"
	"hence/memory/record"
)

// A conversation with an agent has commands beside what was said. Each is kept as one line, without its output.

const (
	maxWords    = 1000    // bytes of a command
	maxOutput   = 4000    // bytes of its output, if outputs are kept
	maxCommands = 1 << 18 // bytes of the lines of a conversation
)

// The results of a command that did not succeed, besides its exit status.
const (
	failed   = "failed"
	running  = "still running" // when the file was read
	noAnswer = "no answer"     // was written: the agent was interrupted
)

// Command is a command that an agent ran, or an edit of files.
type Command struct {
	Words  string    // "" for an edit
	Folder string    // in which it ran; "" if it is unknown
	Files  []string  // that it edited
	Result string    // "" if it succeeded, else "exit 1", "failed" …
	Output string    // if outputs are kept
	At     time.Time // of the answer, or else of the call
	call   string    // its id
	line   int       // of the call in the file
}

// call adds the commands of a call of a tool, which are answered under its id. A resumed session repeats calls.
func (r *Reader) call(id string, line int, at time.Time, commands ...Command) {
	if _, isKnown := r.calls[id]; id == "" || isKnown {
		return
	}
	if r.calls == nil {
		r.calls, r.inBackground = map[string][]*Command{}, map[string][]*Command{}
	}
	r.calls[id] = nil
	for _, c := range commands {
		c.Words, _ = budget.Cut(prose.OneLine(r.clean.CleanCommand(printable(c.Words))), maxWords)
		if c.Words != "" || len(c.Files) > 0 {
			c.Result, c.At, c.call, c.line = noAnswer, at, id, line
			r.calls[id] = append(r.calls[id], &c)
		}
	}
	r.thread.Commands = append(r.thread.Commands, r.calls[id]...)
}

// answer sets the result of the commands of a call whose end is not known yet. An event may tell the end before the answer
// brings the output.
func (r *Reader) answer(id string, at time.Time, result, output string) {
	for _, c := range r.calls[id] {
		isOpen := c.Result == noAnswer || c.Result == running
		if isOpen {
			c.Result, c.At = result, at
		}
		if r.keepsOutputs && (isOpen || c.Output == "") {
			c.Output += shortened(r.clean.Clean(printable(output)))
		}
	}
}

// shortened returns the beginning and the end of an output.
func shortened(output string) string {
	if output = strings.TrimSpace(output); len(output) <= maxOutput {
		return output
	}
	return strings.ToValidUTF8(output[:maxOutput/4], "") + "\n…\n" + strings.ToValidUTF8(output[len(output)-maxOutput*3/4:], "")
}

// keepCommands keeps the commands of a session, which may be in several files, until all are read.
func (t *teller) keepCommands(session string, c Conversation, at time.Time) {
	c.At, c.Turns = at, c.Turns[:1]
	kept := t.withCommands[session]
	if kept == nil {
		t.withCommands[session], t.sessionIDs = &c, append(t.sessionIDs, session)
		return
	}
	for _, command := range c.Commands {
		if !slices.ContainsFunc(kept.Commands, func(k *Command) bool { return k.call == command.call }) {
			kept.Commands = append(kept.Commands, command)
		}
	}
}

// tellCommands writes the commands of each session as a memory, and another one with their outputs if these are kept.
func (t *teller) tellCommands(ctx context.Context) error {
	for _, session := range t.sessionIDs {
		c := t.withCommands[session]
		if len(c.Commands) == 0 {
			continue
		}
		t.commands += len(c.Commands)
		id := lines.IdOf(t.format, t.namespace, c.ID, "commands")
		if err := t.tellLines(ctx, id, "Commands", session, c, (*Command).text); err != nil {
			return err
		}
		if t.keepsOutputs {
			id := lines.IdOf(t.format, t.namespace, c.ID, "outputs")
			err := t.tellLines(ctx, id, "Outputs", session, c, func(k *Command, folder string) string { return k.text(folder) + "\n" + k.Output })
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// tellLines writes a memory of the commands of a session, in the form that text gives them. Of a text that is too long it
// keeps the end. It was updated when the last one was answered, so that it replaces the text of an earlier import, and
// nothing else of the memory. One that was forgotten, or that somebody wrote anew, stays so.
func (t *teller) tellLines(ctx context.Context, id, what, session string, c *Conversation, text func(k *Command, folder string) string) error {
	all, last := []string{}, c.At
	for _, k := range c.Commands {
		all = append(all, strings.TrimSpace(t.clean.Clean(text(k, c.Folder))))
		if k.At.After(last) {
			last = k.At
		}
	}
	first, size := len(all), 0
	for first > 0 && size+len(all[first-1]) < maxCommands {
		first--
		size += len(all[first]) + 1
	}
	kept := all[first:]
	if first > 0 {
		kept = slices.Insert(slices.Clone(kept), 0, "("+plural.Count(first, "earlier command is", "earlier commands are")+" left out)")
	}
	title := memory.FirstLine(what + ": " + t.title(*c, c.At))
	m := lines.Memory{Memory: record.Memory{ID: id, Kind: "turn", Title: title, Content: strings.Join(kept, "\n"), Importance: turnImportance, Origin: "import", Source: ref.Agent, Actor: t.format, UpdatedAt: lineTime(last)}}
	stored := map[string]lines.Memory{}
	if err := lines.ReadMemories(ctx, t.store.DB, []string{id}, stored); err != nil {
		return err
	}
	m.CreatedAt = lineTime(c.At)
	if old, isStored := stored[id]; isStored {
		if old.Status != memory.Current || !isAsImported(old.Content, all) {
			return nil
		}
		old.Content, old.ContentHash, old.UpdatedAt, old.Changed = m.Content, db.Hash(m.Content), m.UpdatedAt, nil
		m = old
	}
	if err := t.out.Encode(m); err != nil {
		return err
	}
	return t.edge(id, session, edges.PartOf, c.At)
}

// result is the end of a line, which changes when a command ends.
var result = pattern.Lazy(`(?m) \([^()\n]*\)$`)

// isAsImported reports whether a text has only lines that an import has written of the same commands.
func isAsImported(text string, commands []string) bool {
	known := map[string]bool{}
	for line := range strings.Lines(result().ReplaceAllString(strings.Join(commands, "\n"), "")) {
		known[strings.TrimSpace(line)] = true
	}
	for line := range strings.Lines(result().ReplaceAllString(text, "")) {
		if line = strings.TrimSpace(line); !known[line] && !strings.HasSuffix(line, " left out)") {
			return false
		}
	}
	return true
}

// text returns a command as a line. It names the folder unless it is the conversation's.
func (c *Command) text(folder string) string {
	files := lists.Map(c.Files, func(file string) string {
		return prose.OneLine(strings.TrimPrefix(printable(file), strings.TrimSuffix(folder, "/")+"/"))
	})
	said, about := "edited "+strings.Join(files, ", "), []string{}
	if c.Words != "" {
		said = "$ " + c.Words
	}
	if c.Result != "" {
		about = append(about, c.Result)
	}
	if where := strings.TrimPrefix(c.Folder, "file://"); c.Words != "" && where != "" && where != folder {
		about = append(about, "in "+prose.OneLine(printable(where)))
	}
	if len(about) > 0 {
		said += " (" + strings.Join(about, ", ") + ")"
	}
	return said
}

// exitOf returns the result that an exit status stands for.
func exitOf(status string) string {
	if status == "0" {
		return ""
	}
	return "exit " + status
}

// claudePart is a part of a message of Claude Code that calls a tool or answers a call.
type claudePart struct {
	Type    string          `json:"type"`
	ID      string          `json:"id"`
	Name    string          `json:"name"`
	Input   json.RawMessage `json:"input"`
	Call    string          `json:"tool_use_id"`
	IsError bool            `json:"is_error"`
	Content parts           `json:"content"`
}

// claudeInput is the input of a tool that runs a command or edits a file.
type claudeInput struct {
	Command  string `json:"command"`
	File     string `json:"file_path"`
	Notebook string `json:"notebook_path"`
}

var claudeExit = pattern.Lazy(`^(?:Error: )?Exit code (\d+)`)

// claudeCalls reads the calls and answers of a line.
func (r *Reader) claudeCalls(number int, l claudeLine) {
	for _, p := range l.Message.Content.calls {
		at, input := timeOf(l.Timestamp), claudeInput{}
		if p.Type == "tool_use" {
			_ = json.Unmarshal(p.Input, &input) // fields of another type stay empty
			r.stepOfCall(at, p.ID, p.Name, p.Input)
		}
		switch {
		case p.Type == "tool_use" && (p.Name == "Bash" || p.Name == "PowerShell"):
			r.call(p.ID, number, at, Command{Words: input.Command, Folder: l.Folder})
		case p.Type == "tool_use" && slices.Contains([]string{"Edit", "MultiEdit", "Write", "NotebookEdit"}, p.Name):
			if file := cmp.Or(input.File, input.Notebook); file != "" {
				r.call(p.ID, number, at, Command{Files: []string{file}})
			}
		case p.Type == "tool_result":
			output, result := p.Content.text([]string{"text"}, marks{}), ""
			if p.IsError {
				result = failed
				if exit := claudeExit().FindStringSubmatch(output); exit != nil {
					result = exitOf(exit[1])
				}
			}
			r.answer(p.Call, at, result, output)
			r.stepOfAnswer(at, p.Call, output)
		}
	}
}

// codexCall are the fields of a payload of Codex that calls a tool, answers a call, or tells of its end: of the tools of all
// versions.
type codexCall struct {
	Type      string   `json:"type"`
	ID        string   `json:"id"` // of an item
	CallID    string   `json:"call_id"`
	Name      string   `json:"name"`
	Namespace string   `json:"namespace"` // of the tools of a server
	Arguments string   `json:"arguments"` // JSON, of a function
	Input     string   `json:"input"`     // of a custom tool
	Command   argument `json:"command"`
	Folder    string   `json:"cwd"`
	Action    struct {
		Command argument `json:"command"`
		Folder  string   `json:"working_directory"`
	} `json:"action"`
	Output  json.RawMessage `json:"output"`
	Exit    *int            `json:"exit_code"`
	Status  string          `json:"status"`
	Source  string          `json:"source"` // of the end of a command: who ran it
	Success *bool           `json:"success"`
	Changes json.RawMessage `json:"changes"`
}

// codexArguments are the arguments of a function that runs a command.
type codexArguments struct {
	Cmd     argument    `json:"cmd"`
	Command argument    `json:"command"`
	Folder  string      `json:"workdir"`
	Session json.Number `json:"session_id"`
	Cell    json.Number `json:"cell_id"` // of a script
}

// argument is a command: a text, or a list of words, of which a shell may be the first.
type argument string

func (a *argument) UnmarshalJSON(raw []byte) error {
	var text string
	var words []string
	switch {
	case json.Unmarshal(raw, &text) == nil:
		*a = argument(text)
	case json.Unmarshal(raw, &words) == nil && len(words) == 3 && (words[1] == "-lc" || words[1] == "-c"):
		*a = argument(words[2])
	default:
		*a = argument(strings.Join(words, " "))
	}
	return nil
}

var (
	patchedFile = pattern.Lazy(`\*\*\* (?:(?:Add|Update|Delete) File|Move to): ([^\r\n\\"]+)`)
	scriptCall  = pattern.Lazy(`\bexec_command\(\s*\{[^{}]*?["']?\bcmd["']?\s*:\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|` + "`[^`]*`)")
	codexExit   = pattern.Lazy(`(?m)^(?:Process exited with code|Exit code:) (-?\d+)\s*$`)
	codexFailed = pattern.Lazy(`(?i)^(?:(?:script|exec_command|write_stdin|apply_patch verification) failed|aborted|failed|exec\w* error)|rejected by user`)
	codexRuns   = pattern.Lazy(`(?m)^(?:Process running with session|Script running with cell) ID (\d+)`)
)

// codexCommand returns a command in which an edit by the command apply_patch is one of files.
func codexCommand(words, folder string) Command {
	c := Command{Words: words, Folder: folder}
	if !strings.Contains(words, "*** Begin Patch") {
		return c
	}
	for _, file := range patchedFile().FindAllStringSubmatch(words, -1) {
		c.Files = append(c.Files, strings.TrimSpace(file[1]))
	}
	if len(c.Files) > 0 {
		c.Words = ""
	}
	return c
}

// scriptCommands returns the commands that a script calls, which Codex runs in its code mode.
func scriptCommands(script string) (commands []Command) {
	for _, call := range scriptCall().FindAllStringSubmatch(script, -1) {
		words := call[1][1 : len(call[1])-1]
		if call[1][0] == '"' {
			_ = json.Unmarshal([]byte(call[1]), &words)
		}
		commands = append(commands, codexCommand(words, ""))
	}
	if edit := codexCommand(script, ""); len(edit.Files) > 0 {
		commands = append(commands, edit)
	}
	return commands
}

// codexCalls reads the call, the answer or the end of a command.
func (r *Reader) codexCalls(number int, at time.Time, raw json.RawMessage) {
	var p codexCall
	_ = json.Unmarshal(raw, &p) // fields of another type stay empty
	switch p.Type {
	case "function_call", "custom_tool_call":
		r.stepOfCall(at, p.CallID, p.Namespace+p.Name, []byte(p.Arguments+p.Input))
	case "local_shell_call":
		r.stepOfCall(at, p.CallID, p.Name, []byte(p.Action.Command))
	}
	switch p.Type {
	case "function_call":
		var a codexArguments
		_ = json.Unmarshal([]byte(p.Arguments), &a)
		switch id := (a.Session + a.Cell).String(); {
		case r.inBackground[id] == nil:
		case p.Name == "write_stdin":
			r.calls[p.CallID] = r.inBackground[id]
			return
		case p.Name == "wait":
			r.calls[p.CallID], r.script = r.inBackground[id], p.CallID
			return
		}
		r.call(p.CallID, number, at, codexCommand(string(cmp.Or(a.Cmd, a.Command)), a.Folder))
	case "local_shell_call":
		r.call(cmp.Or(p.CallID, p.ID), number, at, codexCommand(string(p.Action.Command), p.Action.Folder))
	case "custom_tool_call":
		if p.Name == "apply_patch" {
			r.call(p.CallID, number, at, codexCommand(p.Input, ""))
			return
		}
		r.call(p.CallID, number, at, scriptCommands(p.Input)...)
		r.script = p.CallID
	case "function_call_output", "custom_tool_call_output", "local_shell_call_output":
		if isRunning := r.codexOutput(p.CallID, at, p.Output); p.CallID == r.script && !isRunning {
			r.script = ""
		}
	case "exec_command_end", "CommandExecution", "patch_apply_end", "FileChange":
		r.codexEnd(number, at, p)
	}
}

// codexOutput reads the answer to a call: a text that begins with the status of a command, or JSON. It reports whether the
// command still runs.
func (r *Reader) codexOutput(id string, at time.Time, raw json.RawMessage) (isRunning bool) {
	var told struct {
		Output   string `json:"output"`
		Content  parts  `json:"content"`
		Success  *bool  `json:"success"`
		Metadata struct {
			Exit *int `json:"exit_code"`
		} `json:"metadata"`
	}
	var content parts
	_ = content.UnmarshalJSON(raw)
	text := content.text([]string{"text", "input_text", "output_text"}, marks{})
	if json.Unmarshal([]byte(text), &told) == nil || json.Unmarshal(raw, &told) == nil {
		text = cmp.Or(told.Output, told.Content.text([]string{"text", "input_text", "output_text"}, marks{}))
	}
	head, output, isDivided := strings.Cut(text, "Output:\n")
	if !isDivided {
		output = text
	}
	r.stepOfAnswer(at, id, output)
	var scripts struct { // what a script prints that prints all of what its command returned
		Exit *int     `json:"exit_code"`
		Took *float64 `json:"wall_time_seconds"`
	}
	_ = json.Unmarshal([]byte(output), &scripts)
	result := ""
	switch exit, session := codexExit().FindStringSubmatch(head), codexRuns().FindStringSubmatch(head); {
	case told.Metadata.Exit != nil:
		result = exitOf(fmt.Sprint(*told.Metadata.Exit))
	case exit != nil:
		result = exitOf(exit[1])
	case session != nil:
		result, isRunning = running, true
		if r.inBackground != nil {
			r.inBackground[session[1]] = r.calls[id]
		}
	case told.Success != nil && !*told.Success || codexFailed().MatchString(head):
		result = failed
	case scripts.Exit != nil && scripts.Took != nil && len(r.calls[id]) == 1:
		result = exitOf(fmt.Sprint(*scripts.Exit))
	}
	r.answer(id, at, result, output)
	return isRunning
}

// codexEnd reads the event of the end of a command or an edit. One without a call was made by the script that runs, and
// stands for what was read in the script. A command of the person is not the agent's, and words to one that runs do not end it.
func (r *Reader) codexEnd(number int, at time.Time, p codexCall) {
	id, result := cmp.Or(p.CallID, p.ID), ""
	switch {
	case p.Source == "user_shell" || p.Source == "unified_exec_interaction":
		return
	case p.Exit != nil && *p.Exit >= 0: // one that was declined has -1
		result = exitOf(fmt.Sprint(*p.Exit))
	case p.Success != nil && !*p.Success || p.Status != "" && p.Status != "completed" && p.Status != "success":
		result = failed
	}
	if _, isKnown := r.calls[id]; isKnown {
		r.answer(id, at, result, "")
		return
	}
	for _, guessed := range r.calls[r.script] {
		r.thread.Commands = slices.DeleteFunc(r.thread.Commands, func(c *Command) bool { return c == guessed })
	}
	if r.script != "" {
		r.calls[r.script] = nil
	}
	c := codexCommand(string(p.Command), p.Folder)
	var byPath map[string]json.RawMessage
	if json.Unmarshal(p.Changes, &byPath) == nil {
		for path := range byPath {
			c.Files = append(c.Files, path)
		}
		slices.Sort(c.Files)
	}
	r.call(id, number, at, c)
	r.answer(id, at, result, "")
}
