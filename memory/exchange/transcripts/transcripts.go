// Package transcripts imports conversations that other programs store: the session files of
// Claude Code and of Codex, and the exports of ChatGPT and of claude.ai. It keeps the texts that a person and
// a model wrote to each other. It leaves out the output of tools, thoughts, and texts that
// a program writes in the person's name.
//
// docs/conversations.md says where each format is described.
package transcripts

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"hence/edges"
)

// Formats returns the names of the formats.
func Formats() []string {
	return edges.Keys(formats, func(f format) string { return f.name })
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
	name                  string
	prefix, suffix, other string // of the names of files, and a prefix of others
	line                  func(r *Reader, number int, line []byte) error
	element               func(raw json.RawMessage) (*thread, error)
}

var formats = []format{
	{name: ClaudeCode, suffix: ".jsonl", other: "agent-", line: (*Reader).claudeLine}, // agent-*.jsonl hold the messages between an agent and its helpers
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
	Turns  []Turn    // in the order of the file
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
	return strings.HasPrefix(name, f.prefix) && strings.HasSuffix(name, f.suffix) && (f.other == "" || !strings.HasPrefix(name, f.other))
}

// Reader builds a conversation from the lines of a file.
type Reader struct {
	format    format
	thread    thread
	hasID     bool   // a line gave the conversation its id
	model     string // of Codex, the present one
	isHelpers bool   // of Codex: a helper of an agent speaks with it, not a person
}

// NewReader returns a reader for a file of Claude Code or Codex. name, the file's name
// without its extension, becomes the conversation's id if the lines have none.
func NewReader(format, name string) *Reader {
	return &Reader{format: formatOf(format), thread: thread{Conversation: Conversation{ID: name}}}
}

// Line adds one line, and returns an error if it is not a JSON object. It skips other lines without a message silently. It does
// not retain the slice.
func (r *Reader) Line(number int, line []byte) error { return r.format.line(r, number, line) }

// Conversation returns what was read.
func (r *Reader) Conversation() Conversation { return r.thread.Conversation }

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
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return nil
	}
	for _, raw := range list {
		var element part
		if json.Unmarshal(raw, &element) == nil {
			*p = append(*p, element)
		}
	}
	return nil
}

// text returns the texts of the parts of some types as paragraphs, without what a program wrote in
// the person's name.
func (p parts) text(types []string, of marks) string {
	paragraphs := []string{}
	for _, element := range p {
		text := of.strip(strings.TrimSpace(strings.ToValidUTF8(strings.ReplaceAll(element.Text, "\x00", ""), "\uFFFD")))
		if text != "" && slices.Contains(types, element.Type) {
			paragraphs = append(paragraphs, text)
		}
	}
	return strings.Join(paragraphs, "\n\n")
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

// timeOf parses a time in RFC 3339; it returns the zero time for any other text.
func timeOf(text string) time.Time {
	t, _ := time.Parse(time.RFC3339, text)
	return t
}
