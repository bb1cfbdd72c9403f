package transcripts

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"hence/memory/use"
)

// step adds a step to the conversation, if somebody hears it.
func (r *Reader) step(at time.Time, by use.Author, text string) {
	if r.keepsSteps && strings.TrimSpace(text) != "" {
		r.thread.Steps = append(r.thread.Steps, use.Step{At: at, By: by, Text: text})
	}
}

// stepOfTurn adds what was said. To a helper an agent speaks, and no person.
func (r *Reader) stepOfTurn(turn Turn, isAsked bool) {
	by := use.Agent
	switch {
	case turn.Person:
		by = use.Person
	case isAsked:
		by = use.Other
	}
	r.step(turn.At, by, turn.Text)
}

// stepOfCall adds the call of a tool with its input, which is JSON or a text.
func (r *Reader) stepOfCall(at time.Time, id, name string, input []byte) {
	if !r.keepsSteps {
		return
	}
	if tool, isHence := use.ToolOf(name); isHence {
		if r.ofHence == nil {
			r.ofHence = map[string]bool{}
		}
		r.ofHence[id] = true
		r.thread.Steps = append(r.thread.Steps, use.Step{At: at, By: use.Agent, Tool: tool, Text: string(input)})
		return
	}
	var value any
	if json.Unmarshal(input, &value) != nil {
		value = string(input)
	}
	written, found := &strings.Builder{}, &strings.Builder{}
	divide(value, written, found)
	r.step(at, use.Other, found.String())
	r.step(at, use.Agent, written.String())
}

// stepOfAnswer adds what a tool answered. The answers of Hence are in its receipts.
func (r *Reader) stepOfAnswer(at time.Time, id, text string) {
	if !r.ofHence[id] {
		r.step(at, use.Other, text)
	}
}

// divide writes the texts of a tool's input: what an agent writes, and what it found in a file and replaces.
func divide(value any, written, found *strings.Builder) {
	switch v := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if strings.HasPrefix(key, "old") {
				divide(v[key], found, found)
			} else {
				divide(v[key], written, found)
			}
		}
	case []any:
		for _, element := range v {
			divide(element, written, found)
		}
	case string:
		isPatch := strings.Contains(v, "*** Begin Patch")
		for line := range strings.Lines(v) {
			if isPatch && (line[0] == ' ' || line[0] == '-' || line[0] == '@') {
				found.WriteString(line[1:])
			} else {
				written.WriteString(line)
			}
		}
		written.WriteByte('\n')
	}
}
