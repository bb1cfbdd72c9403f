package lines

import (
	"context"
	"io"
)

// Until returns a reader of which no read outlasts a context: it fails with the error of the context, and what in gives
// then is lost.
func Until(ctx context.Context, in io.Reader) io.Reader { return stoppable{ctx, in} }

type stoppable struct {
	ctx context.Context
	in  io.Reader
}

func (r stoppable) Read(p []byte) (n int, err error) {
	read, buffer := make(chan error, 1), make([]byte, len(p))
	go func() {
		count, err := r.in.Read(buffer)
		buffer = buffer[:count]
		read <- err
	}()
	select {
	case <-r.ctx.Done():
		return 0, r.ctx.Err()
	case err := <-read:
		return copy(p, buffer), err
	}
}
