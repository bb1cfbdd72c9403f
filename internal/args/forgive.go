package args

import (
	"encoding/json"
	"reflect"
	"slices"
)

// synonyms are groups of names. If a struct of arguments has exactly one name of a group,
// a call may use the others for it. The schema lists only that one.
var synonyms = [][]string{
	{"id", "ids", "seed_doc_ids", "seeds"},
	{"from", "from_id"},
	{"to", "to_id"},
	{"hops", "max_hops", "depth"},
	{"kind", "kinds"},
	{"path_prefix", "under"},
}

// rename replaces synonyms among the members of an object by the names of the fields of
// the struct. It refuses two values for one field.
func (d *decoder) rename(prefix string, members map[string]json.RawMessage, t reflect.Type) {
	for _, group := range synonyms {
		own := []string{}
		for i := range t.NumField() {
			if name := NameOf(t.Field(i)); slices.Contains(group, name) {
				own = append(own, name)
			}
		}
		if len(own) != 1 {
			continue
		}
		alias := own[0] // the name under which the value was given
		for _, word := range group {
			value, given := members[word]
			if word == own[0] || !given {
				continue
			}
			delete(members, word)
			if isNull(value) && members[own[0]] != nil {
				continue
			}
			if former := members[own[0]]; former != nil && !isNull(former) {
				d.refuse("%s and %s mean the same; give one of them", prefix+alias, prefix+word)
				continue
			}
			members[own[0]], alias = value, word
		}
	}
}

// listOrOne puts a single value into a list if the type is a list, and takes the only
// value out of a list if it is not. It returns other values as they are.
func listOrOne(value json.RawMessage, t reflect.Type) json.RawMessage {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	isList := jsonType(value) == "array"
	switch {
	case t.Kind() == reflect.Interface || isNull(value):
	case t.Kind() == reflect.Slice && !isList:
		return slices.Concat(json.RawMessage("["), value, json.RawMessage("]"))
	case t.Kind() != reflect.Slice && isList:
		var elements []json.RawMessage
		if err := json.Unmarshal(value, &elements); err == nil && len(elements) == 1 {
			return elements[0]
		}
	}
	return value
}

func isNull(value json.RawMessage) bool { return string(value) == "null" }
