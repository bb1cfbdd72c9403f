package tools

import (
	"context"
	"maps"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/server"

	"hence/internal/db"
	"hence/internal/ref"
	"hence/memory"
)

// maxClientName is the longest name of a client that is written down, in characters.
const maxClientName = 64

// cast holds the tools of a server for each client that has called one: they write in
// the client's name.
type cast struct {
	db      *db.DB
	caller  ref.Caller
	options Options
	mu      sync.Mutex
	tools   map[string]map[string]Tool // by the actor and the tool's name

	recalled recallLog
}

// inTheNameOf returns a tool that writes in the name of the client that calls it, and
// that name.
func (c *cast) inTheNameOf(ctx context.Context, t Tool) (named Tool, actor string) {
	name := ""
	if c.options.NameClients {
		name = clientName(ctx)
	}
	if name == "" || name == c.caller.Actor {
		return t, c.caller.Actor
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.tools[name] == nil {
		caller, named := c.caller, map[string]Tool{}
		caller.Actor = name
		for _, one := range Choose(c.db, caller, c.options) {
			named[one.Name] = one
		}
		c.tools[name] = named
	}
	return c.tools[name][t.Name], name
}

// withSession adds to the context what a checkpoint keeps of the session: what its
// client is called by itself, and its surroundings, which may call it otherwise. The id
// of the session over HTTP is not kept: who knows it could speak in the session.
func (c *cast) withSession(ctx context.Context) context.Context {
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

// clientName returns what the client that calls is called, by itself: on one line and
// of a bounded length, "" if it has not said.
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
	name = strings.Join(strings.Fields(name), " ")
	if runes := []rune(name); len(runes) > maxClientName {
		name = strings.TrimSpace(string(runes[:maxClientName]))
	}
	return name
}
