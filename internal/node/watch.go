package node

import (
	"context"
	"sync"
	"time"

	"hence/internal/db/remote"
	"hence/internal/pause"
)

// Watcher tracks when the node beside this process last heard from its leader, and so how
// outdated the node's file may be.
type Watcher struct {
	limit    time.Duration
	mu       sync.Mutex
	heard    time.Time      // when the node last heard from its leader; until hasHeard, the start of the watch
	hasHeard bool           // the node has reported when it heard from its leader
	last     remote.Contact // the last report of the node
}

// asksPerLimit is how often the watcher asks the node within Watcher.limit.
const asksPerLimit = 5

// Watch returns a watcher of the node beside this process, which contact asks and which runs until ctx is done. The
// node's file counts as outdated if the node has not heard from its leader for limit.
func Watch(ctx context.Context, contact func(context.Context) (remote.Contact, error), limit time.Duration) *Watcher {
	w := &Watcher{limit: limit, heard: time.Now()}
	ask := func() {
		if report, err := contact(ctx); err == nil {
			w.note(report, time.Now())
		}
	}
	ask()
	go func() {
		for pause.For(ctx, max(limit/asksPerLimit, 10*time.Millisecond)) == nil {
			ask()
		}
	}()
	return w
}

// note records a report of the node. A report of a node that does not know when it heard from
// a leader, as after its start, does not change heard.
func (w *Watcher) note(report remote.Contact, now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last = report
	if report.Silence < 0 || report.Leader == "" && report.Silence == 0 {
		return
	}
	if heard := now.Add(-report.Silence); heard.After(w.heard) || !w.hasHeard {
		w.heard, w.hasHeard = heard, true
	}
}

// Lag says how far behind the cluster a node may be.
type Lag struct {
	Silence time.Duration // time since the node heard from its leader
	Behind  uint64        // number of committed log entries that the node has not applied
	Leads   bool          // the node is the leader
	Old     bool          // Silence is over the limit
}

// Lag returns how far behind the node may be now, from its last report.
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

// Warning returns a warning that data read from the node's file may be outdated, "" if it is
// not.
func (w *Watcher) Warning() string {
	l := w.Lag()
	if !l.Old {
		return ""
	}
	return "this may be outdated: the store's node has not heard from its cluster for " + l.Silence.Round(time.Second).String()
}
