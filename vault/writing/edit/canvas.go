package edit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"hence/internal/db"
	"hence/vault/note"
)

// Value is a text in a JSON object, and its offsets in the source.
type Value struct {
	Text       string
	start, end int
}

// NodeValue returns the value of a text field ("file", "text") of a canvas's node, which is
// source[start:end], see note.ParseCanvas.
func NodeValue(source []byte, start, end int, field string) (v Value, err error) {
	decoder := json.NewDecoder(bytes.NewReader(note.MendJSON(source[start:end])))
	if _, err := decoder.Token(); err != nil {
		return v, err
	}
	hasField := false
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
		v.Text = strings.ReplaceAll(v.Text, note.RawBreak, "\n")
		hasField = true
	}
	if !hasField {
		return v, fmt.Errorf("the node has no %s", field)
	}
	return v, nil
}

// Edit returns the edit that replaces the value by another text.
func (v Value) Edit(text string) Edit { return Edit{v.start, v.end, db.JSON(text)} }
