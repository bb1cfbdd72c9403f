package tidy

import (
	"encoding/json"
	"reflect"
)

// agree reports whether no property has different values in two memories, given as JSON
// objects. A property that only one of them has does not count.
func agree(a, b string) bool {
	if a == b || a == "{}" || b == "{}" {
		return true
	}
	var one, other map[string]any
	if json.Unmarshal([]byte(a), &one) != nil || json.Unmarshal([]byte(b), &other) != nil {
		return false
	}
	for name, value := range one {
		if second, ok := other[name]; ok && !reflect.DeepEqual(value, second) {
			return false
		}
	}
	return true
}
