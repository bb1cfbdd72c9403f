// Package hooks reads what clients tell a hook on standard input, and writes what they
// expect on standard output. Each client has its own words for the same few events.
//
// It also keeps what a session has seen, in one private file per session of a client.
package hooks

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"hence/internal/db"
)

// Event is a kind of event of a client, independent of the client's name for it.
type Event int

// The events that Hence answers or takes note of.
const (
	Unknown    Event = iota
	Began            // a session, new or resumed
	Compacted        // the context of a session was replaced by a summary
	Compacting       // the context of a session is about to be replaced
	Prompted         // the user has sent a prompt
	Edited           // the agent has changed a file
	Stopped          // the agent has finished its turn
)

// Call is one call of a hook by a client.
type Call struct {
	Event   Event
	Session string // the client's id of the session; may be ""
	Folder  string // the client's working folder; may be ""
	Prompt  string
	// IsContinuation says that Stopped must not be answered: the turn went on because of an
	// earlier answer, or was aborted or failed.
	IsContinuation bool
	client         string
	name           string // the client's name of the event
}

// message is the input of a hook: the fields that Hence reads, of all clients. docs/hooks.md
// says where the clients document them. A field of another type than expected stays empty.
type message struct {
	SessionID      text            `json:"session_id"`
	ConversationID text            `json:"conversation_id"` // Cursor
	Cwd            text            `json:"cwd"`
	WorkspaceRoots list            `json:"workspace_roots"` // Cursor
	Source         text            `json:"source"`
	Prompt         text            `json:"prompt"`
	StopHookActive flag            `json:"stop_hook_active"`
	LoopCount      json.RawMessage `json:"loop_count"` // Cursor
	Status         text            `json:"status"`     // Cursor: completed, aborted, error
}

type (
	text string
	list []string
	flag bool
)

func (t *text) UnmarshalJSON(b []byte) error { _ = json.Unmarshal(b, (*string)(t)); return nil }
func (l *list) UnmarshalJSON(b []byte) error { _ = json.Unmarshal(b, (*[]string)(l)); return nil }
func (f *flag) UnmarshalJSON(b []byte) error { _ = json.Unmarshal(b, (*bool)(f)); return nil }

// events maps a client, then the client's name of an event, to the Event.
var events = map[string]map[string]Event{
	"claude-code": {"SessionStart": Began, "UserPromptSubmit": Prompted, "PreCompact": Compacting, "PostToolUse": Edited, "Stop": Stopped},
	"codex":       {"SessionStart": Began, "UserPromptSubmit": Prompted, "PreCompact": Compacting, "PostToolUse": Edited, "Stop": Stopped},
	"gemini":      {"SessionStart": Began, "BeforeAgent": Prompted, "PreCompress": Compacting, "AfterTool": Edited, "AfterAgent": Stopped},
	"cursor":      {"sessionStart": Began, "preCompact": Compacting, "afterFileEdit": Edited, "stop": Stopped},
}

// Clients returns the names of the clients that have hooks, sorted.
func Clients() []string { return slices.Sorted(maps.Keys(events)) }

// Read decodes the input of a hook. It reports false for an unknown client or event, and
// for input that is not a JSON object. Empty input is valid, so that a person can try a
// hook by hand.
func Read(client, event string, input []byte) (c Call, ok bool) {
	c = Call{Event: events[client][event], client: client, name: event}
	input = bytes.TrimSpace(bytes.TrimPrefix(input, []byte("\ufeff")))
	if c.Event == Unknown || len(input) > 0 && input[0] != '{' {
		return c, false
	}
	m := message{}
	if len(input) > 0 && json.Unmarshal(input, &m) != nil {
		return c, false
	}
	c.Session, c.Folder, c.Prompt = string(cmp.Or(m.SessionID, m.ConversationID)), string(m.Cwd), string(m.Prompt)
	if c.Folder == "" && len(m.WorkspaceRoots) > 0 {
		c.Folder = m.WorkspaceRoots[0]
	}
	if c.Event == Began && m.Source == "compact" {
		c.Event = Compacted
	}
	loops := strings.TrimSpace(string(m.LoopCount))
	c.IsContinuation = bool(m.StopHookActive) || loops != "" && loops != "0" && loops != "null"
	if m.Status != "" && m.Status != "completed" {
		c.IsContinuation = true // the turn was aborted or failed: Hence asks nothing of the agent
	}
	return c, true
}

// context is the answer in the form of most clients.
type context struct {
	Output struct {
		Event   string `json:"hookEventName"`
		Context string `json:"additionalContext"`
	} `json:"hookSpecificOutput"`
}

// Answer returns a line of JSON that makes the client show a text to its model after this
// event. It returns nil if the text is "" or if no text can reach the model after the event.
func (c Call) Answer(text string) []byte {
	var answer any
	stops := c.Event == Stopped
	switch {
	case text == "" || c.Event == Edited || c.Event == Compacting || c.Event == Unknown:
		return nil
	case c.client == "cursor" && stops:
		answer = map[string]string{"followup_message": text}
	case c.client == "cursor":
		answer = map[string]string{"additional_context": text}
	case c.client == "gemini" && stops:
		answer = map[string]string{"decision": "deny", "reason": text}
	case stops:
		answer = map[string]string{"decision": "block", "reason": text}
	default:
		hookContext := context{}
		hookContext.Output.Event, hookContext.Output.Context = c.name, text
		answer = hookContext
	}
	return []byte(db.JSON(answer) + "\n")
}
