// Package wire checks messages of the protocol before they are decoded. Both
// transports use it.
package wire

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"hence/internal/fault"
)

const (
	maxMembers = 1000 // of an object whose names the protocol or a schema defines
	// Properties of at most 262,144 bytes have fewer members than this.
	maxFreeMembers = 50_000
)

// freeArguments are the arguments in which the caller chooses the names of
// members. A test compares them with the schemas.
var freeArguments = []string{"filter_properties", "properties", "set"}

// CheckMembers refuses a message, or the arguments of a tool, with an object of
// more than 1,000 members, or of more than 50,000 where the caller chooses
// their names (such as properties). It stops at the first member too many,
// before anything decodes the message. It fails with invalid_argument. It
// accepts text that is not JSON: the decoder reports that.
func CheckMembers(message []byte) error {
	const shortest = len(`"":0,`)
	if len(message) < maxMembers*shortest {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(message))
	d.UseNumber()
	w := counter{}
	for {
		token, err := d.Token()
		if err != nil {
			return nil
		}
		if err := w.take(token); err != nil {
			return err
		}
	}
}

// counter counts the members of objects, token by token.
type counter struct {
	place []string // names on the way to the current value
	open  []level
}

// level is an object or array that is still open.
type level struct {
	object bool
	named  bool // the next token is a value
	count  int  // of members
	limit  int
}

func (w *counter) take(token json.Token) error {
	var at *level
	if len(w.open) > 0 {
		at = &w.open[len(w.open)-1]
	}
	switch token {
	case json.Delim('{'), json.Delim('['):
		w.open = append(w.open, level{object: token == json.Delim('{'), limit: w.limit()})
		return nil
	case json.Delim('}'), json.Delim(']'):
		w.open = w.open[:len(w.open)-1]
		if len(w.open) == 0 {
			return nil
		}
		at = &w.open[len(w.open)-1]
	default:
		if at != nil && at.object && !at.named {
			at.named = true
			w.place = append(w.place, token.(string))
			if at.count++; at.count > at.limit {
				const longest = 200
				name := strings.Join(w.place[:min(len(w.place)-1, longest)], ".")
				if name == "" || len(name) > longest {
					name = "an object of the message"
				}
				return fault.New(fault.InvalidArgument, "%s has more than %d members; send fewer", name, at.limit)
			}
			return nil
		}
	}
	if at != nil && at.object { // the value is complete
		at.named = false
		w.place = w.place[:len(w.place)-1]
	}
	return nil
}

// limit is the most members of an object at the current place.
func (w *counter) limit() int {
	place := w.place
	if len(place) > 2 && place[0] == "params" && place[1] == "arguments" {
		place = place[2:]
	}
	if len(place) > 0 && slices.Contains(freeArguments, place[0]) {
		return maxFreeMembers
	}
	return maxMembers
}
