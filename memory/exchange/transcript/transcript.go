// Package transcript reads conversations that other programs keep of themselves: the
// session files of Claude Code and of Codex, and the export of ChatGPT. It keeps what
// a person and a model said to each other. The output of tools, thoughts, and texts
// that a program puts into the mouth of the person are left out.
//
// docs/conversations.md says where each format is described.
package transcript

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Formats are the names of the formats.
func Formats() []string { return []string{ClaudeCode, ChatGPT, Codex} }

// The formats.
const (
	ClaudeCode = "claude-code"
	ChatGPT    = "chatgpt"
	Codex      = "codex"
)

// Conversation is a session of a person with a model.
type Conversation struct {
	ID     string // of the program that kept it
	Title  string // "" if it has none
	Folder string // in which it was held
	Branch string // of the folder's repository
	At     time.Time
	Turns  []Turn // in the order of the file
}

// Turn is what one of them said.
type Turn struct {
	ID     string // unique in the conversation
	After  string // id of the turn that it follows; "" for the first
	Person bool   // or else the model
	Model  string // its name, "" if it is unknown
	Text   string
	At     time.Time
}

// Holds reports whether a file of a folder may hold conversations of a format, by its
// name without the folder.
func Holds(format, name string) bool {
	switch format {
	case ClaudeCode: // agent-*.jsonl are what the agent said to itself
		return strings.HasSuffix(name, ".jsonl") && !strings.HasPrefix(name, "agent-")
	case Codex:
		return strings.HasSuffix(name, ".jsonl") && strings.HasPrefix(name, "rollout-")
	}
	return strings.HasSuffix(name, ".json") && strings.HasPrefix(name, "conversations")
}

// Reader makes a conversation of the lines of a file. Line returns an error for a line
// that is not a JSON object, which is left out; other lines that say nothing are left out
// without one. The line is not kept.
type Reader interface {
	Line(number int, line []byte) error
	Conversation() Conversation
}

// NewReader returns the reader of a file of Claude Code or Codex. The name of the
// file without its ending stands for the conversation's id if the lines have none.
func NewReader(format, name string) Reader {
	c := Conversation{ID: name}
	if format == Codex {
		return &codexReader{conversation: c}
	}
	return &claudeReader{conversation: c, kept: map[string]string{}}
}

// parts are the contents of a message: a text, or a list of parts with types.
type parts []part

type part struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// UnmarshalJSON reads either form. Parts in another form count as none.
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
		var one part
		if json.Unmarshal(raw, &one) == nil {
			*p = append(*p, one)
		}
	}
	return nil
}

// text returns the texts of some types of parts as paragraphs, without those that
// begin with a word of a program.
func (p parts) text(types []string, programs []string) string {
	said := []string{}
	for _, one := range p {
		text := strings.TrimSpace(strings.ToValidUTF8(strings.ReplaceAll(one.Text, "\x00", ""), "\uFFFD"))
		spoken := !slices.ContainsFunc(programs, func(word string) bool { return strings.HasPrefix(text, word) })
		if text != "" && spoken && slices.Contains(types, one.Type) {
			said = append(said, text)
		}
	}
	return strings.Join(said, "\n\n")
}

// object decodes a line, which must be a JSON object. Fields of another type than
// expected are left empty.
func object(line []byte, into any) error {
	if len(line) == 0 {
		return nil
	}
	if line[0] != '{' || !json.Valid(line) {
		return fmt.Errorf("it is not a JSON object")
	}
	_ = json.Unmarshal(line, into) // what has another type says nothing
	return nil
}

// timeOf reads a time of RFC 3339; another text is the zero time.
func timeOf(text string) time.Time {
	t, _ := time.Parse(time.RFC3339, text)
	return t
}
