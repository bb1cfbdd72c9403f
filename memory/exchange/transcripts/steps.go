package transcripts

import (
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
	written, found := use.Divide(input)
	r.step(at, use.Other, found)
	r.step(at, use.Agent, written)
}

// stepOfAnswer adds what a tool answered. The answers of Hence are in its receipts.
func (r *Reader) stepOfAnswer(at time.Time, id, text string) {
	if !r.ofHence[id] {
		r.step(at, use.Other, text)
	}
}
