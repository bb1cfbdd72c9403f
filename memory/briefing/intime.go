package briefing

import (
	"context"
	"time"
)

// readInTime calls read, which reads a list, until the deadline a.By. A list that is late is
// left out, and its name is added to k.lateLists.
func (k *material) readInTime(ctx context.Context, a Args, list string, read func(ctx context.Context) error) error {
	old := *k
	isLate, err := readBy(ctx, a.By, read)
	if isLate {
		*k = old
		k.lateLists = append(k.lateLists, list)
	}
	return err
}

// readBy calls read with a context that ends at a deadline, and reports whether the deadline
// ended it rather than the caller's context. A zero deadline sets no limit.
func readBy(ctx context.Context, deadline time.Time, read func(ctx context.Context) error) (isLate bool, err error) {
	if deadline.IsZero() {
		return false, read(ctx)
	}
	limited, stop := context.WithDeadline(ctx, deadline)
	defer stop()
	if err = limited.Err(); err == nil {
		err = read(limited)
	}
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		return true, nil
	}
	return false, err
}
