// Package pause waits between two tries.
package pause

import (
	"context"
	"time"
)

// For waits for a time. It fails if ctx is done before.
func For(ctx context.Context, long time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(long):
		return nil
	}
}
