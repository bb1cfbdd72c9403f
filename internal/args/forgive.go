package args

import (
	"encoding/json"
	"reflect"
	"slices"
)

// synonyms are names of arguments that are taken for one another by a call that has
// exactly one of them. A schema lists that one.
var synonyms = [][]string{
	{"id", "ids", "seed_doc_ids", "seeds"},
	{"from", "from_id"},
	{"to", "to_id"},
	{"hops", "max_hops", "depth"},
	{"kind", "kinds"},
	{"path_prefix", "under"},
}

// rename gives the members of an object that are called by a synonym the names of
// the fields of the struct. Two values for one field are refused.
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

// listOrOne makes a list of one value where the type wants a list, and takes the only
// value out of a list where it wants none. Other values it returns as they are.
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
