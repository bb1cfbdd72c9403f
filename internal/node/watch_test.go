package node

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"hence/internal/db/remote"
)

func TestWatcherCountsTheSilence(t *testing.T) {
	start := time.Now()
	said := func(state, leader string, silence time.Duration) remote.Contact {
		return remote.Contact{State: state, Leader: leader, Silence: silence}
	}
	for _, c := range []struct {
		name string
		ago  time.Duration // when the node said it
		said remote.Contact
		want time.Duration // since the leader was heard
	}{
		{"Follower", 0, said("Follower", "n2:4002", 300*time.Millisecond), 300 * time.Millisecond},
		{"Leader", time.Second, said("Leader", "n1:4002", 0), time.Second},
		{"CutOff", 2 * time.Second, said("Candidate", "", 20*time.Second), 22 * time.Second},
		{"NeverHeard", 0, said("Candidate", "", -1), time.Hour},
		{"NoLeaderAndNoSilence", 0, said("Follower", "", 0), time.Hour},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := &Watcher{limit: 10 * time.Second, heard: start.Add(-time.Hour)}
			w.note(c.said, start.Add(-c.ago))
			if got := start.Sub(w.heard); got != c.want {
				t.Errorf("heard %v ago, want %v", got, c.want)
			}
			if old := w.Lag().Old; old != (c.want > w.limit) {
				t.Errorf("outdated: %v", old)
			}
		})
	}
}

// A watcher of a node that lost its leader before the watch began warns at once.
func TestWatcherKnowsOfASilenceBeforeIt(t *testing.T) {
	w := &Watcher{limit: 10 * time.Second, heard: time.Now()}
	w.note(remote.Contact{State: "Candidate", Silence: time.Minute}, time.Now())
	if !w.Lag().Old {
		t.Errorf("got %+v", w.Lag())
	}
	began := time.Now()
	w.note(remote.Contact{State: "Follower", Leader: "n2:4002", Silence: time.Second}, began)
	w.note(remote.Contact{State: "Follower", Leader: "n2:4002", Silence: 2 * time.Second}, time.Now())
	if l := w.Lag(); l.Old || l.Silence > time.Second+time.Since(began) {
		t.Errorf("the last word was a second ago: %+v", l)
	}
}

func TestWatcherCountsWhatIsNotCarriedOut(t *testing.T) {
	w := &Watcher{limit: time.Hour, heard: time.Now()}
	w.note(remote.Contact{State: "Follower", Leader: "n2", Applied: 7, Commit: 12}, time.Now())
	if l := w.Lag(); l.Behind != 5 || l.Leads || l.Old || w.Warning() != "" {
		t.Errorf("got %+v, %q", l, w.Warning())
	}
}

// A node that does not answer is treated like one that has lost its leader.
func TestWatcherWarnsOfANodeThatDoesNotAnswer(t *testing.T) {
	stopped := atomic.Bool{}
	contact := func(context.Context) (remote.Contact, error) {
		if stopped.Load() {
			return remote.Contact{}, errors.New("no answer")
		}
		return remote.Contact{State: "Leader", Leader: "n1"}, nil
	}
	w := Watch(t.Context(), contact, time.Minute)
	if said := w.Warning(); said != "" {
		t.Fatalf("at the start: %q", said)
	}
	stopped.Store(true)
	w = Watch(t.Context(), contact, time.Nanosecond)
	if said := w.Warning(); !strings.Contains(said, "has not heard from its cluster for") {
		t.Errorf("it says %q", said)
	}
}
