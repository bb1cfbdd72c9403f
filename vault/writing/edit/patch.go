package edit

import (
	"bytes"
	"fmt"
	"sort"
	"strings"
)

// maxLines bounds CountError.Lines.
const maxLines = 20

// CountError is the error of Patch for a text that is not in the note, or that is there more
// than once.
type CountError struct {
	Count int
	Lines []int // on which the text starts, 1-based, at most maxLines
}

func (e *CountError) Error() string {
	if e.Count == 0 {
		return "the text to find is not there"
	}
	return fmt.Sprintf("the text to find is there %d times, on the lines %s", e.Count, strings.Trim(strings.ReplaceAll(fmt.Sprint(e.Lines), " ", ", "), "[]"))
}

// Patch returns a note with the text find replaced, and the number of replacements. It
// treats all line ends as equal, and writes those of the note. The text must be in the note
// once, or, if all is true, at least once: then Patch replaces all places that do not
// overlap. Otherwise the error is a CountError. find must not be empty.
func Patch(source []byte, find, replace string, all bool) (patched []byte, count int, err error) {
	u := unify(source)
	find = strings.ReplaceAll(find, "\r\n", "\n")
	replace = strings.ReplaceAll(replace, "\r\n", "\n")
	if lineEndOf(source) == "\r\n" {
		replace = strings.ReplaceAll(replace, "\n", "\r\n")
	}
	offsets := findAll(u.text, find)
	if len(offsets) == 1 && !all {
		// A text that overlaps with itself may be at two places.
		if next := bytes.Index(u.text[offsets[0]+1:], []byte(find)); next >= 0 {
			offsets = append(offsets, offsets[0]+1+next)
		}
	}
	if len(offsets) == 0 || len(offsets) > 1 && !all {
		return nil, len(offsets), u.countError(offsets)
	}
	var result bytes.Buffer
	copied := 0
	for _, offset := range offsets {
		result.Write(source[copied:u.source(offset)])
		result.WriteString(replace)
		copied = u.source(offset + len(find))
	}
	result.Write(source[copied:])
	return result.Bytes(), len(offsets), nil
}

// findAll returns the offsets of find in a text, without overlaps.
func findAll(text []byte, find string) (all []int) {
	pattern := []byte(find)
	for offset := 0; ; {
		i := bytes.Index(text[offset:], pattern)
		if i < 0 {
			return all
		}
		all = append(all, offset+i)
		offset += i + len(pattern)
	}
}

// unixSource is a source with "\n" for every line end.
type unixSource struct {
	text []byte
	cuts []int // offsets in text before which a "\r" was left out
}

// unify returns a source with its line ends replaced by "\n".
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

// source returns the offset in the source of an offset in the text.
func (u unixSource) source(offset int) int {
	return offset + sort.SearchInts(u.cuts, offset)
}

func (u unixSource) countError(offsets []int) *CountError {
	e := &CountError{Count: len(offsets), Lines: []int{}}
	line, counted := 1, 0
	for _, offset := range offsets[:min(len(offsets), maxLines)] {
		line += bytes.Count(u.text[counted:offset], []byte("\n"))
		counted = offset
		e.Lines = append(e.Lines, line)
	}
	return e
}
