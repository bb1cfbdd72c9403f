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
	skip   int   // length of a byte order mark, which has no column
	units  []int // UTF-16 units before every unitStep'th byte; nil for ASCII
}

const unitStep = 256

func newLineIndex(src []byte) lineIndex {
	x := lineIndex{src: src, starts: make([]int, 1, 1+bytes.Count(src, []byte{'\n'}))}
	ascii := true
	for i, b := range src {
		if b == '\n' {
			x.starts = append(x.starts, i+1)
		}
		ascii = ascii && b < 0x80
	}
	if bytes.HasPrefix(src, byteOrderMark) {
		x.skip = len(byteOrderMark)
	}
	if !ascii {
		x.units = make([]int, 0, len(src)/unitStep+1)
		n := 0
		for i := 0; i <= len(src); i += unitStep {
			x.units = append(x.units, n)
			n += units(src[i:min(i+unitStep, len(src))])
		}
	}
	return x
}

// units counts UTF-16 units byte by byte: one for each byte that starts a rune, and one
// more for a rune beyond the basic plane. So b may start or end within a rune.
func units(b []byte) int {
	n := 0
	for _, c := range b {
		if c&0xC0 != 0x80 {
			n++
		}
		if c >= 0xF0 {
			n++
		}
	}
	return n
}

func (x *lineIndex) unitsBefore(offset int) int {
	if x.units == nil {
		return offset
	}
	i := offset / unitStep
	return x.units[i] + units(x.src[i*unitStep:offset])
}

// line returns the 1-based line that contains offset.
func (x *lineIndex) line(offset int) int {
	return sort.SearchInts(x.starts, offset+1)
}

func (x *lineIndex) pos(offset int) Pos {
	line := x.line(offset)
	start := x.starts[line-1]
	if line == 1 {
		start = min(x.skip, offset)
	}
	return Pos{Offset: offset, Line: line, Col: x.unitsBefore(offset) - x.unitsBefore(start)}
}

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
