package transcripts

import (
	"bytes"
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
		read := chatgptOf
		if format == Claude {
			read = claudeAIOf
		}
		c, err := read(raw)
		if err := each(number, c, err); err != nil {
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
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return err
}

// chatgptOf decodes one conversation of an export.
func chatgptOf(raw json.RawMessage) (c Conversation, err error) {
	var from chatgptConversation
	switch {
	case len(raw) > maxConversation:
		return c, fmt.Errorf("it has more than %d bytes", maxConversation)
	case !bytes.HasPrefix(raw, []byte("{")):
		return c, errors.New("it is not a JSON object")
	case bytes.Contains(raw[:min(len(raw), searched)], []byte(`"chat_messages"`)):
		return c, errors.New("it is a conversation of claude.ai; import it with --from claude")
	}
	var typeErr *json.UnmarshalTypeError
	if err := json.Unmarshal(raw, &from); err != nil && !errors.As(err, &typeErr) {
		return c, err
	}
	if c.ID = from.ConversationID; c.ID == "" {
		c.ID = from.ID
	}
	if c.ID == "" || len(from.Mapping) == 0 {
		return c, errors.New("it has no id or no mapping")
	}
	c.Title, c.At = from.Title, fromSeconds(from.CreateTime)
	for _, id := range from.branch() {
		turn, ok := from.Mapping[id].Message.turn(id)
		if !ok {
			continue
		}
		if n := len(c.Turns); n > 0 {
			turn.After = c.Turns[n-1].ID
		}
		c.Turns = append(c.Turns, turn)
	}
	return c, nil
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

// turn returns a message as a turn, if it is text from the person to the model or back.
func (m *chatgptMessage) turn(id string) (t Turn, ok bool) {
	if m == nil || m.Metadata.Hidden || m.Weight != nil && *m.Weight == 0 || m.Recipient != "" && m.Recipient != "all" {
		return t, false
	}
	role, kind := m.Author.Role, m.Content.ContentType
	if role != "user" && role != "assistant" || kind != "text" && kind != "multimodal_text" {
		return t, false
	}
	var texts parts
	for _, raw := range m.Content.Parts {
		var text string
		if json.Unmarshal(raw, &text) == nil { // other parts are pictures
			texts = append(texts, part{"text", text})
		}
	}
	t = Turn{ID: id, Person: role == "user", Text: texts.text([]string{"text"}, marks{}), At: fromSeconds(m.CreateTime)}
	if !t.Person {
		t.Model = m.Metadata.Model
	}
	return t, t.Text != ""
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
