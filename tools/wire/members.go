// Package wire checks messages of the protocol before they are decoded. Both transports use
// it.
package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"hence/internal/fault"
)

const (
	maxMembers = 1000 // of an object whose names the protocol or a schema defines
	// maxFreeMembers is the limit for objects whose names the caller chooses. Properties
	// have at most 262,144 bytes, and so fewer members than this.
	maxFreeMembers = 50_000
	maxDepth       = 10_000 // of nested values; a decoder refuses more
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
	for {
		if err := checkValue(d, nil, 0); err != nil {
			if tooMany, ok := errors.AsType[*fault.Error](err); ok {
				return tooMany
			}
			return nil
		}
	}
}

var errDeep = errors.New("more values are nested than a decoder reads")

// checkValue reads a value, and fails with invalid_argument at the first member over the limit of
// its object. path has the names of the members around the value, the outermost first.
func checkValue(d *json.Decoder, path []string, depth int) error {
	token, err := d.Token()
	opening, isOpening := token.(json.Delim)
	switch {
	case err != nil || !isOpening:
		return err
	case depth > maxDepth:
		return errDeep
	}
	limit := limitAt(path)
	for members := 1; d.More(); members++ {
		inside := path
		if opening == '{' {
			name, err := d.Token()
			if err != nil {
				return err
			}
			if members > limit {
				return errTooMany(path, limit)
			}
			inside = append(path, name.(string))
		}
		if err := checkValue(d, inside, depth+1); err != nil {
			return err
		}
	}
	_, err = d.Token()
	return err
}

// errTooMany returns the error for an object at a path.
func errTooMany(path []string, limit int) error {
	const longest = 200
	name := strings.Join(path[:min(len(path), longest)], ".")
	if name == "" || len(name) > longest {
		name = "an object of the message"
	}
	return fault.New(fault.InvalidArgument, "%s has more than %d members; send fewer", name, limit)
}

// limitAt returns the limit of members for an object at a path.
func limitAt(path []string) int {
	if len(path) > 2 && path[0] == "params" && path[1] == "arguments" {
		path = path[2:]
	}
	if len(path) > 0 && slices.Contains(freeArguments, path[0]) {
		return maxFreeMembers
	}
	return maxMembers
}
