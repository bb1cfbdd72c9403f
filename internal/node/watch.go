package node

import (
	"context"
	"sync"
	"time"

	"hence/internal/db/remote"
)

// Watcher knows since when the node beside this process has not heard of its leader, so
// how old what is read from the node's file may be.
type Watcher struct {
	limit time.Duration
	mu    sync.Mutex
	heard time.Time      // when the node heard of its leader last; until it has said so, when the watch began
	said  bool           // the node has said so
	last  remote.Contact // what the node said last
}

// asks is how often a node is asked within the time after which its file counts as
// outdated.
const asks = 5

// Watch watches the node beside this process until ctx is done. After limit without
// word from the leader its file counts as outdated.
func Watch(ctx context.Context, c *remote.Client, limit time.Duration) *Watcher {
	return watchNode(ctx, c.Contact, limit)
}

func watchNode(ctx context.Context, contact func(context.Context) (remote.Contact, error), limit time.Duration) *Watcher {
	w := &Watcher{limit: limit, heard: time.Now()}
	look := func() {
		if said, err := contact(ctx); err == nil {
			w.note(said, time.Now())
		}
	}
	look()
	go func() {
		tick := time.NewTicker(max(limit/asks, 10*time.Millisecond))
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				look()
			}
		}
	}()
	return w
}

// note takes in what the node said at a time. A node that does not know when it heard of
// a leader, as after its start, changes nothing.
func (w *Watcher) note(said remote.Contact, now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last = said
	if said.Silence < 0 || said.Leader == "" && said.Silence == 0 {
		return
	}
	if heard := now.Add(-said.Silence); heard.After(w.heard) || !w.said {
		w.heard, w.said = heard, true
	}
}

// Lag is how far behind a node may be.
type Lag struct {
	Silence time.Duration // since the node heard of its leader
	Behind  uint64        // entries of the log that the node knows of and has not carried out
	Leads   bool          // the node is the leader
	Old     bool          // the silence is over the limit
}

// Lag returns how far behind the node may be now. It asks nobody.
func (w *Watcher) Lag() Lag {
	w.mu.Lock()
	defer w.mu.Unlock()
	l := Lag{Silence: time.Since(w.heard), Leads: w.last.State == "Leader"}
	if w.last.Commit > w.last.Applied {
		l.Behind = w.last.Commit - w.last.Applied
	}
	l.Old = l.Silence > w.limit
	return l
}

// Warning says why what is read may be outdated, "" if it is not.
func (w *Watcher) Warning() string {
	l := w.Lag()
	if !l.Old {
		return ""
	}
	return "this may be outdated: the store's node has not heard of its cluster for " + l.Silence.Round(time.Second).String()
}
