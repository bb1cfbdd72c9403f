package note

import (
	"bytes"
	"sort"
)

// lineIndex converts byte offsets to positions, in logarithmic time for lines of any
// length.
type lineIndex struct {
	src    []byte
	starts []int // byte offset of each line
	skip   int   // length of a byte order mark
}

func newLineIndex(src []byte) lineIndex {
	x := lineIndex{src: src, starts: make([]int, 1, 1+bytes.Count(src, []byte{'\n'}))}
	for i, b := range src {
		if b == '\n' {
			x.starts = append(x.starts, i+1)
		}
	}
	if bytes.HasPrefix(src, byteOrderMark) {
		x.skip = len(byteOrderMark)
	}
	return x
}

// line returns the 1-based line that contains offset.
func (x *lineIndex) line(offset int) int {
	return sort.SearchInts(x.starts, offset+1)
}

func (x *lineIndex) pos(offset int) Pos { return Pos{Offset: offset, Line: x.line(offset)} }

// bounds returns the bytes of a 1-based line, without its line end.
func (x *lineIndex) bounds(line int) (start, end int) {
	start, end = x.starts[line-1], len(x.src)
	if line < len(x.starts) {
		end = x.starts[line] - 1
		if end > start && x.src[end-1] == '\r' {
			end--
		}
	}
	if line == 1 {
		start = min(x.skip, end)
	}
	return start, end
}
