// Package nodetest runs clusters for tests: real nodes on this machine, which a test
// can kill, stop, wipe and start again.
package nodetest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"hence/internal/node"
)

// Variable names the environment variable that holds the path of rqlited.
const Variable = "HENCE_TEST_RQLITED"

// patience is how long a busy machine may take for what should take a second or two.
const patience = 90 * time.Second

// Program returns rqlited, or skips the test where HENCE_TEST_RQLITED names none.
func Program(t testing.TB) node.Program {
	t.Helper()
	path := os.Getenv(Variable)
	if path == "" || path == "fake" { // a node within the test, see dbtest
		t.Skip("no " + Variable + " names an rqlited; make test-cluster gets one")
	}
	p, err := node.Find(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Cluster is some nodes.
type Cluster struct {
	Nodes   []*Node
	t       testing.TB
	program node.Program
}

// Node is one node, running or not. Its methods may be called from many goroutines.
type Node struct {
	HTTP    string // host:port
	Raft    string
	Folder  string
	t       testing.TB
	program node.Program
	options node.Options
	said    *tail
	mu      sync.Mutex
	process *exec.Cmd
	ended   chan struct{}
}

// Start starts a cluster of n nodes that goes with the test, and waits until all are
// ready. further are flags of rqlited for each.
func Start(t testing.TB, n int, further ...string) *Cluster {
	t.Helper()
	c := New(t, n, further...)
	for _, one := range c.Nodes {
		one.Start()
	}
	for _, one := range c.Nodes {
		one.AwaitReady()
	}
	return c
}

// New makes the nodes of a cluster without starting them.
func New(t testing.TB, n int, further ...string) *Cluster {
	t.Helper()
	program := Program(t)
	c := &Cluster{t: t, program: program}
	all := []string{}
	// The name of a test may hold characters that rqlited takes for a part of a URI.
	folder, err := os.MkdirTemp("", "hence-cluster-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	for i := range n {
		one := &Node{HTTP: freeAddress(t), Raft: freeAddress(t), Folder: filepath.Join(folder, fmt.Sprint("n", i+1)), t: t, program: program, said: &tail{}}
		all = append(all, one.Raft)
		c.Nodes = append(c.Nodes, one)
	}
	for i, one := range c.Nodes {
		one.options = node.Options{Folder: one.Folder, HTTP: one.HTTP, Raft: one.Raft, ID: fmt.Sprint("n", i+1), Further: further}
		if n > 1 {
			one.options.Nodes = all
		}
	}
	t.Cleanup(func() {
		for _, one := range c.Nodes {
			one.Kill()
		}
		if t.Failed() {
			for i, one := range c.Nodes {
				t.Logf("the last words of node %d:\n%s", i+1, one.said)
			}
		}
	})
	return c
}

// File is the path of the node's file.
func (n *Node) File() string { return filepath.Join(n.Folder, node.File) }

// Store names the store beside the i-th node for --db: that node first, then the others.
func (c *Cluster) Store(i int) string {
	addresses := []string{}
	for j := range c.Nodes {
		addresses = append(addresses, c.Nodes[(i+j)%len(c.Nodes)].HTTP)
	}
	return StoreAt(c.Nodes[i].File(), addresses...)
}

// StoreAt names a store whose file is here and whose nodes are at some addresses.
func StoreAt(file string, addresses ...string) string {
	return "rqlite:" + file + "?at=" + strings.Join(addresses, ",")
}

// Start starts the node, which does not wait until it is ready.
func (n *Node) Start() {
	n.t.Helper()
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.process != nil {
		return
	}
	if len(n.options.Nodes) > 1 && n.hasCutSnapshot() {
		n.t.Log("the node is wiped: it was killed while it wrote a snapshot, and rqlite 8 cannot start from that")
		n.Wipe()
	}
	if err := os.MkdirAll(n.Folder, 0o700); err != nil {
		n.t.Error(err)
		return
	}
	_, err := os.Stat(filepath.Join(n.Folder, "raft.db"))
	arguments, err := n.program.Arguments(n.options, err == nil)
	if err != nil {
		n.t.Error(err)
		return
	}
	cmd := exec.Command(n.program.Path, arguments...)
	cmd.Stdout, cmd.Stderr = n.said, n.said
	cmd.SysProcAttr = dieWithTest()
	if err := cmd.Start(); err != nil {
		n.t.Error(err)
		return
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(ended)
	}()
	n.process, n.ended = cmd, ended
}

// hasCutSnapshot reports whether rqlite was killed while it wrote what a snapshot is.
func (n *Node) hasCutSnapshot() bool {
	metas, _ := filepath.Glob(filepath.Join(n.Folder, "rsnapshots", "*", "meta.json"))
	return slices.ContainsFunc(metas, func(meta string) bool {
		info, err := os.Stat(meta)
		return err == nil && info.Size() == 0
	})
}

// Signal sends a signal to a running node.
func (n *Node) Signal(s os.Signal) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.process != nil {
		_ = n.process.Process.Signal(s)
	}
}

// Kill ends the node at once, as kill -9 does, and waits until it is gone.
func (n *Node) Kill() { n.end(syscall.SIGKILL) }

// Stop ends the node in good order.
func (n *Node) Stop() { n.end(syscall.SIGTERM) }

func (n *Node) end(s syscall.Signal) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.process == nil {
		return
	}
	_ = n.process.Process.Signal(s)
	select {
	case <-n.ended:
	case <-time.After(patience):
		n.t.Error("a node did not end")
		_ = n.process.Process.Kill()
		<-n.ended
	}
	n.process = nil
}

// Wipe removes what a node that does not run has stored.
func (n *Node) Wipe() {
	// A reader that is just opening the file makes others beside it.
	for end := time.Now().Add(patience); ; {
		err := os.RemoveAll(n.Folder)
		if err == nil {
			return
		}
		if time.Now().After(end) {
			n.t.Error(err)
			return
		}
	}
}

// Act is the number of the last transaction of the store in the node's own file, as the
// node says; -1 if it does not say it.
func (n *Node) Act(ctx context.Context) int64 {
	ctx, end := context.WithTimeout(ctx, time.Second)
	defer end()
	raw, err := n.Get(ctx, "/db/query?level=none&q=select%20batch%20from%20writer")
	var said struct {
		Results []struct{ Values [][]int64 }
	}
	if err != nil || json.Unmarshal(raw, &said) != nil || len(said.Results) == 0 || len(said.Results[0].Values) == 0 {
		return -1
	}
	return said.Results[0].Values[0][0]
}

// Ready reports whether the node serves its cluster.
func (n *Node) Ready() bool {
	ctx, end := context.WithTimeout(context.Background(), 2*time.Second)
	defer end()
	_, err := n.Get(ctx, "/readyz")
	return err == nil
}

// AwaitReady waits until the node serves its cluster.
func (n *Node) AwaitReady() {
	n.t.Helper()
	for end := time.Now().Add(patience); !n.Ready(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			n.t.Fatalf("the node at %s is not ready; it said\n%s", n.HTTP, n.said)
		}
	}
}

var client = &http.Client{}

// Get asks the node's own interface, and fails unless it answers 200.
func (n *Node) Get(ctx context.Context, path string) ([]byte, error) {
	return n.ask(ctx, http.MethodGet, path, nil)
}

// Post sends a body to the node's own interface, and fails unless it answers 200.
func (n *Node) Post(ctx context.Context, path, kind string, body []byte) ([]byte, error) {
	return n.ask(ctx, http.MethodPost, path, body, kind)
}

func (n *Node) ask(ctx context.Context, method, path string, body []byte, kind ...string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, method, "http://"+n.HTTP+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	for _, k := range kind {
		request.Header.Set("Content-Type", k)
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s: %.200s", path, response.Status, answer)
	}
	return answer, err
}

// Leader returns the node that leads, as one of them says, and waits for one.
func (c *Cluster) Leader() *Node {
	c.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if n := c.leader(); n != nil {
			return n
		}
	}
	c.t.Fatal("no node leads")
	return nil
}

func (c *Cluster) leader() *Node {
	for _, n := range c.Nodes {
		ctx, end := context.WithTimeout(context.Background(), time.Second)
		raw, err := n.Get(ctx, "/status?key=store.raft.state")
		end()
		// A frozen leader does not answer, and one that has been replaced may take a
		// moment to see it.
		var state string
		if err == nil && json.Unmarshal(raw, &state) == nil && state == "Leader" {
			return n
		}
	}
	return nil
}

// Followers are the nodes that do not lead.
func (c *Cluster) Followers() (all []*Node) {
	leader := c.Leader()
	for _, n := range c.Nodes {
		if n != leader {
			all = append(all, n)
		}
	}
	return all
}

// freeAddress returns an address of this machine that is free now, with a port that
// outgoing connections do not take by themselves.
func freeAddress(t testing.TB) string {
	t.Helper()
	const first, many = 20_000, 10_000
	for range 200 {
		address := fmt.Sprint("127.0.0.1:", first+rand.IntN(many))
		l, err := net.Listen("tcp", address)
		if err != nil {
			continue
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		return address
	}
	t.Fatal(errors.New("no port is free"))
	return ""
}

// tail keeps the end of what a program says.
type tail struct {
	mu   sync.Mutex
	kept []byte
}

const longestTail = 8 << 10 // bytes

func (w *tail) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.kept = append(w.kept, b...)
	if over := len(w.kept) - longestTail; over > 0 {
		w.kept = append([]byte{}, w.kept[over:]...)
	}
	return len(b), nil
}

func (w *tail) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return string(w.kept)
}
