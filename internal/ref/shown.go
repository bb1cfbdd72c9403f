package ref

import (
	"reflect"
	"strings"
)

// Shown is a memory in an answer.
type Shown struct {
	ID  string // or the short id
	Why string // the name of the list of the answer in which it stands, such as results
	Range
}

// Range is a part of a memory's content, in bytes. It is empty where only the title is shown; with a To
// of -1 it reaches to the end.
type Range struct{ From, To int }

// RangeOf returns where in a content a part of it is, which may end with an ellipsis; the whole content if
// it does not stand there word for word.
func RangeOf(content, part string) Range {
	part = strings.TrimSuffix(part, "…")
	if i := strings.Index(content, part); i >= 0 {
		return Range{i, i + len(part)}
	}
	return Range{0, len(content)}
}

// ranger is a memory within a result that shows a part of its content.
type ranger interface{ ShownRange() Range }

// ShownIn returns the memories that a result names, in order, each once for each part of it that is
// shown: every struct within it that Mark could mark. A part says itself where it is, by ShownRange.
func ShownIn(result any) []Shown {
	s := shownIn{seen: map[Shown]bool{}, ranged: map[string]bool{}}
	s.collect(reflect.ValueOf(result), "named")
	all := []Shown{}
	for _, one := range s.all {
		if one.Range != (Range{}) || !s.ranged[one.ID] {
			all = append(all, one)
		}
	}
	return all
}

type shownIn struct {
	all    []Shown
	seen   map[Shown]bool
	ranged map[string]bool // by id: a part of its content is shown
}

func (s *shownIn) collect(v reflect.Value, why string) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			s.collect(v.Elem(), why)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			s.collect(v.MapIndex(key), why)
		}
	case reflect.Slice, reflect.Array:
		if k := v.Type().Elem().Kind(); k == reflect.Struct || k == reflect.Pointer || k == reflect.Slice || k == reflect.Interface {
			for i := range v.Len() {
				s.collect(v.Index(i), why)
			}
		}
	case reflect.Struct:
		s.add(v, why)
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if !f.IsExported() || f.Anonymous && f.Type == reflect.TypeFor[Named]() {
				continue
			}
			within := why
			if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); !f.Anonymous && name != "" && name != "-" {
				within = name
			}
			s.collect(v.Field(i), within)
		}
	}
}

// add adds a struct that names a memory.
func (s *shownIn) add(v reflect.Value, why string) {
	if !IsNamed(v.Type()) {
		return
	}
	one := Shown{ID: v.FieldByName("ID").String(), Why: why}
	if r, ok := v.Interface().(ranger); ok {
		if one.Range = r.ShownRange(); one.From == one.To {
			one.Range = Range{}
		}
	}
	key := Shown{ID: one.ID, Range: one.Range}
	if one.ID == "" || s.seen[key] {
		return
	}
	s.seen[key], s.all = true, append(s.all, one)
	s.ranged[one.ID] = s.ranged[one.ID] || one.Range != (Range{})
}
