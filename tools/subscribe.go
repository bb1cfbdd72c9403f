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
	"hence/internal/pause"
)

// LookEvery is the shortest time between two reads of the journal by FollowJournal.
const LookEvery = 500 * time.Millisecond

const (
	lookShare        = 10  // reading and reacting take at most 1/lookShare of the time
	maxSubscriptions = 200 // per client
)

// feed notifies clients when a resource that they subscribed to has changed. It polls the
// last row of the journal, because any process may write to the store, and reads the
// resources again only when that row is new. A resource has changed if its text has, for
// example because a memory became stale. A confined client learns nothing about changes in
// other namespaces.
type feed struct {
	open   func(ctx context.Context, uri string) (text string, result any, err error)
	last   func(ctx context.Context) (int64, error)
	notify func(session server.ClientSession, uri string)
	log    *slog.Logger

	mu    sync.Mutex
	subs  map[subscriber]map[string][32]byte // hash of each uri's text
	fresh bool                               // a subscription was added since the last look
	stop  func()                             // stops the goroutine and waits for it
}

// subscriber is a session, or one request of it that listens (subscriptions/listen).
type subscriber struct {
	session server.ClientSession
	listen  any // the id of the request; nil for the session itself
}

// hooks returns the hooks that add and remove subscribers: by resources/subscribe in older
// versions of the protocol, by subscriptions/listen in newer ones.
func (f *feed) hooks() *server.Hooks {
	h := &server.Hooks{}
	h.AddAfterDiscover(func(_ context.Context, _ any, _ *mcp.DiscoverRequest, r *mcp.DiscoverResult) {
		r.Capabilities.Logging = nil // deprecated in the versions that discover
	})
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
		sub := subscriber{server.ClientSessionFromContext(ctx), id}
		wanted := r.Params.Notifications.ResourceSubscriptions
		for _, uri := range wanted[:min(len(wanted), maxSubscriptions)] {
			f.add(ctx, sub, uri)
		}
		context.AfterFunc(ctx, func() { f.removeAll(sub) })
	})
	h.AddAfterSubscriptionsListen(func(ctx context.Context, id any, _ *mcp.SubscriptionsListenRequest, _ *mcp.SubscriptionsListenResult) {
		f.removeAll(subscriber{server.ClientSessionFromContext(ctx), id})
	})
	return h
}

// add subscribes sub to a resource. A subscription beyond maxSubscriptions is ignored.
func (f *feed) add(ctx context.Context, sub subscriber, uri string) {
	if sub.session == nil {
		return
	}
	hash := f.fingerprint(ctx, uri)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.subs == nil {
		f.subs = map[subscriber]map[string][32]byte{}
	}
	if f.subs[sub] == nil {
		f.subs[sub] = map[string][32]byte{}
	}
	if len(f.subs[sub]) >= maxSubscriptions {
		f.log.WarnContext(ctx, "a subscription is ignored: its client has too many", "uri", uri)
		return
	}
	f.subs[sub][uri] = hash
	f.fresh = true
	if f.stop == nil {
		f.stop = FollowJournal(context.Background(), f.last, f.look)
	}
}

func (f *feed) remove(sub subscriber, uri string) {
	f.mu.Lock()
	delete(f.subs[sub], uri)
	empty := len(f.subs[sub]) == 0
	f.mu.Unlock()
	if empty {
		f.removeAll(sub)
	}
}

// removeAll removes a subscriber. Removing the last one stops the goroutine.
func (f *feed) removeAll(sub subscriber) {
	f.mu.Lock()
	delete(f.subs, sub)
	stop := f.stop
	if len(f.subs) > 0 || stop == nil {
		f.mu.Unlock()
		return
	}
	f.stop = nil
	f.mu.Unlock()
	stop()
}

// FollowJournal polls the last row of a journal in the background, until stop is called or
// ctx is done. It calls f after each poll; moved reports whether the row differs from the
// previous poll's, and is true for the first. It skips f after a poll that failed.
// FollowJournal pauses for LookEvery between polls, or longer if needed so that last and f
// take at most a tenth of the time. stop waits until f has returned.
func FollowJournal(ctx context.Context, last func(ctx context.Context) (int64, error), f func(ctx context.Context, moved bool)) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var done sync.WaitGroup
	done.Go(func() {
		previous := int64(-1)
		for next := LookEvery; pause.For(ctx, next) == nil; {
			start := time.Now()
			if row, err := last(ctx); err == nil {
				moved := row != previous
				previous = row
				f(ctx, moved)
			}
			next = max(LookEvery, lookShare*time.Since(start))
		}
	})
	return func() { cancel(); done.Wait() }
}

// look reads all resources that have subscribers and notifies the subscribers whose
// resource has changed. It reads nothing if neither the journal has moved nor a subscription
// was added.
func (f *feed) look(ctx context.Context, moved bool) {
	f.mu.Lock()
	fresh, uris := f.fresh, map[string]bool{}
	f.fresh = false
	for _, subscribed := range f.subs {
		for uri := range subscribed {
			uris[uri] = true
		}
	}
	f.mu.Unlock()
	if !moved && !fresh {
		return
	}
	for uri := range uris {
		hash := f.fingerprint(ctx, uri)
		if ctx.Err() != nil {
			return
		}
		changed := []subscriber{}
		f.mu.Lock()
		for sub, subscribed := range f.subs {
			if before, ok := subscribed[uri]; ok && before != hash {
				subscribed[uri] = hash
				changed = append(changed, sub)
			}
		}
		f.mu.Unlock()
		for _, sub := range changed {
			f.notify(sub.session, uri)
		}
	}
}

// fingerprint returns a hash of a resource's text and of the code of the error of reading it.
func (f *feed) fingerprint(ctx context.Context, uri string) [32]byte {
	text, _, err := f.open(ctx, uri)
	return sha256.Sum256([]byte(string(fault.CodeOf(err)) + "\n" + text))
}
