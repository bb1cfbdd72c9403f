package args

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
)

// synonyms are groups of names. If a struct of arguments has exactly one name of a group,
// a call may use the others for it. The schema lists only that one.
var synonyms = [][]string{
	{"id", "ids", "seed_doc_ids", "seeds"},
	{"from", "from_id"},
	{"to", "to_id"},
	{"hops", "max_hops", "depth"},
	{"kind", "kinds", "propose"},
	{"path_prefix", "under"},
	{"section", "heading"},
}

// wordLists are lists of words without commas in them: one text with commas is several words.
var wordLists = []string{"tags", "kinds", "kind", "edge_types", "origins", "propose"}

// rename replaces synonyms among the members of an object by the names of the fields of
// the struct it is read into. It refuses two values for one field.
func (d *decoder) rename(prefix string, members map[string]json.RawMessage, fields []reflect.StructField) {
	for _, group := range synonyms {
		own := []string{}
		for _, field := range fields {
			if name := NameOf(field); slices.Contains(group, name) {
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

// unpackField is unpack for the value of a field. It also returns null, which means left out, for
// an empty text in a field that cannot hold one.
func unpackField(value json.RawMessage, field reflect.StructField) json.RawMessage {
	t := field.Type
	if t.Kind() == reflect.Pointer && t.Elem().Kind() != reflect.String {
		t = t.Elem()
	}
	_, isEnum := field.Tag.Lookup("enum")
	holdsText := t.Kind() == reflect.Pointer || t.Kind() == reflect.Interface || t.Kind() == reflect.String && !isEnum
	if text, isText := textOf(value); isText && strings.TrimSpace(text) == "" && !holdsText {
		return json.RawMessage("null")
	}
	return unpack(NameOf(field), value, field.Type)
}

// unpack returns the list, object, number or boolean that a text holds as JSON, if the type
// asks for one, because some clients send every argument as text. It returns other values, and
// texts that do not hold what the type asks for, as they are. name is that of the argument.
func unpack(name string, value json.RawMessage, t reflect.Type) json.RawMessage {
	text, isText := textOf(value)
	if !isText {
		return value
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	held := bytes.TrimSpace([]byte(text))
	if t.Kind() == reflect.Bool {
		held = bytes.ToLower(held) // Python writes True
	}
	if t.Kind() == reflect.String || t.Kind() == reflect.Interface || !json.Valid(held) {
		if t.Kind() == reflect.Slice && slices.Contains(wordLists, name) && strings.Contains(text, ",") {
			return splitAtCommas(text)
		}
		return value
	}
	kind := jsonType(held)
	fits := kind == "null" && t.Kind() != reflect.Slice
	switch t.Kind() {
	case reflect.Slice:
		fits = kind == "array" || kind == "object" && t.Elem().Kind() == reflect.Struct
		if t.Elem().Kind() == reflect.String { // a title may look like a list of something else
			fits = kind == "array" && json.Unmarshal(held, &[]string{}) == nil
		}
	case reflect.Struct, reflect.Map:
		fits = fits || kind == "object"
	case reflect.Bool:
		fits = fits || kind == "boolean"
	default:
		fits = fits || kind == "number"
	}
	if fits {
		return held
	}
	return value
}

// textOf returns the text that a value is, and whether it is one.
func textOf(value json.RawMessage) (text string, isText bool) {
	isText = jsonType(value) == "string" && json.Unmarshal(value, &text) == nil
	return text, isText
}

func splitAtCommas(text string) json.RawMessage {
	words := []string{}
	for word := range strings.SplitSeq(text, ",") {
		if word = strings.TrimSpace(word); word != "" {
			words = append(words, word)
		}
	}
	list, _ := json.Marshal(words) // texts always have a JSON form
	return list
}

func isNull(value json.RawMessage) bool { return string(value) == "null" }
