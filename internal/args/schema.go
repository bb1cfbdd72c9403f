package args

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// Schema returns the JSON schema of a struct of arguments. It is closed: an
// argument that it does not name is refused. The tags that Check reads are in
// it, and the jsonschema tag is the description.
func Schema[A any]() *jsonschema.Schema {
	return schemaOf[A](refineArguments)
}

// ResultSchema returns the JSON schema of a struct that a call results in. It
// is open, so that a later version may say more.
func ResultSchema[R any]() *jsonschema.Schema {
	return schemaOf[R](func(s *jsonschema.Schema, _ reflect.Type) { s.AdditionalProperties = nil })
}

// schemaOf infers a schema and refines that of each struct in it. The types
// are ours: a wrong one panics in the first test.
func schemaOf[T any](refine func(*jsonschema.Schema, reflect.Type)) *jsonschema.Schema {
	s, err := jsonschema.For[T](nil)
	if err != nil {
		panic(err)
	}
	walk(s, reflect.TypeFor[T](), refine)
	return s
}

// walk makes a schema and those within it plain, and refines the structs.
// Plain is without the null that the inference lets every pointer and slice
// be: left out and null mean the same here, and a union only costs the reader.
func walk(s *jsonschema.Schema, t reflect.Type, refine func(*jsonschema.Schema, reflect.Type)) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if i := slices.Index(s.Types, "null"); i >= 0 && len(s.Types) == 2 {
		s.Type, s.Types = s.Types[1-i], nil
	}
	switch t.Kind() {
	case reflect.Slice:
		walk(s.Items, t.Elem(), refine)
	case reflect.Map:
		walk(s.AdditionalProperties, t.Elem(), refine)
	case reflect.Struct:
		for _, f := range reflect.VisibleFields(t) {
			if p := s.Properties[nameOf(f)]; p != nil && !f.Anonymous {
				walk(p, f.Type, refine)
			}
		}
		refine(s, t)
	}
}

func refineArguments(s *jsonschema.Schema, t reflect.Type) {
	for _, f := range reflect.VisibleFields(t) {
		p := s.Properties[nameOf(f)]
		if p == nil || f.Anonymous {
			continue
		}
		if p.Type == "array" && slices.Contains(s.Required, nameOf(f)) {
			p.MinItems = jsonschema.Ptr(1)
		}
		addTags(p, f)
	}
}

// addTags says in the schema what Check holds an argument to.
func addTags(p *jsonschema.Schema, f reflect.StructField) {
	t := f.Type
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if text, ok := f.Tag.Lookup("default"); ok {
		value, err := json.Marshal(parse(t, text))
		if err != nil {
			panic(err)
		}
		p.Default = value
	}
	for name, limit := range map[string]**float64{"min": &p.Minimum, "max": &p.Maximum, "above": &p.ExclusiveMinimum} {
		if value, ok := bound(f.Tag, name); ok {
			*limit = &value
		}
	}
	if text, ok := f.Tag.Lookup("enum"); ok {
		if p.Items != nil {
			p = p.Items
		}
		for word := range strings.SplitSeq(text, ",") {
			p.Enum = append(p.Enum, word)
		}
	}
}

// nameOf returns the name of a field in JSON.
func nameOf(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}
