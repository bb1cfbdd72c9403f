package args

import (
	"cmp"
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
	s := infer[A]()
	walk(s, reflect.TypeFor[A](), refineArguments)
	return s
}

// Brief is a struct whose fields a ResultSchema does not spell out, and the
// words that stand for them.
type Brief map[reflect.Type]string

// ResultSchema returns the JSON schema of a struct that a call results in. It
// is open, so that a later version may say more. Every client pays for it in
// every conversation, so it is short: a struct is spelled out where it occurs
// first and is not brief, and only the result itself says what is required.
func ResultSchema[R any](brief Brief) *jsonschema.Schema {
	s := infer[R]()
	required := s.Required
	seen := map[reflect.Type]bool{}
	walk(s, reflect.TypeFor[R](), func(p *jsonschema.Schema, t reflect.Type) bool {
		p.AdditionalProperties, p.Required = nil, nil
		words, isBrief := brief[t]
		if isBrief || seen[t] {
			*p = jsonschema.Schema{Type: p.Type, Description: cmp.Or(p.Description, words)}
		}
		seen[t] = true
		return !isBrief
	})
	s.Required = required
	return s
}

// infer returns the schema of a type of ours: a wrong one panics in the first
// test.
func infer[T any]() *jsonschema.Schema {
	s, err := jsonschema.For[T](nil)
	if err != nil {
		panic(err)
	}
	return s
}

// walk makes a schema and those within it plain, and calls refine with each
// struct, from the outside in; it goes on inside where refine says so. Plain
// is without the null that the inference lets every pointer and slice be: left
// out and null mean the same here, and a union only costs the reader.
func walk(s *jsonschema.Schema, t reflect.Type, refine func(*jsonschema.Schema, reflect.Type) (inside bool)) {
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
		if !refine(s, t) {
			return
		}
		for _, f := range reflect.VisibleFields(t) {
			if p := s.Properties[nameOf(f)]; p != nil && !f.Anonymous {
				walk(p, f.Type, refine)
			}
		}
	}
}

func refineArguments(s *jsonschema.Schema, t reflect.Type) bool {
	for _, f := range reflect.VisibleFields(t) {
		p := s.Properties[nameOf(f)]
		if p == nil || f.Anonymous {
			continue
		}
		if f.Type.Kind() == reflect.Slice && slices.Contains(s.Required, nameOf(f)) {
			p.MinItems = jsonschema.Ptr(1)
		}
		addTags(p, f)
	}
	return true
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
