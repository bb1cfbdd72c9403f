package transcripts

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"time"
)

const (
	maxConversation = 256 << 20 // bytes of JSON of one conversation of an export
	searched        = 1 << 16   // bytes in which its fields tell of which program it is
)

type chatgptConversation struct {
	ID             string                 `json:"id"`
	ConversationID string                 `json:"conversation_id"`
	Title          string                 `json:"title"`
	CreateTime     float64                `json:"create_time"`
	CurrentNode    string                 `json:"current_node"`
	Mapping        map[string]chatgptNode `json:"mapping"`
}

type chatgptNode struct {
	Parent   string          `json:"parent"`
	Children []string        `json:"children"`
	Message  *chatgptMessage `json:"message"`
}

type chatgptMessage struct {
	ID     string `json:"id"`
	Author struct {
		Role string `json:"role"`
	} `json:"author"`
	CreateTime float64 `json:"create_time"`
	Content    struct {
		ContentType string            `json:"content_type"`
		Parts       []json.RawMessage `json:"parts"`
	} `json:"content"`
	Recipient string   `json:"recipient"`
	Weight    *float64 `json:"weight"`
	Metadata  struct {
		Model  string `json:"model_slug"`
		Hidden bool   `json:"is_visually_hidden_from_conversation"`
	} `json:"metadata"`
}

// ReadExport reads the file conversations.json of an export of ChatGPT or claude.ai, a JSON list of
// conversations. It calls each for one after the other, with its number from 1, and with an
// error if it cannot be read. In a conversation with edited messages it reads the branch
// that was current. It fails if the file is not a list or ends early.
func ReadExport(format string, in io.Reader, each func(number int, c Conversation, wrong error) error) error {
	decoder := json.NewDecoder(in)
	if start, err := decoder.Token(); err != nil || start != json.Delim('[') {
		return errors.Join(errors.New("it is not a list of conversations; choose conversations.json of the export"), readErrorOnly(err))
	}
	for number := 1; decoder.More(); number++ {
		var raw json.RawMessage
		if err := decoder.Decode(&raw); err != nil {
			return fmt.Errorf("conversation %d is not JSON, and nothing after it can be read: %w", number, err)
		}
		t, err := formatOf(format).element(raw)
		if err := each(number, t.Conversation, err); err != nil {
			return err
		}
	}
	if _, err := decoder.Token(); err != nil {
		return errors.New("the list of conversations has no end; some may be missing")
	}
	return nil
}

// readErrorOnly returns err if reading failed, and nil if the text is not valid JSON.
func readErrorOnly(err error) error {
	if _, isSyntax := errors.AsType[*json.SyntaxError](err); isSyntax || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return err
}

// chatgptOf decodes one conversation of an export of ChatGPT.
func chatgptOf(raw json.RawMessage) (*thread, error) {
	var from chatgptConversation
	t := &thread{}
	switch {
	case len(raw) > maxConversation:
		return t, fmt.Errorf("it has more than %d bytes", maxConversation)
	case bytes.Contains(raw[:min(len(raw), searched)], []byte(`"chat_messages"`)):
		return t, errors.New("it is a conversation of claude.ai; import it with --from claude")
	}
	if err := decodeObject(raw, &from); err != nil {
		return t, err
	}
	if t.ID = cmp.Or(from.ConversationID, from.ID); t.ID == "" || len(from.Mapping) == 0 {
		return t, errors.New("it has no id or no mapping")
	}
	t.Title, t.At = from.Title, fromSeconds(from.CreateTime)
	for _, id := range from.branch() {
		if m := from.Mapping[id].Message; m != nil {
			t.add("", Turn{ID: id, Person: m.Author.Role == "user", Model: m.Metadata.Model, Text: m.text(), At: fromSeconds(m.CreateTime)})
		}
	}
	return t, nil
}

// branch returns the ids of the nodes from the root to the current node, or to the latest
// leaf if no node is current.
func (c chatgptConversation) branch() (ids []string) {
	current, latest := c.CurrentNode, math.Inf(-1)
	if _, ok := c.Mapping[current]; !ok {
		current = ""
		for id, node := range c.Mapping {
			if len(node.Children) > 0 || node.Message == nil {
				continue
			}
			if time := node.Message.CreateTime; time > latest || time == latest && id > current {
				current, latest = id, time
			}
		}
	}
	visited := map[string]bool{}
	for current != "" && !visited[current] {
		node, ok := c.Mapping[current]
		if !ok {
			break
		}
		visited[current] = true
		ids = append(ids, current)
		current = node.Parent
	}
	slices.Reverse(ids)
	return ids
}

// text returns the text of a message from the person to the model or back.
func (m *chatgptMessage) text() string {
	role, kind := m.Author.Role, m.Content.ContentType
	if m.Metadata.Hidden || m.Weight != nil && *m.Weight == 0 || m.Recipient != "" && m.Recipient != "all" ||
		role != "user" && role != "assistant" || kind != "text" && kind != "multimodal_text" {
		return ""
	}
	var texts parts
	for _, raw := range m.Content.Parts {
		var text string
		if json.Unmarshal(raw, &text) == nil { // other parts are pictures
			texts = append(texts, part{"text", text})
		}
	}
	return texts.text([]string{"text"}, marks{})
}

// fromSeconds returns the time that is a number of seconds after 1970 began; the zero time
// unless it lies after that and before the year 10000.
func fromSeconds(seconds float64) time.Time {
	const last = 253402300799
	if !(seconds > 0 && seconds <= last) {
		return time.Time{}
	}
	return time.UnixMilli(int64(seconds * 1000)).UTC()
}

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

// claudeOf decodes one conversation of an export of claude.ai. A message follows its parent, or
// else the one before.
func claudeOf(raw json.RawMessage) (*thread, error) {
	var from claudeAIConversation
	t := &thread{}
	if err := decodeObject(raw, &from); err != nil {
		return t, err
	}
	if from.ID == "" || from.Messages == nil {
		return t, errors.New("it has no uuid or no chat_messages")
	}
	t.Conversation = Conversation{ID: from.ID, Title: from.Title, At: timeOf(from.At)}
	for _, m := range from.Messages {
		text := ""
		if m.Sender == "human" || m.Sender == "assistant" {
			text = cmp.Or(m.Content.text([]string{"text"}, marks{}), parts{{"text", m.Text}}.text([]string{"text"}, marks{}))
		}
		t.add(m.Parent, Turn{ID: m.ID, Person: m.Sender == "human", Text: text, At: timeOf(m.At)})
	}
	return t, nil
}
