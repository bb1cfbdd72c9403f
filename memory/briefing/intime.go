package briefing

import (
	"context"
	"time"
)

// inTime reads a list, as long as there is time. A list that is late is left out, and
// the briefing says so.
func (k *known) inTime(ctx context.Context, a Args, list string, read func(ctx context.Context) error) error {
	before := *k
	isLate, err := readBy(ctx, a.By, read)
	if isLate {
		*k = before
		k.late = append(k.late, list)
	}
	return err
}

// readBy calls read with a context that ends at a time, and reports whether it was ended
// by that time rather than by the caller's context. A zero time sets no limit.
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
