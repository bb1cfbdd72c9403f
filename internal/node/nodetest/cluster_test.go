package nodetest_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"hence/internal/node/nodetest"
)

const create = `["create table t (id integer primary key, text text unique)"]`

// rows returns the number of rows in the node's own file.
func rows(t *testing.T, n *nodetest.Node) string {
	t.Helper()
	answer, err := n.Get(t.Context(), "/db/query?level=none&q=select%20'n='%7C%7Ccount(*)%20as%20c%20from%20t")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(answer), "n=")
	count, _, _ := strings.Cut(rest, `"`)
	return count
}

// write writes a text once. One whose answer is late may land all the same, and is sent again.
func write(t *testing.T, n *nodetest.Node, text string) {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		answer, err := n.Post(ctx, "/db/execute?transaction", "application/json", []byte(fmt.Sprintf(`[["insert into t (text) values (?) on conflict do nothing", %q]]`, text)))
		cancel()
		// The status is 200 even if the statement fails.
		if err == nil && !strings.Contains(string(answer), `"error"`) {
			return
		}
		if time.Now().After(end) {
			t.Fatal(err, string(answer))
		}
	}
}

// A cluster continues when its leader is killed or paused, and a wiped node can join again.
func TestClusterOutlivesItsNodes(t *testing.T) {
	c := nodetest.Start(t, 3)
	if _, err := c.Leader().Post(t.Context(), "/db/execute", "application/json", []byte(create)); err != nil {
		t.Fatal(err)
	}
	others := func(gone *nodetest.Node) *nodetest.Node {
		for _, n := range c.Nodes {
			if n != gone {
				return n
			}
		}
		return nil
	}
	for _, c1 := range []struct {
		name     string
		gone, by func(n *nodetest.Node)
	}{
		{"killed", (*nodetest.Node).Kill, (*nodetest.Node).Start},
		{"stopped", (*nodetest.Node).Stop, (*nodetest.Node).Start},
		{"paused", (*nodetest.Node).Pause, (*nodetest.Node).Resume},
		{"down while all start with the flags that they began with", func(gone *nodetest.Node) {
			for _, n := range c.Nodes {
				n.Stop()
			}
			for _, n := range c.Nodes {
				if n != gone {
					n.Start()
				}
			}
		}, (*nodetest.Node).Start},
		{"wiped", func(n *nodetest.Node) { n.Kill(); n.Wipe() }, (*nodetest.Node).Start},
	} {
		leader := c.Leader()
		c1.gone(leader)
		write(t, others(leader), c1.name)
		c1.by(leader)
		leader.AwaitReady()
	}
	for i, n := range c.Nodes {
		for end := time.Now().Add(time.Minute); rows(t, n) != "5"; time.Sleep(20 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("node %d has %s rows, want 5", i+1, rows(t, n))
			}
		}
	}
}
