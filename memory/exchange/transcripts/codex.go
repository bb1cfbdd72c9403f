package transcripts

import (
	"encoding/json"
	"strconv"
)

// codexReader reads a session of Codex: each line is a JSON object with a type and a
// payload. Early versions wrote the payload alone. A message has no id; the number of its
// line serves as one, because lines are only appended.
type codexReader struct {
	conversation Conversation
	model        string
	isHelpers    bool // a helper of an agent speaks with it, not a person
}

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

func (r *codexReader) Line(number int, line []byte) error {
	var l codexLine
	if err := decodeObject(line, &l); err != nil {
		return err
	}
	var p codexPayload
	if len(l.Payload) > 0 {
		_ = json.Unmarshal(l.Payload, &p) // fields of another type stay empty
	} else {
		_ = json.Unmarshal(line, &p)
	}
	c := &r.conversation
	switch {
	case l.Type == "session_meta" || number == 1 && l.Type == "" && p.ID != "":
		if len(c.Turns) == 0 && p.ID != "" && c.At.IsZero() { // a resumed session has several
			c.ID, c.Folder, c.Branch, c.At, c.ForkOf = p.ID, p.Folder, p.Git.Branch, timeOf(p.Timestamp), p.ForkOf
			r.isHelpers = isHelpers(p.Source) || isHelpers(p.ThreadSource)
		}
	case l.Type == "turn_context":
		r.model = p.Model
	case p.Type == "message" && (p.Role == "user" || p.Role == "assistant"):
		turn := Turn{ID: strconv.Itoa(number), Person: p.Role == "user", At: timeOf(l.Timestamp)}
		of := codexMarks
		if !turn.Person {
			of = marks{}
		}
		if turn.Text = p.Content.text([]string{"input_text", "output_text", "text"}, of); turn.Text == "" || r.isHelpers {
			return nil
		}
		if !turn.Person {
			turn.Model = r.model
		}
		if n := len(c.Turns); n > 0 {
			turn.After = c.Turns[n-1].ID
		}
		c.Turns = append(c.Turns, turn)
	}
	return nil
}

func (r *codexReader) Conversation() Conversation { return r.conversation }
