// Package lines reads lines of limited length from a stream.
package lines

import (
	"bufio"
	"errors"
	"io"
)

// ErrTooLong is the error for a line of more bytes than the limit.
var ErrTooLong = errors.New("the line is too long")

// Read appends the next line of r, with its line break, to buffer, and returns the extended
// buffer. It skips a line of more than limit bytes and fails with ErrTooLong; the next call
// reads the following line. The last line may come with io.EOF, as from
// bufio.Reader.ReadBytes.
func Read(r *bufio.Reader, buffer []byte, limit int) ([]byte, error) {
	line := buffer
	tooLong := false
	for {
		part, err := r.ReadSlice('\n')
		tooLong = tooLong || len(line)-len(buffer)+len(part) > limit
		if !tooLong {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case tooLong && (err == nil || errors.Is(err, io.EOF)):
			return buffer, ErrTooLong // the next call returns io.EOF again
		default:
			return line, err
		}
	}
}
