package transcripts

import (
	"encoding/json"
	"strconv"
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

	Origin  json.RawMessage `json:"origin"` // who wrote it
	Message struct {
		Model   string `json:"model"`
		Content parts  `json:"content"`
	} `json:"message"`
}

// isProgramMessage reports whether the program, a hook or a helper wrote a message, and not the person
// or the model.
func (l claudeLine) isProgramMessage() bool {
	const programsModel = "<synthetic>"
	return l.IsMeta || l.IsCompactSummary || l.IsAPIError || l.OnlyShown || l.Message.Model == programsModel || isHelpers(l.Origin)
}

func (r *Reader) claudeLine(_ int, line []byte) error {
	var l claudeLine
	if err := decodeObject(line, &l); err != nil || l.IsSidechain {
		return err
	}
	turn := Turn{ID: l.UUID, Person: l.Type == "user", Model: l.Message.Model, At: timeOf(l.Timestamp)}
	switch {
	case l.isProgramMessage():
	case l.Type == "user":
		turn.Text = l.Message.Content.text([]string{"text"}, claudeMarks)
	case l.Type == "assistant":
		turn.Text = l.Message.Content.text([]string{"text"}, marks{})
	}
	c := &r.thread.Conversation
	if !r.thread.add(l.ParentUUID, turn) {
		return nil
	}
	if !r.hasID && l.SessionID != "" {
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
	c := &r.thread.Conversation
	switch {
	case l.Type == "session_meta" || number == 1 && l.Type == "" && p.ID != "":
		if len(c.Turns) == 0 && p.ID != "" && c.At.IsZero() { // a resumed session has several
			c.ID, c.Folder, c.Branch, c.At, c.ForkOf = p.ID, p.Folder, p.Git.Branch, timeOf(p.Timestamp), p.ForkOf
			r.isHelpers = isHelpers(p.Source) || isHelpers(p.ThreadSource)
		}
	case l.Type == "turn_context":
		r.model = p.Model
	case p.Type == "message" && (p.Role == "user" || p.Role == "assistant") && !r.isHelpers:
		turn, of := Turn{ID: strconv.Itoa(number), Person: p.Role == "user", Model: r.model, At: timeOf(l.Timestamp)}, codexMarks
		if !turn.Person {
			of = marks{}
		}
		turn.Text = p.Content.text([]string{"input_text", "output_text", "text"}, of)
		r.thread.add("", turn)
	}
	return nil
}
