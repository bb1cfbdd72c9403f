// Package lines reads lines of bounded length from a stream.
package lines

import (
	"bufio"
	"errors"
	"io"
)

// ErrTooLong says that a line had more bytes than its reader takes.
var ErrTooLong = errors.New("the line is too long")

// Read appends the next line of r, its line break included, to into, and
// returns the result. A line of more than limit bytes is skipped to its end and
// fails with ErrTooLong; the next call reads the line after it. The last line
// may come with io.EOF, as bufio.Reader.ReadBytes returns it.
func Read(r *bufio.Reader, into []byte, limit int) ([]byte, error) {
	line := into
	tooLong := false
	for {
		part, err := r.ReadSlice('\n')
		tooLong = tooLong || len(line)-len(into)+len(part) > limit
		if !tooLong {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case tooLong && (err == nil || errors.Is(err, io.EOF)):
			return into, ErrTooLong // the next call returns io.EOF again
		default:
			return line, err
		}
	}
}
