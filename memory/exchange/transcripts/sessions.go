package transcripts

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"
)

// claudeLine is a line of a session of Claude Code. Lines of type user and assistant have a message, which follows the line
// parentUuid; that may be the call or the output of a tool.
type claudeLine struct {
	Type             string `json:"type"`
	UUID             string `json:"uuid"`
	ParentUUID       string `json:"parentUuid"`
	SessionID        string `json:"sessionId"`
	Timestamp        string `json:"timestamp"`
	Folder           string `json:"cwd"`
	Branch           string `json:"gitBranch"`
	IsSidechain      bool   `json:"isSidechain"`      // an agent talks to its helper
	IsMeta           bool   `json:"isMeta"`           // the program wrote it
	IsCompactSummary bool   `json:"isCompactSummary"` // a summary of earlier messages
	IsAPIError       bool   `json:"isApiErrorMessage"`
	OnlyShown        bool   `json:"isVisibleInTranscriptOnly"` // the program shows it to the person only

	Origin  json.RawMessage `json:"origin"`  // who wrote it
	Helper  string          `json:"agentId"` // whose file it is
	Message struct {
		Model   string        `json:"model"`
		Content claudeContent `json:"content"`
	} `json:"message"`
}

// claudeContent is what a message says, and the calls of tools in it.
type claudeContent struct {
	parts
	calls []claudePart
}

func (c *claudeContent) UnmarshalJSON(raw []byte) error {
	c.calls = elementsOf[claudePart](raw)
	return c.parts.UnmarshalJSON(raw)
}

// isProgramMessage reports whether the program, a hook or a helper wrote a message, and not the person
// or the model.
func (l claudeLine) isProgramMessage() bool {
	const programsModel = "<synthetic>"
	return l.IsMeta || l.IsCompactSummary || l.IsAPIError || l.OnlyShown || l.Message.Model == programsModel || isHelpers(l.Origin)
}

func (r *Reader) claudeLine(number int, line []byte) error {
	var l claudeLine
	if err := decodeObject(line, &l); err != nil || l.IsSidechain != r.isHelpers {
		return err
	}
	turn := Turn{ID: l.UUID, Person: l.Type == "user" && !r.isHelpers, Model: l.Message.Model, At: timeOf(l.Timestamp)}
	switch {
	case l.isProgramMessage():
	case l.Type == "user":
		turn.Text = l.Message.Content.text([]string{"text"}, claudeMarks)
	case l.Type == "assistant":
		turn.Text = l.Message.Content.text([]string{"text"}, marks{})
	}
	if _, isSeen := r.thread.turnOf[turn.ID]; !isSeen {
		r.stepOfTurn(turn, l.Type == "user")
	}
	r.claudeCalls(number, l)
	c := &r.thread.Conversation
	if !r.thread.add(l.ParentUUID, turn) {
		return nil
	}
	switch {
	case r.hasID || l.SessionID == "":
	case r.isHelpers:
		c.ID, c.Helps, r.hasID = l.SessionID+"/"+cmp.Or(l.Helper, c.ID), l.SessionID, true
	default:
		c.ID, r.hasID = l.SessionID, true
	}
	if len(c.Turns) == 1 {
		c.Folder, c.Branch, c.At = l.Folder, l.Branch, turn.At
	}
	return nil
}

// codexLine is a line of a session of Codex: a type and a payload. Early versions wrote the payload alone. A message has no id;
// the number of its line serves as one, because lines are only appended.
type codexLine struct {
	Timestamp string          `json:"timestamp"`
	Type      string          `json:"type"`
	Payload   json.RawMessage `json:"payload"`
}

type codexPayload struct {
	Type    string `json:"type"`
	Role    string `json:"role"`
	Content parts  `json:"content"`

	ID        string `json:"id"` // of the session
	Timestamp string `json:"timestamp"`
	Folder    string `json:"cwd"`
	Model     string `json:"model"`
	ForkOf    string `json:"forked_from_id"`

	Item json.RawMessage `json:"item"` // that is completed: a message or a command in the form of newer versions

	Source       json.RawMessage `json:"source"`
	ThreadSource json.RawMessage `json:"thread_source"`
	Git          struct {
		Branch string `json:"branch"`
	} `json:"git"`
}

func (r *Reader) codexLine(number int, line []byte) error {
	var l codexLine
	if err := decodeObject(line, &l); err != nil {
		return err
	}
	if len(l.Payload) == 0 {
		l.Payload = line
	}
	var p codexPayload
	_ = json.Unmarshal(l.Payload, &p) // fields of another type stay empty
	c, at := &r.thread.Conversation, timeOf(l.Timestamp)
	switch {
	case l.Type == "session_meta" || number == 1 && l.Type == "" && p.ID != "":
		if len(r.messages) == 0 && p.ID != "" && c.At.IsZero() { // a resumed session has several
			c.ID, c.Folder, c.Branch, c.At, c.ForkOf = p.ID, p.Folder, p.Git.Branch, timeOf(p.Timestamp), p.ForkOf
			r.isHelpers = isHelpers(p.Source) || isHelpers(p.ThreadSource)
		}
	case l.Type == "turn_context":
		r.model = p.Model
	case r.isHelpers:
	case p.Type == "message" && (p.Role == "user" || p.Role == "assistant"):
		r.message(number, at, p, p.Role == "user", false)
	case p.Type == "item_completed":
		_ = json.Unmarshal(p.Item, &p)
		if p.Type == "UserMessage" || p.Type == "AgentMessage" {
			r.message(number, at, p, p.Type == "UserMessage", true)
		}
		r.codexCalls(number, at, p.Item)
	default:
		r.codexCalls(number, at, l.Payload)
	}
	return nil
}

// codexMessage is a message that the model received or wrote, or the item of one, which newer versions of Codex write too.
type codexMessage struct {
	Turn
	id     string
	isItem bool
}

func (r *Reader) message(number int, at time.Time, p codexPayload, isPersons, isItem bool) {
	m, of := codexMessage{Turn{ID: strconv.Itoa(number), Person: isPersons, Model: r.model, At: at}, p.ID, isItem}, marks{}
	if isPersons {
		of = codexMarks
	}
	if m.Text = p.Content.text([]string{"input_text", "output_text", "text", "Text"}, of); m.Text != "" {
		r.messages = append(r.messages, m)
		r.stepOfTurn(m.Turn, false)
	}
}

// near is how many lines with messages an item and its message are apart at most, if their ids and texts differ.
const near = 8

// addMessages adds the messages to the thread, and of the items those without a message.
func (r *Reader) addMessages() {
	type said struct {
		person bool
		text   string // or id
	}
	places, isMet := map[said][]int{}, make([]bool, len(r.messages)) // of messages; those whose item was met
	for i, m := range r.messages {
		for _, text := range []string{"id " + m.id, "text " + m.Text} {
			if !m.isItem && text != "id " {
				places[said{m.Person, text}] = append(places[said{m.Person, text}], i)
			}
		}
	}
	for i, item := range r.messages {
		if !item.isItem {
			continue
		}
		around := slices.Concat(places[said{item.Person, "id " + item.id}], places[said{item.Person, "text " + item.Text}])
		for j := max(0, i-near); j < min(len(r.messages), i+near+1); j++ {
			// The model may receive more than a person wrote, and write more than a person sees.
			if m := r.messages[j]; !m.isItem && m.Person == item.Person && (strings.Contains(m.Text, item.Text) || strings.Contains(item.Text, m.Text)) {
				around = append(around, j)
			}
		}
		if at := slices.IndexFunc(around, func(j int) bool { return !isMet[j] }); at >= 0 {
			isMet[around[at]], isMet[i] = true, true
		}
	}
	for i, m := range r.messages {
		if !m.isItem || !isMet[i] {
			r.thread.add("", m.Turn)
		}
	}
	r.messages = nil
}
