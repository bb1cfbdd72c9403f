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

// Event is what has happened, in whatever words the client says it.
type Event int

// The events that Hence answers or takes note of.
const (
	Unknown    Event = iota
	Began            // a session, new or resumed
	Compacted        // the context of a session was replaced by a summary
	Compacting       // it is about to be
	Prompted         // the user has sent a prompt
	Edited           // the agent has changed a file
	Stopped          // the agent has finished its turn
)

// Call is what a client tells a hook.
type Call struct {
	Event   Event
	Session string // the client's id of it; may be ""
	Folder  string // the client's working folder; may be ""
	Prompt  string
	Again   bool // the agent goes on because of an answer to Stopped
	client  string
	name    string // of the event, as the client calls it
}

// message has the fields of all clients that Hence reads; see docs/agents.md for where
// they are documented. Fields of another type than expected are left out.
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

// events are the clients' words for the events.
var events = map[string]map[string]Event{
	"claude-code": {"SessionStart": Began, "UserPromptSubmit": Prompted, "PreCompact": Compacting, "PostToolUse": Edited, "Stop": Stopped},
	"codex":       {"SessionStart": Began, "UserPromptSubmit": Prompted, "PreCompact": Compacting, "PostToolUse": Edited, "Stop": Stopped},
	"gemini":      {"SessionStart": Began, "BeforeAgent": Prompted, "PreCompress": Compacting, "AfterTool": Edited, "AfterAgent": Stopped},
	"cursor":      {"sessionStart": Began, "preCompact": Compacting, "afterFileEdit": Edited, "stop": Stopped},
}

// Clients are those that have hooks.
func Clients() []string { return slices.Sorted(maps.Keys(events)) }

// Read reads what a client has written to a hook. It reports false where the event or
// the client is not known, or where the input is not an object. No input at all is a
// person's trial.
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
	c.Again = bool(m.StopHookActive) || loops != "" && loops != "0" && loops != "null"
	if m.Status != "" && m.Status != "completed" {
		c.Again = true // it was stopped: nothing is asked of it
	}
	return c, true
}

// context is the answer of most clients.
type context struct {
	Output struct {
		Event   string `json:"hookEventName"`
		Context string `json:"additionalContext"`
	} `json:"hookSpecificOutput"`
}

// Answer is the JSON with which a text reaches the model after this event, on one
// line; nil where the text is "" or the client has no such way.
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
		said := context{}
		said.Output.Event, said.Output.Context = c.name, text
		answer = said
	}
	line, _ := db.JSON(answer) // texts always have JSON
	return []byte(line + "\n")
}
