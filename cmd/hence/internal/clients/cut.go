package clients

import (
	"strings"

	"github.com/tailscale/hujson"

	"hence/internal/fault"
)

// cutJSON returns a text without the member at a path, if it is there.
func cutJSON(text string, path []string) (string, error) {
	document, err := hujson.Parse([]byte(text))
	if err != nil {
		return "", fault.Wrap(fault.InvalidArgument, err, "the configuration is not JSON; repair it first")
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
	document, err := hujson.Parse([]byte(text))
	if err != nil {
		return "", fault.Wrap(fault.InvalidArgument, err, "the configuration is not JSON; repair it first")
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
