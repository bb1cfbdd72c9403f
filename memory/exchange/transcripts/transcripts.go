// Package transcripts imports conversations that other programs store: the session files of
// Claude Code and of Codex, and the exports of ChatGPT and of claude.ai. It keeps the texts that a person and
// a model wrote to each other, and the commands that an agent ran. It leaves out the output of tools, thoughts, and texts that
// a program writes in the person's name.
//
// docs/conversations.md says where each format is described.
package transcripts

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"hence/internal/lists"
	"hence/internal/pattern"
	"hence/internal/secret"
	"hence/memory/use"
)

// Formats returns the names of the formats.
func Formats() []string {
	return lists.Map(formats, func(f format) string { return f.name })
}

// The names of the formats.
const (
	ClaudeCode = "claude-code"
	ChatGPT    = "chatgpt"
	Codex      = "codex"
	Claude     = "claude" // claude.ai
)

// format is how a program stores conversations: in a file for each, with a line for each message, or many
// in a list.
type format struct {
	name                    string
	prefix, suffix, helpers string // of the names of files, and a prefix of those of helpers
	line                    func(r *Reader, number int, line []byte) error
	element                 func(raw json.RawMessage) (*thread, error)
}

var formats = []format{
	{name: ClaudeCode, suffix: ".jsonl", helpers: "agent-", line: (*Reader).claudeLine},
	{name: ChatGPT, prefix: "conversations", suffix: ".json", element: chatgptOf},
	{name: Codex, prefix: "rollout-", suffix: ".jsonl", line: (*Reader).codexLine},
	{name: Claude, prefix: "conversations", suffix: ".json", element: claudeOf},
}

func formatOf(name string) format {
	return formats[slices.IndexFunc(formats, func(f format) bool { return f.name == name })]
}

// Conversation is a session of a person with a model.
type Conversation struct {
	ID     string    // given by the program that stored it
	Title  string    // "" if it has none
	Folder string    // the working folder of the session
	Branch string    // of the folder's repository
	At     time.Time // when it began
	ForkOf string    // id of the conversation with whose turns it begins; "" for none
	Helps  string    // id of the conversation whose agent speaks with its helper; "" if a person speaks
	Turns  []Turn    // in the order of the file

	Commands []*Command // in the order of the calls
	Steps    []use.Step // if somebody hears them
}

// Turn is one message of the person or the model.
type Turn struct {
	ID     string // unique in the conversation
	After  string // id of the turn that it follows; "" for the first
	Person bool   // the person wrote it; false: the model did
	Model  string // the model's name, "" if it is unknown
	Text   string
	At     time.Time
}

// thread is a conversation whose messages are added one by one.
type thread struct {
	Conversation
	turnOf map[string]string // id of the last turn up to a message, by id of the message
	last   string            // id of the last turn
}

// add adds a message, and reports whether it is a turn: it has a text, and did not come before. It follows the last turn up to
// another message, or else the last of all.
func (t *thread) add(parent string, turn Turn) bool {
	after, isKnown := t.turnOf[parent]
	if !isKnown {
		after = t.last
	}
	if _, isSeen := t.turnOf[turn.ID]; turn.ID == "" || isSeen {
		return false
	}
	if t.turnOf == nil {
		t.turnOf = map[string]string{}
	}
	if t.turnOf[turn.ID] = after; turn.Text == "" {
		return false
	}
	if turn.Person {
		turn.Model = ""
	}
	turn.After, t.turnOf[turn.ID], t.last = after, turn.ID, turn.ID
	t.Turns = append(t.Turns, turn)
	return true
}

// Holds reports whether a file may hold conversations of a format, judged by its name
// without the folder.
func Holds(format, name string) bool {
	f := formatOf(format)
	return strings.HasPrefix(name, f.prefix) && strings.HasSuffix(strings.TrimSuffix(name, compressed), f.suffix)
}

// Reader builds a conversation from the lines of a file.
type Reader struct {
	format       format
	thread       thread
	hasID        bool   // a line gave the conversation its id
	model        string // of Codex, the present one
	isHelpers    bool   // an agent speaks with its helper, not a person
	clean        *secret.Cleaner
	keepsOutputs bool
	keepsSteps   bool
	ofHence      map[string]bool // ids of calls

	calls        map[string][]*Command // of tools, by id
	inBackground map[string][]*Command // of Codex, by the id of the process
	script       string                // of Codex, id of the call of the script that runs
	messages     []codexMessage        // in the order of the file
}

// NewReader returns a reader for a file of Claude Code or Codex. name, the file's name
// without its extension, becomes the conversation's id if the lines have none.
func NewReader(format, name string) *Reader {
	f := formatOf(format)
	return &Reader{format: f, thread: thread{Conversation: Conversation{ID: name}}, isHelpers: f.helpers != "" && strings.HasPrefix(name, f.helpers), clean: &secret.Cleaner{}}
}

// KeepSteps makes the reader keep what was said and done as Steps.
func (r *Reader) KeepSteps() { r.keepsSteps = true }

// Line adds one line, and returns an error if it is not a JSON object. It skips other lines without a message silently. It does
// not retain the slice.
func (r *Reader) Line(number int, line []byte) error { return r.format.line(r, number, line) }

// Conversation returns what was read.
func (r *Reader) Conversation() Conversation {
	r.addMessages()
	return r.thread.Conversation
}

// parts is the content of a message: a text, or a list of parts with types.
type parts []part

type part struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// UnmarshalJSON reads either form, and skips parts of any other form.
func (p *parts) UnmarshalJSON(raw []byte) error {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		*p = parts{{Type: "text", Text: text}}
		return nil
	}
	*p = elementsOf[part](raw)
	return nil
}

// elementsOf returns the elements of a JSON list that have a form, and none for other text.
func elementsOf[T any](raw json.RawMessage) (elements []T) {
	var list []json.RawMessage
	_ = json.Unmarshal(raw, &list)
	for _, raw := range list {
		var element T
		if json.Unmarshal(raw, &element) == nil {
			elements = append(elements, element)
		}
	}
	return elements
}

// text returns the texts of the parts of some types as paragraphs, without what a program wrote in
// the person's name.
func (p parts) text(types []string, of marks) string {
	paragraphs := []string{}
	for _, element := range p {
		text := of.strip(strings.TrimSpace(printable(element.Text)))
		if text != "" && slices.Contains(types, element.Type) {
			paragraphs = append(paragraphs, text)
		}
	}
	return strings.Join(paragraphs, "\n\n")
}

// printable returns a text as the store takes it.
func printable(text string) string {
	return strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), "\uFFFD")
}

// decodeObject decodes a line, which must be a JSON object, into a struct. It leaves fields of an
// unexpected type empty.
func decodeObject(line []byte, target any) error {
	if len(line) == 0 {
		return nil
	}
	if line[0] != '{' || !json.Valid(line) {
		return fmt.Errorf("it is not a JSON object")
	}
	_ = json.Unmarshal(line, target) // fields of another type stay empty
	return nil
}

// timeOf parses a time in RFC 3339; it returns the zero time for any other text. It is in UTC, so that the zero
// time is equal to another.
func timeOf(text string) time.Time {
	t, _ := time.Parse(time.RFC3339, text)
	return t.UTC()
}

// A program, its hooks and its helpers write in the person's name too: as messages of their own,
// which the formats mark, and between tags within a message, around which the person wrote.

// marks tell what a program writes in the person's name.
type marks struct {
	tag    func() *regexp.Regexp // the first tag of what stands between two tags, at the beginning of a text; the groups have its name
	begins func() *regexp.Regexp // the beginning of a text that is the program's as a whole
	lines  func() *regexp.Regexp // a line that is the program's
}

var claudeMarks = marks{
	tag: pattern.Lazy(`^<(system-reminder|(?:user-prompt-submit|session-(?:start|end)|(?:pre|post)-tool-use|(?:subagent-)?stop|notification|pre-compact)-hook|teammate-message|task-notification|` +
		`command-(?:name|message|args|contents)|local-command-(?:stdout|stderr|caveat)|bash-(?:input|stdout|stderr)|user-memory-input|ide_(?:opened_file|selection|diagnostics)|` +
		`new-diagnostics|persisted-output|tool_use_error|fork-boilerplate|cross-session-message)(?:\s[^<>]*)?>`),
	begins: pattern.Lazy(`^(Caveat: The messages below|This session is being continued from a previous conversation|` +
		`(Subagent)?Stop hook (feedback|blocking error)|(Pre|Post)ToolUse(:\S+)? hook |UserPromptSubmit (hook|operation blocked by hook)|Session(Start|End)(:\S+)? hook |(TaskCompleted|TeammateIdle) hook )`),
	lines: pattern.Lazy(`(?m)^\[Request interrupted by user[^\]\n]*\][ \t]*$`),
}

var codexMarks = marks{
	tag: pattern.Lazy(`^<(?:(skill)>\s*<name>|(environment_context|user_instructions|permissions[ a-z]*|turn_aborted|user_shell_command|INSTRUCTIONS|skills_instructions|` +
		`plugins_instructions|apps_instructions|collaboration_mode|model_switch|personality_spec|subagent_notification|hook_prompt)(?:\s[^<>]*)?>)`),
	begins: pattern.Lazy(`^Another language model started to solve this problem`),
	lines:  pattern.Lazy(`(?m)^# AGENTS\.md instructions[^\n]*$`),
}

// strip returns what a person wrote in a text of theirs: without what stands between two tags of a
// program, unless it is quoted as code. A tag at the beginning without an end takes the whole text.
func (m marks) strip(text string) string {
	if m.tag == nil {
		return text
	}
	text = strings.TrimSpace(m.lines().ReplaceAllString(text, ""))
	if m.begins().MatchString(text) {
		return ""
	}
	kept, fences, open := []string{}, 0, map[string]bool{} // open: tags that have no end in the rest
	from, counted := 0, 0
	for at := 0; at < len(text); at++ {
		next := strings.IndexByte(text[at:], '<')
		if next < 0 {
			break
		}
		at += next
		fences, counted = fences+strings.Count(text[counted:at], "```"), at
		name, length := m.match(text[at:])
		if name == "" || open[name] || fences%2 == 1 || at > 0 && text[at-1] == '`' {
			continue
		}
		end := strings.Index(text[at+length:], "</"+name+">")
		switch {
		case end >= 0:
			length += end + len("</"+name+">")
		case strings.TrimSpace(text[:at]) == "":
			return ""
		default:
			open[name] = true
			continue
		}
		kept = append(kept, text[from:at])
		from, counted = at+length, at+length
		at = from - 1
	}
	if from == 0 {
		return text
	}
	kept = append(kept, text[from:])
	for i, part := range kept {
		kept[i] = strings.TrimSpace(part)
	}
	return strings.Join(slices.DeleteFunc(kept, func(part string) bool { return part == "" }), "\n\n")
}

// match returns the name of the tag at the beginning of a text, "" if it is none of a program's,
// and its length.
func (m marks) match(text string) (name string, length int) {
	groups := m.tag().FindStringSubmatch(text)
	if groups == nil {
		return "", 0
	}
	return strings.Join(groups[1:], ""), len(groups[0])
}

// isHelpers reports whether a format says of a message or session that somebody else than a
// person wrote it. It is a word or an object with a kind, such as {"kind": "human"}, or
// {"subagent": …}.
func isHelpers(source json.RawMessage) bool {
	var word string
	var object map[string]json.RawMessage
	if json.Unmarshal(source, &word) != nil && json.Unmarshal(source, &object) == nil {
		if _, isSubagent := object["subagent"]; isSubagent {
			return true
		}
		_ = json.Unmarshal(object["kind"], &word)
	}
	return !slices.Contains([]string{"", "human", "user", "person", "cli", "vscode", "exec", "mcp", "appServer", "unknown"}, word)
}

// step adds a step to the conversation, if somebody hears it.
func (r *Reader) step(at time.Time, by use.Author, text string) {
	if r.keepsSteps && strings.TrimSpace(text) != "" {
		r.thread.Steps = append(r.thread.Steps, use.Step{At: at, By: by, Text: text})
	}
}

// stepOfTurn adds what was said. To a helper an agent speaks, and no person.
func (r *Reader) stepOfTurn(turn Turn, isAsked bool) {
	by := use.Agent
	switch {
	case turn.Person:
		by = use.Person
	case isAsked:
		by = use.Other
	}
	r.step(turn.At, by, turn.Text)
}

// stepOfCall adds the call of a tool with its input, which is JSON or a text.
func (r *Reader) stepOfCall(at time.Time, id, name string, input []byte) {
	if !r.keepsSteps {
		return
	}
	if tool, isHence := use.ToolOf(name); isHence {
		if r.ofHence == nil {
			r.ofHence = map[string]bool{}
		}
		r.ofHence[id] = true
		r.thread.Steps = append(r.thread.Steps, use.Step{At: at, By: use.Agent, Tool: tool, Text: string(input)})
		return
	}
	written, found := use.Divide(input)
	r.step(at, use.Other, found)
	r.step(at, use.Agent, written)
}

// stepOfAnswer adds what a tool answered. The answers of Hence are in its receipts.
func (r *Reader) stepOfAnswer(at time.Time, id, text string) {
	if !r.ofHence[id] {
		r.step(at, use.Other, text)
	}
}
