package transcripts

import "encoding/json"

// claudeReader reads a session of Claude Code: each line is a JSON object; lines of type
// user and assistant have a message. A message follows the line parentUuid, which may be the
// call or the output of a tool.
type claudeReader struct {
	conversation Conversation
	hasID        bool              // a line gave the conversation its id
	lastTurnOf   map[string]string // id of the last turn up to a line, by uuid of the line
	lastTurn     string            // id of the last turn
}

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

func (r *claudeReader) Line(_ int, line []byte) error {
	var l claudeLine
	if err := decodeObject(line, &l); err != nil {
		return err
	}
	if l.IsSidechain {
		return nil
	}
	previous, isKnown := r.lastTurnOf[l.ParentUUID]
	if !isKnown {
		previous = r.lastTurn
	}
	turn := Turn{ID: l.UUID, After: previous, Person: l.Type == "user", Model: l.Message.Model, At: timeOf(l.Timestamp)}
	switch l.Type {
	case "user":
		turn.Text = l.Message.Content.text([]string{"text"}, claudeMarks)
	case "assistant":
		turn.Text = l.Message.Content.text([]string{"text"}, marks{})
	}
	if _, isSeen := r.lastTurnOf[l.UUID]; l.UUID == "" || isSeen {
		return nil
	}
	if turn.Text == "" || l.isProgramMessage() {
		r.lastTurnOf[l.UUID] = previous
		return nil
	}
	if turn.Person {
		turn.Model = ""
	}
	r.lastTurnOf[l.UUID], r.lastTurn = l.UUID, l.UUID
	c := &r.conversation
	if !r.hasID && l.SessionID != "" {
		c.ID, r.hasID = l.SessionID, true
	}
	if len(c.Turns) == 0 {
		c.Folder, c.Branch, c.At = l.Folder, l.Branch, turn.At
	}
	c.Turns = append(c.Turns, turn)
	return nil
}

func (r *claudeReader) Conversation() Conversation { return r.conversation }
