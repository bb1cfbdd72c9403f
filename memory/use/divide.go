package use

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// Divide returns the texts of a tool's input, which is JSON or a text: what an agent writes, and what it found in a file and
// replaces.
func Divide(input []byte) (written, found string) {
	var value any
	if json.Unmarshal(input, &value) != nil {
		value = string(input)
	}
	w, f := &strings.Builder{}, &strings.Builder{}
	divide(value, w, f)
	return w.String(), f.String()
}

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
