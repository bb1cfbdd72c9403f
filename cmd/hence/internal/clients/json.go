package clients

import (
	"cmp"
	"reflect"
	"strings"

	"github.com/tailscale/hujson"

	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/lists"
)

// putJSON sets fields of the object at a path, and creates missing objects. The
// text is JSON with comments and trailing commas.
func putJSON(text string, path []string, fields []field) (string, error) {
	if strings.TrimSpace(text) == "" {
		text = "{}\n"
	}
	for _, f := range fields {
		var err error
		if text, err = setJSON(text, append(path[:len(path):len(path)], f.name), db.JSON(f.value)); err != nil {
			return "", err
		}
	}
	return text, nil
}

// parseJSON reads JSON with comments, one of which may stand last without a line end. It fails with invalid_argument.
func parseJSON(text string) (hujson.Value, error) {
	document, err := hujson.Parse([]byte(text + "\n"))
	if err != nil {
		err = fault.Wrap(fault.InvalidArgument, err, "the configuration is not JSON; repair it first")
	}
	return document, err
}

// setJSON returns a text with a value, given as JSON, at a path.
func setJSON(text string, path []string, value string) (string, error) {
	document, err := parseJSON(text)
	if err != nil {
		return "", err
	}
	at, missing, err := walk(&document, path)
	switch {
	case err != nil:
		return "", err
	case len(missing) > 0:
		return addLast(text, document, at, func(indent, unit, newline string) string {
			return nest(missing, indent, unit, newline, func(string) string { return value })
		}), nil
	}
	return text[:at.StartOffset] + value + text[at.EndOffset:], nil
}

// walk follows a path of names from object to object. It returns the last value that exists,
// and the rest of the path, which does not. It fails with invalid_argument if a value on the
// path is not an object.
func walk(at *hujson.Value, path []string) (*hujson.Value, []string, error) {
	for depth, name := range path {
		object, ok := at.Value.(*hujson.Object)
		if !ok {
			return nil, nil, fault.New(fault.InvalidArgument, "the configuration has a value other than an object at %s; repair it first", cmp.Or(strings.Join(path[:depth], "."), "its top"))
		}
		i := findMember(object, name)
		if i < 0 {
			return at, path[depth:], nil
		}
		at = &object.Members[i].Value
	}
	return at, nil, nil
}

// findMember returns the index of a member, or -1; the last of equal names counts.
func findMember(object *hujson.Object, name string) int {
	for i := len(object.Members) - 1; i >= 0; i-- {
		if literal, ok := object.Members[i].Name.Value.(hujson.Literal); ok && literal.String() == name {
			return i
		}
	}
	return -1
}

// addLast returns a text with a new element or member at the end of an array or object, after
// the comments that are there. write returns the new one; indent is that of its first line.
func addLast(text string, document hujson.Value, at *hujson.Value, write func(indent, unit, newline string) string) string {
	newline, unit := lineBreak(text), "  "
	if o, ok := document.Value.(*hujson.Object); ok && len(o.Members) > 0 { // the first member shows the unit of indent
		unit = cmp.Or(lineIndent(text, o.Members[0].Name.StartOffset), unit)
	}
	outer := lineIndent(text, at.StartOffset)
	inner := outer + unit

	end := at.EndOffset - 1 // the closing brace or bracket
	start, before, after := at.StartOffset+1, "", ""
	if all := valuesOf(at); len(all) > 0 {
		last := all[len(all)-1]
		start = last.EndOffset
		if last.AfterExtra == nil { // no comma after the last one
			before = ","
		} else {
			after = ","
		}
	}
	gap := strings.TrimRight(text[start:end], " \t\r\n")
	return text[:start] + before + gap + newline + inner + write(inner, unit, newline) + after + newline + outer + text[end:]
}

// valuesOf returns the values of an object's members, or an array's elements.
func valuesOf(v *hujson.Value) (all []*hujson.Value) {
	switch v := v.Value.(type) {
	case *hujson.Object:
		for i := range v.Members {
			all = append(all, &v.Members[i].Value)
		}
	case *hujson.Array:
		for i := range v.Elements {
			all = append(all, &v.Elements[i])
		}
	}
	return all
}

// nest returns the text of nested members, one name per line: "a": {"b": value}.
func nest(names []string, indent, unit, newline string, value func(indent string) string) string {
	if len(names) == 0 {
		return value(indent)
	}
	name := db.JSON(names[0])
	if len(names) == 1 {
		return name + ": " + value(indent)
	}
	return name + ": {" + newline + indent + unit + nest(names[1:], indent+unit, unit, newline, value) + newline + indent + "}"
}

// lineBreak returns the line break of a text: CRLF if it has one, or else LF.
func lineBreak(text string) string {
	if strings.Contains(text, "\r\n") {
		return "\r\n"
	}
	return "\n"
}

// lineIndent returns the white space at the start of the line of a byte offset.
func lineIndent(text string, at int) string {
	line := text[strings.LastIndexByte(text[:at], '\n')+1 : at]
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

// sameOtherwise checks a changed configuration before it is written. It fails with
// invalid_argument unless the fields at path are set and everything else is as before.
func (c Client) sameOtherwise(before, after string, path []string, fields []field) error {
	want, err := c.read(before)
	if err != nil {
		return fault.Wrap(fault.InvalidArgument, err, "the configuration cannot be read; repair it first")
	}
	got, err := c.read(after)
	if err != nil {
		return fault.Wrap(fault.InvalidArgument, err, "hence setup cannot change this configuration safely; add the entry by hand")
	}
	at := want
	for _, name := range path {
		next, ok := at[name].(map[string]any)
		if !ok {
			next = map[string]any{}
			at[name] = next
		}
		at = next
	}
	for _, f := range fields {
		at[f.name] = decoded(f.value)
	}
	if !reflect.DeepEqual(want, got) {
		return fault.New(fault.InvalidArgument, "hence setup cannot change this configuration safely; add the entry by hand")
	}
	return nil
}

// decoded returns a value of a field as a configuration that was read has it.
func decoded(value any) any {
	list, ok := value.([]string)
	if !ok {
		return value
	}
	return lists.Map(list, func(word string) any { return word })
}

// cutJSON returns a text without the member at a path, if it is there.
func cutJSON(text string, path []string) (string, error) {
	document, err := parseJSON(text)
	if err != nil {
		return "", err
	}
	at, missing, err := walk(&document, path[:len(path)-1])
	if err != nil || len(missing) > 0 {
		return text, nil // another value than an object is in the way, so the member is not there
	}
	object, ok := at.Value.(*hujson.Object)
	if !ok {
		return text, nil
	}
	if i := findMember(object, path[len(path)-1]); i >= 0 {
		return cutAt(text, at, i), nil
	}
	return text, nil
}

// cutEmpty returns a text without the object or array at a path, if it is empty and has no
// comment.
func cutEmpty(text string, path []string) (string, error) {
	document, err := parseJSON(text)
	if err != nil {
		return "", err
	}
	at, missing, err := walk(&document, path)
	if err != nil || len(missing) > 0 {
		return text, nil
	}
	switch at.Value.(type) {
	case *hujson.Object, *hujson.Array:
		if strings.TrimSpace(text[at.StartOffset+1:at.EndOffset-1]) == "" {
			return cutJSON(text, path)
		}
	}
	return text, nil
}

// cutAt returns a text without the i-th member or element, the white space before it and one
// comma: the one after it, or else the one before it. Comments beside it stay.
func cutAt(text string, at *hujson.Value, i int) string {
	all := valuesOf(at)
	start, end := all[i].StartOffset, all[i].EndOffset
	if object, ok := at.Value.(*hujson.Object); ok {
		start = object.Members[i].Name.StartOffset
	}
	before, rest := strings.TrimRight(text[:start], " \t\r\n"), text[end:]
	switch {
	case i < len(all)-1 || all[i].AfterExtra != nil: // a comma follows
		extra := string(all[i].AfterExtra)
		if strings.TrimSpace(extra) == "" {
			extra = ""
		}
		rest = extra + text[end+len(all[i].AfterExtra)+1:]
	case i > 0:
		comma := all[i-1].EndOffset + len(all[i-1].AfterExtra)
		before = text[:comma] + before[comma+1:]
	}
	line, next := before[strings.LastIndexByte(before, '\n')+1:], strings.TrimLeft(rest, " \t")
	if strings.Contains(line, "//") && !strings.HasPrefix(next, "\n") && !strings.HasPrefix(next, "\r\n") {
		before += lineBreak(text) // otherwise the comment would include the text after it
	}
	return before + rest
}
