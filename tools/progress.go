package tools

import (
	"context"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// progressEvery is the shortest time between two notifications of progress.
const progressEvery = 250 * time.Millisecond

// progressKey is the context key of the token with which a client asked for
// progress.
type progressKey struct{}

// progress returns a function that notifies the client of progress, or nil if
// the client did not ask. It sends a few notifications a second, and one at the
// end.
func progress(ctx context.Context) func(done, total int) {
	token := ctx.Value(progressKey{})
	s := server.ServerFromContext(ctx)
	if token == nil || s == nil {
		return nil
	}
	var mu sync.Mutex
	var told time.Time
	last := 0
	return func(done, total int) {
		mu.Lock()
		defer mu.Unlock()
		if done <= last || done < total && time.Since(told) < progressEvery {
			return
		}
		told, last = time.Now(), done
		// Progress is optional, so errors are ignored.
		_ = s.SendNotificationToClient(ctx, string(mcp.MethodNotificationProgress), map[string]any{
			"progressToken": token, "progress": done, "total": total,
		})
	}
}
