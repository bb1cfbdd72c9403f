// Package wire checks messages of the protocol before they are decoded. Both transports use
// it.
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
	// maxFreeMembers is the limit for objects whose names the caller chooses. Properties
	// have at most 262,144 bytes, and so fewer members than this.
	maxFreeMembers = 50_000
)

// freeArguments are the arguments whose members the caller names freely. A test compares
// them with the schemas.
var freeArguments = []string{"filter_properties", "properties", "set"}

// CheckMembers fails with invalid_argument if an object of a message has more than 1,000
// members, or more than 50,000 where the caller chooses their names (such as properties). It
// stops at the first member over the limit. It accepts text that is not JSON, because the
// decoder reports that.
func CheckMembers(message []byte) error {
	const shortest = len(`"":0,`)
	if len(message) < maxMembers*shortest {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(message))
	d.UseNumber()
	c := counter{}
	for {
		token, err := d.Token()
		if err != nil {
			return nil
		}
		if err := c.count(token); err != nil {
			return err
		}
	}
}

// counter counts the members of the objects of a message, token by token.
type counter struct {
	path []string // names of the members around the current value, outermost first
	open []level  // innermost last
}

// level is an object or array that is still open.
type level struct {
	isObject bool
	hasName  bool // the name of a member was read, so the next token is its value
	members  int
	limit    int // of members
}

// count reads the next token. It fails with invalid_argument if the token is a member over
// the limit of its object.
func (c *counter) count(token json.Token) error {
	var inner *level
	if len(c.open) > 0 {
		inner = &c.open[len(c.open)-1]
	}
	switch token {
	case json.Delim('{'), json.Delim('['):
		c.open = append(c.open, level{isObject: token == json.Delim('{'), limit: c.limit()})
		return nil
	case json.Delim('}'), json.Delim(']'):
		c.open = c.open[:len(c.open)-1]
		if len(c.open) == 0 {
			return nil
		}
		inner = &c.open[len(c.open)-1]
	default:
		if inner != nil && inner.isObject && !inner.hasName {
			inner.hasName = true
			c.path = append(c.path, token.(string))
			if inner.members++; inner.members > inner.limit {
				const longest = 200
				name := strings.Join(c.path[:min(len(c.path)-1, longest)], ".")
				if name == "" || len(name) > longest {
					name = "an object of the message"
				}
				return fault.New(fault.InvalidArgument, "%s has more than %d members; send fewer", name, inner.limit)
			}
			return nil
		}
	}
	if inner != nil && inner.isObject { // the value is complete
		inner.hasName = false
		c.path = c.path[:len(c.path)-1]
	}
	return nil
}

// limit returns the limit of members for an object that opens at the current path.
func (c *counter) limit() int {
	path := c.path
	if len(path) > 2 && path[0] == "params" && path[1] == "arguments" {
		path = path[2:]
	}
	if len(path) > 0 && slices.Contains(freeArguments, path[0]) {
		return maxFreeMembers
	}
	return maxMembers
}
