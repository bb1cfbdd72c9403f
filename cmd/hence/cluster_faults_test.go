package main

import (
	"os"
	"testing"
	"time"

	"hence/internal/node/nodetest"
)

// longestPause is the longest time without an acknowledgement that a killed leader may
// cost.
const longestPause = 5 * time.Second

const agentsEach = 4 // of each server

// often makes nodes take snapshots all the time.
var often = []string{"-raft-snap=300", "-raft-snap-int=1s", "-raft-snap-wal-size=524288"}

// startWorld starts a cluster of three nodes with a server beside each.
func startWorld(t *testing.T, flags ...string) (*nodetest.Cluster, []*webServer) {
	t.Helper()
	c := nodetest.Start(t, 3, flags...)
	servers := []*webServer{}
	for i := range c.Nodes {
		servers = append(servers, serveStore(t, c.Store(i)))
	}
	return c, servers
}

// The leader is killed every five seconds while twelve agents write beside three nodes.
// No acknowledged write is lost, none is there twice, and writing goes on within five
// seconds.
func TestClusterOutlivesKillsOfItsLeader(t *testing.T) {
	t.Parallel() // it waits more than it works
	const every, down = 5 * time.Second, time.Second
	c, servers := startWorld(t, often...)
	h := newHistory()
	stop := crowd(t, h, agentsEach, servers...)
	kills := 0
	for end := time.Now().Add(lasting(t)); time.Now().Before(end); kills++ {
		began := time.Now()
		leader := c.Leader()
		leader.Kill()
		time.Sleep(down)
		leader.Start()
		time.Sleep(max(0, every-time.Since(began)))
	}
	stop()
	t.Logf("the leader was killed %d times", kills)
	if h.longest > longestPause {
		t.Errorf("for %v no write was acknowledged, want at most %v", h.longest, longestPause)
	}
	h.check(t, sameEverywhere(t, c))
}

// Nodes freeze as machines do: a follower, the leader, two of three. What is unknown
// says so, and nothing that was written is said to have been refused.
func TestClusterOutlivesFrozenNodes(t *testing.T) {
	t.Parallel() // it waits more than it works
	c, servers := startWorld(t, often...)
	h := newHistory()
	stop := crowd(t, h, agentsEach, servers...)
	freeze := func(long time.Duration, nodes ...*nodetest.Node) {
		for _, n := range nodes {
			n.Pause()
		}
		time.Sleep(long)
		for _, n := range nodes {
			n.Resume()
		}
		time.Sleep(2 * time.Second)
	}
	// A server beside a frozen node says after 5 seconds that its file does not show a write; one
	// that reaches no quorum gives up after 13.
	one, most := 6*time.Second, 6*time.Second
	if os.Getenv("LONG") != "" {
		one, most = 10*time.Second, 14*time.Second
	}
	rounds := 0
	for end := time.Now().Add(lasting(t)); rounds == 0 || time.Now().Before(end); rounds++ {
		freeze(one, c.Followers()[0])
		freeze(one, c.Leader())
		freeze(14*time.Second, c.Followers()...)
		leader := c.Leader()
		freeze(most, leader, c.Followers()[0])
	}
	stop()
	t.Logf("nodes froze in %d rounds", rounds)
	h.check(t, sameEverywhere(t, c))
	// A write that began late enough is acknowledged when the nodes run again.
	if len(h.unknown)+len(h.refused)+len(h.written) == 0 && h.longest < one {
		t.Error("every write was acknowledged at once, so nothing was put to the test")
	}
}

// Before each node stands a proxy that loses every tenth answer after the write has
// landed. Nothing lands twice, and what landed is not said to have failed.
func TestClusterOutlivesLostAnswers(t *testing.T) {
	t.Parallel() // it waits more than it works
	c := nodetest.Start(t, 3)
	addresses, proxies := []string{}, []*nodetest.Proxy{}
	for _, n := range c.Nodes {
		p := nodetest.Drop(t, n, 10)
		proxies = append(proxies, p)
		addresses = append(addresses, p.Address)
	}
	servers := []*webServer{}
	for i, n := range c.Nodes {
		servers = append(servers, serveStore(t, nodetest.StoreAt(n.File(), addresses[i], addresses[(i+1)%3], addresses[(i+2)%3])))
	}
	h := newHistory()
	stop := crowd(t, h, agentsEach, servers...)
	dropped := func() (n int64) {
		for _, p := range proxies {
			n += p.Dropped.Load()
		}
		return n
	}
	enough := int64(200)
	if lasting(t) < time.Minute {
		enough = 60
	}
	for end := time.Now().Add(2 * time.Minute); dropped() < enough && time.Now().Before(end); {
		time.Sleep(100 * time.Millisecond)
	}
	stop()
	t.Logf("%d answers were lost", dropped())
	if dropped() < 50 {
		t.Errorf("only %d answers were lost: too little was put to the test", dropped())
	}
	// On a busy machine a leader may be late and replaced, and then more is not known than
	// what was lost.
	if unsure := len(h.unknown) + len(h.refused) + len(h.written); int64(unsure) > dropped()/4 {
		t.Errorf("%d of %d lost answers were not made up for", unsure, dropped())
	}
	h.check(t, sameEverywhere(t, c))
}
