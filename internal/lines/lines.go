// Package lines reads lines of bounded length from a stream.
package lines

import (
	"bufio"
	"errors"
	"io"
)

// ErrTooLong is the error for a line of more bytes than the limit.
var ErrTooLong = errors.New("the line is too long")

// Read appends the next line of r, with its line break, to into. A line of more than
// limit bytes is skipped and fails with ErrTooLong; the next call reads the line
// after it. The last line may come with io.EOF, as from bufio.Reader.ReadBytes.
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
