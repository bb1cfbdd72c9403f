package tools

import (
	"context"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// progressEvery is the least time between two notifications of progress.
const progressEvery = 250 * time.Millisecond

// wanted marks the context of a call whose client wants to know how far it is,
// and holds the token by which it knows the call.
type wanted struct{}

// withProgress keeps the token that a request came with, if it did.
func withProgress(ctx context.Context, request mcp.CallToolRequest) context.Context {
	if meta := request.Params.Meta; meta != nil && meta.ProgressToken != nil {
		return context.WithValue(ctx, wanted{}, meta.ProgressToken)
	}
	return ctx
}

// progress returns what tells the client how far a call is, nil where it did
// not ask. The client is told a few times a second, and of the end.
func progress(ctx context.Context) func(done, total int) {
	token := ctx.Value(wanted{})
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
		// A client that does not take what it is sent misses it.
		_ = s.SendNotificationToClient(ctx, string(mcp.MethodNotificationProgress), map[string]any{
			"progressToken": token, "progress": done, "total": total,
		})
	}
}
