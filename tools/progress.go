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

// progressKey is the context key of the progress token of a request.
type progressKey struct{}

// progress returns a function that notifies the client of progress, or nil if the client did
// not ask for progress. The function sends at most one notification in progressEvery, and one
// at the end.
func progress(ctx context.Context) func(done, total int) {
	token := ctx.Value(progressKey{})
	s := server.ServerFromContext(ctx)
	if token == nil || s == nil {
		return nil
	}
	var mu sync.Mutex
	var lastSent time.Time
	lastDone := 0
	return func(done, total int) {
		mu.Lock()
		defer mu.Unlock()
		if done <= lastDone || done < total && time.Since(lastSent) < progressEvery {
			return
		}
		lastSent, lastDone = time.Now(), done
		// Progress is optional, so errors are ignored.
		_ = s.SendNotificationToClient(ctx, string(mcp.MethodNotificationProgress), map[string]any{
			"progressToken": token, "progress": done, "total": total,
		})
	}
}
