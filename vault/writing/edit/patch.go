package edit

import (
	"bytes"
	"fmt"
	"sort"
	"strings"
)

// maxLines bounds CountError.Lines.
const maxLines = 20

// CountError says that a text to be replaced is not in a note exactly once.
type CountError struct {
	Count int
	Lines []int // on which it starts, 1-based, at most 20
}

func (e *CountError) Error() string {
	if e.Count == 0 {
		return "the text to find is not there"
	}
	return fmt.Sprintf("the text to find is there %d times, on the lines %s", e.Count, strings.Trim(strings.ReplaceAll(fmt.Sprint(e.Lines), " ", ", "), "[]"))
}

// Patch returns a note with a text replaced by another, and the number of places.
// Line ends count as equal, and are written as the note has them. The text must be
// there once, or, with all, at least once: then all places that do not overlap are
// replaced. Otherwise the error is a CountError. The text must not be empty.
func Patch(source []byte, find, replace string, all bool) (patched []byte, count int, err error) {
	u := unify(source)
	find = strings.ReplaceAll(find, "\r\n", "\n")
	replace = strings.ReplaceAll(replace, "\r\n", "\n")
	if endOf(source) == "\r\n" {
		replace = strings.ReplaceAll(replace, "\n", "\r\n")
	}
	places := places(u.text, find)
	if len(places) == 1 && !all {
		// A text that overlaps with itself may have two places.
		if again := bytes.Index(u.text[places[0]+1:], []byte(find)); again >= 0 {
			places = append(places, places[0]+1+again)
		}
	}
	if len(places) == 0 || len(places) > 1 && !all {
		return nil, len(places), u.countError(places)
	}
	var out bytes.Buffer
	done := 0
	for _, at := range places {
		out.Write(source[done:u.source(at)])
		out.WriteString(replace)
		done = u.source(at + len(find))
	}
	out.Write(source[done:])
	return out.Bytes(), len(places), nil
}

// places returns where a text stands, without overlaps.
func places(text []byte, find string) (all []int) {
	pattern := []byte(find)
	for at := 0; ; {
		i := bytes.Index(text[at:], pattern)
		if i < 0 {
			return all
		}
		all = append(all, at+i)
		at += i + len(pattern)
	}
}

// unixSource is a source with "\n" for every line end.
type unixSource struct {
	text []byte
	cuts []int // places in text before which a "\r" was left out
}

func unify(source []byte) unixSource {
	u := unixSource{text: source}
	if !bytes.Contains(source, []byte("\r\n")) {
		return u
	}
	u.text = make([]byte, 0, len(source))
	for i, c := range source {
		if c == '\r' && i+1 < len(source) && source[i+1] == '\n' {
			u.cuts = append(u.cuts, len(u.text))
			continue
		}
		u.text = append(u.text, c)
	}
	return u
}

// source returns the place in the source of one in the text.
func (u unixSource) source(at int) int {
	return at + sort.SearchInts(u.cuts, at)
}

func (u unixSource) countError(places []int) *CountError {
	e := &CountError{Count: len(places), Lines: []int{}}
	line, done := 1, 0
	for _, at := range places[:min(len(places), maxLines)] {
		line += bytes.Count(u.text[done:at], []byte("\n"))
		done = at
		e.Lines = append(e.Lines, line)
	}
	return e
}
