package transcripts

import (
	"encoding/json"
	"errors"
)

// claudeAIConversation is a conversation of an export of claude.ai.
type claudeAIConversation struct {
	ID       string            `json:"uuid"`
	Title    string            `json:"name"`
	At       string            `json:"created_at"`
	Messages []claudeAIMessage `json:"chat_messages"`
}

type claudeAIMessage struct {
	ID      string `json:"uuid"`
	Parent  string `json:"parent_message_uuid"`
	Sender  string `json:"sender"`
	Text    string `json:"text"`
	Content parts  `json:"content"`
	At      string `json:"created_at"`
}

// claudeAIOf decodes one conversation of an export of claude.ai. A message follows its parent, or
// else the one before.
func claudeAIOf(raw json.RawMessage) (c Conversation, err error) {
	var from claudeAIConversation
	if err := decodeObject(raw, &from); err != nil {
		return c, err
	}
	if from.ID == "" || from.Messages == nil {
		return c, errors.New("it has no uuid or no chat_messages")
	}
	c = Conversation{ID: from.ID, Title: from.Title, At: timeOf(from.At)}
	turnOf, last := map[string]string{}, "" // the last turn up to a message
	for _, m := range from.Messages {
		after, isKnown := turnOf[m.Parent]
		if !isKnown {
			after = last
		}
		_, isSeen := turnOf[m.ID]
		if m.ID == "" || isSeen {
			continue
		}
		text := m.Content.text([]string{"text"}, marks{})
		if text == "" {
			text = parts{{"text", m.Text}}.text([]string{"text"}, marks{})
		}
		if turnOf[m.ID] = after; text == "" || m.Sender != "human" && m.Sender != "assistant" {
			continue
		}
		turnOf[m.ID], last = m.ID, m.ID
		c.Turns = append(c.Turns, Turn{ID: m.ID, After: after, Person: m.Sender == "human", Text: text, At: timeOf(m.At)})
	}
	return c, nil
}
