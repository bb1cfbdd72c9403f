package tools

import (
	"bytes"
	"context"
	"regexp"
	"slices"
	"sync"

	"github.com/mark3labs/mcp-go/server"

	"hence/memory"
)

const (
	maxRecalled = 300 // ids that are kept for a session, the latest
	maxSessions = 200 // sessions with ids; those of all are dropped when there are more
)

// recallLog holds, for each session, the ids of the memories in its answers, so that the
// store recognises a recalled memory that the client stores again word for word.
type recallLog struct {
	mu   sync.Mutex
	ids  map[string][]string // by session, the latest last
	told map[string]bool     // the sessions that have read memory.Settle
}

// sessionID returns the id of the session of a call, "" if the call has none.
func sessionID(ctx context.Context) string {
	if session := server.ClientSessionFromContext(ctx); session != nil {
		return session.SessionID()
	}
	return ""
}

// withRecalled adds to the context the ids of the memories that the session of a call has
// recalled, and whether it has read memory.Settle.
func (k *recallLog) withRecalled(ctx context.Context) context.Context {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.told[sessionID(ctx)] {
		ctx = memory.WithAdvised(ctx)
	}
	return memory.WithRecalled(ctx, slices.Clone(k.ids[sessionID(ctx)]))
}

// anyID matches an id in an answer.
var anyID = regexp.MustCompile(`"id":"([^"\\]{1,200})"`)

// record keeps the ids in the answer of a reading tool for the session of the call, and that
// the answer of another one has memory.Settle.
func (k *recallLog) record(ctx context.Context, answer []byte, reads bool) {
	id := sessionID(ctx)
	if id == "" || k.ids == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.ids) > maxSessions {
		clear(k.ids)
		clear(k.told)
	}
	recalled := k.ids[id]
	if !reads {
		k.told[id] = k.told[id] || bytes.Contains(answer, []byte(`"settle":"`+memory.Settle))
		answer = nil
	}
	for _, match := range anyID.FindAllSubmatch(answer, maxRecalled) {
		if !slices.Contains(recalled, string(match[1])) {
			recalled = append(recalled, string(match[1]))
		}
	}
	k.ids[id] = slices.Clone(recalled[max(0, len(recalled)-maxRecalled):])
}
