// Package hooks reads what clients tell a hook on standard input, and writes what they
// expect on standard output. Each client has its own words for the same few events.
//
// It also keeps what a session has seen, among the receipts.
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
	Unknown     Event = iota
	Began             // a session, new or resumed
	Compacted         // the context of a session was replaced by a summary
	Compacting        // the context of a session is about to be replaced
	HelperBegan       // a helper of the session's agent has started, with a context of its own
	Prompted          // the user has sent a prompt
	Acting            // the agent is about to use a tool
	Acted             // the agent has used a tool that changes no file
	Edited            // the agent has changed a file
	Failed            // a tool that the agent used has failed
	Stopped           // the agent has finished its turn
)

// String returns the event as receipts name it.
func (e Event) String() string {
	return [...]string{"unknown", "start", "compacted", "compacting", "helper", "prompt", "act", "acted", "edit", "failure", "stop"}[e]
}

// Call is one call of a hook by a client.
type Call struct {
	Event   Event
	Session string // the client's id of the session; may be ""
	Agent   string // the client's id of a helper, whose session is that of its parent; "" for the session's own agent
	Folder  string // the client's working folder; may be ""
	Source  string // what Began began from, such as startup or resume; may be ""
	Prompt  string
	ID      string // the client's id of the prompt or of the use of the tool; may be ""
	Tool    Tool
	// IsContinuation says that Stopped must not be answered: the turn went on because of an
	// earlier answer, or was aborted or failed.
	IsContinuation bool
	client         string
	name           string // the client's name of the event
	nests          bool   // the client wants the decision of Stopped within hookSpecificOutput
}

// Given returns what the client told with the event: the prompt, or the tool and its input, or what a
// session began from.
func (c Call) Given() string {
	if c.Tool.Name != "" {
		return c.Tool.Name + " " + string(c.Tool.Input)
	}
	return cmp.Or(c.Prompt, c.Source)
}

// Tool is the use of a tool that an event is about.
type Tool struct {
	Name  string
	Input json.RawMessage // an object; may be nil
	Error string          // why it failed; of a command also what it printed
}

// events maps a client, then the client's name of an event, to the Event. The use of a tool
// that edits is Edited where the table says Acted.
var events = map[string]map[string]Event{
	"claude-code": {
		"SessionStart": Began, "SubagentStart": HelperBegan, "UserPromptSubmit": Prompted, "PreCompact": Compacting,
		"PreToolUse": Acting, "PostToolUse": Acted, "PostToolUseFailure": Failed, "Stop": Stopped,
	},
	"codex": {
		"SessionStart": Began, "SubagentStart": HelperBegan, "UserPromptSubmit": Prompted, "PreCompact": Compacting,
		"PreToolUse": Acting, "PostToolUse": Acted, "Stop": Stopped,
	},
	"gemini": {"SessionStart": Began, "BeforeAgent": Prompted, "PreCompress": Compacting, "AfterTool": Acted, "AfterAgent": Stopped},
	"copilot": {
		"sessionStart": Began, "subagentStart": HelperBegan, "preCompact": Compacting, "postToolUse": Acted, "agentStop": Stopped,
	},
	"cursor": {"sessionStart": Began, "preCompact": Compacting, "afterFileEdit": Edited, "stop": Stopped},
}

// Clients returns the names of the clients that have hooks, sorted.
func Clients() []string { return slices.Sorted(maps.Keys(events)) }

// Named returns the Event that a client's name of an event stands for.
func Named(client, event string) Event { return events[client][event] }

// Read decodes the input of a hook. It reports false for an unknown client or event, and
// for input that is not a JSON object. Empty input is valid, so that a person can try a
// hook by hand.
func Read(client, event string, input []byte) (c Call, ok bool) {
	c = Call{Event: Named(client, event), client: client, name: event}
	m, ok := parse(input)
	if c.Event == Unknown || !ok {
		return c, false
	}
	c.Session, c.Agent = m.text("sessionid", "conversationid"), m.text("agentid", "subagentid")
	c.Source, c.Prompt = m.text("source"), m.text("prompt")
	if c.Folder = m.text("cwd"); c.Folder == "" {
		c.Folder = m.first("workspaceroots")
	}
	c.Tool = Tool{m.text("toolname"), m.object("toolinput", "toolargs"), m.text("error", "errormessage")}
	switch c.Event {
	case Began:
		if c.Source == "compact" {
			c.Event = Compacted
		}
	case Prompted:
		c.ID = m.text("promptid", "turnid", "generationid")
	case Acting, Acted, Edited, Failed:
		c.ID = m.text("tooluseid", "toolcallid")
		if c.Event == Acted && c.Tool.Error == "" && c.Tool.runs() {
			c.Tool.Error = m.failure()
		}
		if c.Event == Acted && c.Tool.edits() {
			c.Event = Edited
		}
	}
	loops, status := strings.TrimSpace(string(m["loopcount"])), m.text("status")
	c.IsContinuation = string(m["stophookactive"]) == "true" || loops != "" && loops != "0" && loops != "null" ||
		status != "" && status != "completed" // the turn was aborted or failed: Hence asks nothing of the agent
	// VS Code runs the hooks of Claude Code too; of the two only it writes names in this way.
	c.nests = c.Event == Stopped && bytes.Contains(input, []byte(`"sessionId"`))
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
	stops, block := c.Event == Stopped, map[string]string{"decision": "block", "reason": text}
	switch {
	case text == "" || c.Event == Compacting || c.Event == Unknown || c.client == "cursor" && c.Event == Edited:
		return nil
	case c.Event == Acting && c.Task() != "":
		return c.answerTask(text)
	case c.client == "cursor" && stops:
		answer = map[string]string{"followup_message": text}
	case c.client == "cursor":
		answer = map[string]string{"additional_context": text}
	case c.client == "copilot" && stops:
		answer = block
	case c.client == "copilot":
		answer = map[string]string{"additionalContext": text}
	case c.client == "gemini" && stops:
		answer = map[string]string{"decision": "deny", "reason": text}
	case c.nests:
		block["hookEventName"] = c.name
		answer = map[string]any{"hookSpecificOutput": block}
	case stops:
		answer = block
	default:
		hookContext := context{}
		hookContext.Output.Event, hookContext.Output.Context = c.name, text
		answer = hookContext
	}
	return []byte(db.JSON(answer) + "\n")
}
