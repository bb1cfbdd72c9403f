package tools

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/server"

	"hence/internal/pattern"
	"hence/internal/prose"
	"hence/internal/ref"
	"hence/memory"
	"hence/memory/review"
)

// maxClientName is the length to which the name of a client is cut, in characters.
const maxClientName = 64

// clientTools serves the tools of a server in the name of the client that calls them.
type clientTools struct {
	ref.View
	options  Options
	recalled recallLog
	unnamed  string // the id of a session that has none, which ends with this process
}

// viewFor returns the view of the calling client, which writes in its name if clients are named and it gave one.
func (c *clientTools) viewFor(ctx context.Context) ref.View {
	v := c.View
	if c.options.NameClients {
		v.Caller.Actor = cmp.Or(clientName(ctx), v.Caller.Actor)
	}
	return v
}

// withSession adds to the context the facts that a checkpoint stores about the session: the
// name that the client gave, and Options.Surroundings, which may override it. The id of an
// HTTP session is not stored, because anyone who knows it could speak in the session.
func (c *clientTools) withSession(ctx context.Context) context.Context {
	id := cmp.Or(c.options.sessionOf(ctx), c.unnamed)
	ctx = review.WithSession(ctx, func() string { return id })
	return memory.WithSession(ctx, func() map[string]string {
		facts := map[string]string{}
		if name := clientName(ctx); name != "" {
			facts["client"] = name
		}
		if c.options.Surroundings != nil {
			maps.Copy(facts, c.options.Surroundings())
		}
		return facts
	})
}

// clientName returns the name that the calling client gave when its session began, on one
// line and cut to maxClientName characters; "" if it gave none.
func clientName(ctx context.Context) string {
	session, ok := server.ClientSessionFromContext(ctx).(server.SessionWithClientInfo)
	if !ok {
		return ""
	}
	name := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == utf8.RuneError {
			return ' '
		}
		return r
	}, session.GetClientInfo().Name)
	name = prose.OneLine(name)
	if runes := []rune(name); len(runes) > maxClientName {
		name = strings.TrimSpace(string(runes[:maxClientName]))
	}
	return name
}

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
var anyID = pattern.Lazy(`"id":"([^"\\]{1,200})"`)

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
	for _, match := range anyID().FindAllSubmatch(answer, maxRecalled) {
		if !slices.Contains(recalled, string(match[1])) {
			recalled = append(recalled, string(match[1]))
		}
	}
	k.ids[id] = slices.Clone(recalled[max(0, len(recalled)-maxRecalled):])
}
