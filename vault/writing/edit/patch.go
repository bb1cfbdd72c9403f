package edit

import (
	"bytes"
	"fmt"
	"sort"
	"strings"

	"hence/internal/lists"
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
	unix := func(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }
	text, find, replace := unix(string(source)), unix(find), unix(replace)
	if lineEndOf(source) == "\r\n" {
		replace = strings.ReplaceAll(replace, "\n", "\r\n")
	}
	cuts := []int{} // offsets in text before which a "\r" was left out
	for i, c := range source {
		if c == '\r' && i+1 < len(source) && source[i+1] == '\n' {
			cuts = append(cuts, i-len(cuts))
		}
	}
	inSource := func(offset int) int { return offset + sort.SearchInts(cuts, offset) }
	var result bytes.Buffer
	offsets, next, copied := []int{}, 0, 0
	parts := strings.Split(text, find)
	for _, part := range parts[:len(parts)-1] {
		offset := next + len(part)
		offsets, next = append(offsets, offset), offset+len(find)
		result.Write(source[copied:inSource(offset)])
		result.WriteString(replace)
		copied = inSource(next)
	}
	result.Write(source[copied:])
	if len(offsets) == 1 && !all {
		// A text that overlaps with itself may be at two places.
		if next := strings.Index(text[offsets[0]+1:], find); next >= 0 {
			offsets = append(offsets, offsets[0]+1+next)
		}
	}
	if len(offsets) == 0 || len(offsets) > 1 && !all {
		lines := lists.Map(offsets[:min(len(offsets), maxLines)], func(offset int) int { return 1 + strings.Count(text[:offset], "\n") })
		return nil, len(offsets), &CountError{Count: len(offsets), Lines: lines}
	}
	return result.Bytes(), len(offsets), nil
}
