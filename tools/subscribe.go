package tools

import (
	"context"
	"crypto/sha256"
	"log/slog"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"hence/internal/fault"
)

// LookEvery is the time between two looks at the journal, for whoever follows it.
const LookEvery = 500 * time.Millisecond

const (
	lookShare        = 10  // looking takes at most 1/lookShare of the time
	maxSubscriptions = 200 // per client
)

// feed notifies clients when a resource that they subscribed to has changed. It
// watches the last entry of the journal, which any process may write, and reads
// the resources again only when there is a new one. A resource has changed if
// its text has, for example because a memory became stale. A confined client
// learns nothing about changes in other namespaces.
type feed struct {
	read   func(ctx context.Context, uri string) (string, error)
	last   func(ctx context.Context) (int64, error)
	notify func(session server.ClientSession, uri string)
	log    *slog.Logger

	mu    sync.Mutex
	subs  map[subscriber]map[string][32]byte // hash of each uri's text
	fresh bool                               // there is a new subscription since the last look
	stop  func()                             // stops the goroutine and waits for it
}

// subscriber is a session, or one of its listening requests.
type subscriber struct {
	session server.ClientSession
	listen  any // the id of the request; nil for the session itself
}

// hooks connect the feed to subscriptions, in both eras of the protocol.
func (f *feed) hooks() *server.Hooks {
	h := &server.Hooks{}
	h.AddAfterSubscribe(func(ctx context.Context, _ any, r *mcp.SubscribeRequest, _ *mcp.EmptyResult) {
		f.add(ctx, subscriber{session: server.ClientSessionFromContext(ctx)}, r.Params.URI)
	})
	h.AddAfterUnsubscribe(func(ctx context.Context, _ any, r *mcp.UnsubscribeRequest, _ *mcp.EmptyResult) {
		f.remove(subscriber{session: server.ClientSessionFromContext(ctx)}, r.Params.URI)
	})
	h.AddOnUnregisterSession(func(_ context.Context, session server.ClientSession) {
		f.removeAll(subscriber{session: session})
	})
	h.AddBeforeSubscriptionsListen(func(ctx context.Context, id any, r *mcp.SubscriptionsListenRequest) {
		who := subscriber{server.ClientSessionFromContext(ctx), id}
		wanted := r.Params.Notifications.ResourceSubscriptions
		for _, uri := range wanted[:min(len(wanted), maxSubscriptions)] {
			f.add(ctx, who, uri)
		}
		context.AfterFunc(ctx, func() { f.removeAll(who) })
	})
	h.AddAfterSubscriptionsListen(func(ctx context.Context, id any, _ *mcp.SubscriptionsListenRequest, _ *mcp.SubscriptionsListenResult) {
		f.removeAll(subscriber{server.ClientSessionFromContext(ctx), id})
	})
	return h
}

func (f *feed) add(ctx context.Context, who subscriber, uri string) {
	if who.session == nil {
		return
	}
	reads := f.fingerprint(ctx, uri)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.subs == nil {
		f.subs = map[subscriber]map[string][32]byte{}
	}
	if f.subs[who] == nil {
		f.subs[who] = map[string][32]byte{}
	}
	if len(f.subs[who]) >= maxSubscriptions {
		f.log.WarnContext(ctx, "a client has too many subscriptions; the last is not kept", "uri", uri)
		return
	}
	f.subs[who][uri] = reads
	f.fresh = true
	if f.stop == nil {
		f.stop = FollowJournal(context.Background(), f.last, f.look)
	}
}

func (f *feed) remove(who subscriber, uri string) {
	f.mu.Lock()
	delete(f.subs[who], uri)
	empty := len(f.subs[who]) == 0
	f.mu.Unlock()
	if empty {
		f.removeAll(who)
	}
}

// removeAll removes a subscriber. Removing the last one stops the goroutine.
func (f *feed) removeAll(who subscriber) {
	f.mu.Lock()
	delete(f.subs, who)
	stop := f.stop
	if len(f.subs) > 0 || stop == nil {
		f.mu.Unlock()
		return
	}
	f.stop = nil
	f.mu.Unlock()
	stop()
}

// FollowJournal asks for the last row of a journal until stop is called or ctx is done,
// every LookEvery or less often, so that asking and f take at most a tenth of the time. It
// calls f after each answer with whether the row is another one than before, as the first
// one is. After an error it asks again. stop waits until f has returned.
func FollowJournal(ctx context.Context, last func(ctx context.Context) (int64, error), f func(ctx context.Context, moved bool)) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var done sync.WaitGroup
	done.Go(func() {
		seen := int64(-1)
		for pause := LookEvery; ; {
			select {
			case <-ctx.Done():
				return
			case <-time.After(pause):
			}
			start := time.Now()
			if row, err := last(ctx); err == nil {
				moved := row != seen
				seen = row
				f(ctx, moved)
			}
			pause = max(LookEvery, lookShare*time.Since(start))
		}
	})
	return func() { cancel(); done.Wait() }
}

// look reads all resources that have subscribers, if they may have changed, and notifies
// the subscribers of those that did.
func (f *feed) look(ctx context.Context, moved bool) {
	f.mu.Lock()
	fresh := f.fresh
	f.fresh = false
	f.mu.Unlock()
	if !moved && !fresh {
		return
	}
	for uri := range f.uris() {
		reads := f.fingerprint(ctx, uri)
		if ctx.Err() != nil {
			return
		}
		changed := []subscriber{} // who have seen another text
		f.mu.Lock()
		for who, subscribed := range f.subs {
			if before, ok := subscribed[uri]; ok && before != reads {
				subscribed[uri] = reads
				changed = append(changed, who)
			}
		}
		f.mu.Unlock()
		for _, who := range changed {
			f.notify(who.session, uri)
		}
	}
}

func (f *feed) uris() map[string]bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := map[string]bool{}
	for _, subscribed := range f.subs {
		for uri := range subscribed {
			all[uri] = true
		}
	}
	return all
}

// fingerprint is a hash of a resource's text, or of the error.
func (f *feed) fingerprint(ctx context.Context, uri string) [32]byte {
	text, err := f.read(ctx, uri)
	return sha256.Sum256([]byte(string(fault.CodeOf(err)) + "\n" + text))
}
