package transcript

// claudeReader reads a session of Claude Code: one JSON object a line, of which those
// of type user and assistant have a message. A message follows the line parentUuid,
// which may be the call or the output of a tool.
type claudeReader struct {
	conversation Conversation
	named        bool              // by a line
	kept         map[string]string // uuid of a line → id of the last turn up to it
	last         string            // turn
}

type claudeLine struct {
	Type             string `json:"type"`
	UUID             string `json:"uuid"`
	ParentUUID       string `json:"parentUuid"`
	SessionID        string `json:"sessionId"`
	Timestamp        string `json:"timestamp"`
	Folder           string `json:"cwd"`
	Branch           string `json:"gitBranch"`
	IsSidechain      bool   `json:"isSidechain"`      // of an agent with its helper
	IsMeta           bool   `json:"isMeta"`           // of the program
	IsCompactSummary bool   `json:"isCompactSummary"` // of what came before
	Message          struct {
		Model   string `json:"model"`
		Content parts  `json:"content"`
	} `json:"message"`
}

// claudePrograms begin texts that the program writes in the person's name.
var claudePrograms = []string{"<command-", "<local-command-", "<system-reminder>", "<bash-", "<user-memory-input>", "Caveat: The messages below", "[Request interrupted"}

func (r *claudeReader) Line(_ int, line []byte) error {
	var l claudeLine
	if err := object(line, &l); err != nil {
		return err
	}
	if l.IsSidechain {
		return nil
	}
	after, known := r.kept[l.ParentUUID]
	if !known {
		after = r.last
	}
	turn := Turn{ID: l.UUID, After: after, Person: l.Type == "user", Model: l.Message.Model, At: timeOf(l.Timestamp)}
	if l.Type == "user" || l.Type == "assistant" {
		turn.Text = l.Message.Content.text([]string{"text"}, claudePrograms)
	}
	if _, twice := r.kept[l.UUID]; l.UUID == "" || twice {
		return nil
	}
	if turn.Text == "" || l.IsMeta || l.IsCompactSummary {
		r.kept[l.UUID] = after
		return nil
	}
	if turn.Person {
		turn.Model = ""
	}
	r.kept[l.UUID], r.last = l.UUID, l.UUID
	c := &r.conversation
	if !r.named && l.SessionID != "" {
		c.ID, r.named = l.SessionID, true
	}
	if len(c.Turns) == 0 {
		c.Folder, c.Branch, c.At = l.Folder, l.Branch, turn.At
	}
	c.Turns = append(c.Turns, turn)
	return nil
}

func (r *claudeReader) Conversation() Conversation { return r.conversation }
