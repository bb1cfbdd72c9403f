package edit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// Value is a text in a JSON object, and its place in the source.
type Value struct {
	Text       string
	start, end int
}

// NodeValue finds a text field ("file", "text") of a canvas's node, which stands
// at a place in the source as package note gives it.
func NodeValue(source []byte, start, end int, field string) (v Value, err error) {
	decoder := json.NewDecoder(bytes.NewReader(source[start:end]))
	if _, err := decoder.Token(); err != nil {
		return v, err
	}
	hit := false
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return v, err
		}
		var raw json.RawMessage
		if err := decoder.Decode(&raw); err != nil {
			return v, err
		}
		name, ok := key.(string)
		if !ok || !strings.EqualFold(name, field) {
			continue
		}
		// The last of several counts.
		v.end = start + int(decoder.InputOffset())
		v.start = v.end - len(raw)
		if err := json.Unmarshal(raw, &v.Text); err != nil {
			return v, err
		}
		hit = true
	}
	if !hit {
		return v, fmt.Errorf("the node has no %s", field)
	}
	return v, nil
}

// Edit returns what puts another text in the value's place.
func (v Value) Edit(text string) (Edit, error) {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(text); err != nil {
		return Edit{}, err
	}
	return Edit{v.start, v.end, strings.TrimSuffix(b.String(), "\n")}, nil
}
