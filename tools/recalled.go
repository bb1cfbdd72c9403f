package tools

import (
	"context"
	"regexp"
	"slices"
	"sync"

	"github.com/mark3labs/mcp-go/server"

	"hence/memory"
)

const (
	maxRecalled = 300 // memories of a session that are remembered as recalled, the latest
	maxSessions = 200 // sessions of which they are
)

// recallLog keeps the ids of the memories that the answers to each session had, so that
// one that comes back word for word as a new memory is known.
type recallLog struct {
	mu    sync.Mutex
	ids   map[string][]string // by session, the latest last
	order []string            // of the sessions, the latest last
}

// sessionID names the session of a call, "" where it has none.
func sessionID(ctx context.Context) string {
	if session := server.ClientSessionFromContext(ctx); session != nil {
		return session.SessionID()
	}
	return ""
}

// addTo adds to the context what the session of a call has recalled.
func (k *recallLog) addTo(ctx context.Context) context.Context {
	k.mu.Lock()
	defer k.mu.Unlock()
	return memory.WithRecalled(ctx, slices.Clone(k.ids[sessionID(ctx)]))
}

var anyID = regexp.MustCompile(`"id":"([^"\\]{1,200})"`)

// note keeps the ids of an answer.
func (k *recallLog) note(ctx context.Context, answer []byte) {
	id := sessionID(ctx)
	if id == "" || k.ids == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	known, isKnown := k.ids[id]
	for _, match := range anyID.FindAllSubmatch(answer, maxRecalled) {
		if !slices.Contains(known, string(match[1])) {
			known = append(known, string(match[1]))
		}
	}
	k.ids[id] = slices.Clone(known[max(0, len(known)-maxRecalled):])
	if isKnown {
		return
	}
	if k.order = append(k.order, id); len(k.order) > maxSessions {
		delete(k.ids, k.order[0])
		k.order = k.order[1:]
	}
}
