// Package nodetest runs clusters for tests: real nodes on this machine, which a test can kill,
// stop, wipe and restart.
package nodetest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Variable is the name of the environment variable with the path of rqlited.
const Variable = "HENCE_TEST_RQLITED"

// operationTimeout is how long a busy machine may take for an operation of a second or two.
const operationTimeout = 90 * time.Second

// program is an rqlited of this machine, and the names of the flags that it knows.
type program struct {
	path  string
	flags map[string]bool
}

// findProgram returns rqlited, or skips the test if HENCE_TEST_RQLITED names none.
func findProgram(t testing.TB) program {
	t.Helper()
	path := os.Getenv(Variable)
	if path == "" || path == "fake" { // a node within the test process, see dbtest
		t.Skip("no " + Variable + " names an rqlited; make test-cluster gets one")
	}
	p := program{path, map[string]bool{}}
	help, _ := exec.CommandContext(t.Context(), path, "-help").CombinedOutput() // some versions exit with 2
	for _, line := range flagLine.FindAllStringSubmatch(string(help), -1) {
		p.flags[line[1]] = true
	}
	if !p.flags["fk"] {
		t.Fatalf("%s is not rqlited: %.200s", path, help)
	}
	return p
}

// flagLine matches the line of a flag in the help of rqlited.
var flagLine = regexp.MustCompile(`(?m)^ +--?([a-z][a-z0-9-]*)`)

// arguments returns the arguments of rqlited that docs/cluster.md gives, without the flags that it
// does not know. They are the same at each start of a node.
func (n *Node) arguments() (words []string) {
	for _, flag := range []string{"fk=true", "raft-commit-timeout=5ms", "auto-optimize-int=0h", "raft-snap-int=2s"} {
		if name, _, _ := strings.Cut(flag, "="); n.program.flags[name] {
			words = append(words, "-"+flag)
		}
	}
	words = append(words, "-node-id="+n.id, "-http-addr="+n.HTTP, "-raft-addr="+n.Raft)
	if len(n.nodes) > 1 {
		words = append(words, "-join="+strings.Join(n.nodes, ","), fmt.Sprint("-bootstrap-expect=", len(n.nodes)))
	}
	return append(append(words, n.further...), n.Folder)
}

// Cluster is a cluster of nodes on this machine.
type Cluster struct {
	Nodes   []*Node
	t       testing.TB
	program program
}

// Node is one node, running or not. Its methods may be called from many goroutines.
type Node struct {
	HTTP    string // host:port
	Raft    string
	Folder  string
	t       testing.TB
	program program
	id      string
	nodes   []string // addresses for nodes of all
	further []string // flags
	output  *tail
	mu      sync.Mutex
	process *exec.Cmd     // nil if the node is not running
	ended   chan struct{} // closed when the process has ended
}

// Start starts a cluster of n nodes, which is removed when the test ends, and waits until all
// are ready. flags are further flags of rqlited for each node.
func Start(t testing.TB, n int, flags ...string) *Cluster {
	t.Helper()
	c := New(t, n, flags...)
	for _, added := range c.Nodes {
		added.Start()
	}
	for _, added := range c.Nodes {
		added.AwaitReady()
	}
	return c
}

// New returns a cluster whose nodes are not started yet.
func New(t testing.TB, n int, flags ...string) *Cluster {
	t.Helper()
	program := findProgram(t)
	c := &Cluster{t: t, program: program}
	raftAddresses := []string{}
	// t.TempDir has the name of the test; rqlited would parse some of its characters as a URI.
	folder, err := os.MkdirTemp("", "hence-cluster-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	for i := range n {
		added := &Node{HTTP: freeAddress(t), Raft: freeAddress(t), Folder: filepath.Join(folder, fmt.Sprint("n", i+1)), t: t, program: program, output: &tail{}}
		raftAddresses = append(raftAddresses, added.Raft)
		c.Nodes = append(c.Nodes, added)
	}
	for i, added := range c.Nodes {
		added.id, added.nodes, added.further = fmt.Sprint("n", i+1), raftAddresses, flags
	}
	t.Cleanup(func() {
		for _, added := range c.Nodes {
			added.Kill()
		}
		if t.Failed() {
			for i, added := range c.Nodes {
				t.Logf("the last output of node %d:\n%s", i+1, added.output)
			}
		}
	})
	return c
}

// File returns the path of the node's store.
func (n *Node) File() string { return filepath.Join(n.Folder, "db.sqlite") }

// Store returns the value of --db for a process beside the i-th node: that node's address comes
// first, then the others.
func (c *Cluster) Store(i int) string {
	addresses := []string{}
	for j := range c.Nodes {
		addresses = append(addresses, c.Nodes[(i+j)%len(c.Nodes)].HTTP)
	}
	return StoreAt(c.Nodes[i].File(), addresses...)
}

// StoreAt returns the value of --db for a file of this machine and the addresses of nodes.
func StoreAt(file string, addresses ...string) string {
	return "rqlite:" + file + "?at=" + strings.Join(addresses, ",")
}

// Start starts the node, without waiting until it is ready. It does nothing if the node runs.
func (n *Node) Start() {
	n.t.Helper()
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.process != nil {
		return
	}
	if len(n.nodes) > 1 && n.hasCutSnapshot() {
		n.t.Log("the node is wiped: it was killed while it wrote a snapshot, and rqlite 8 cannot start from that")
		n.Wipe()
	}
	if err := os.MkdirAll(n.Folder, 0o700); err != nil {
		n.t.Error(err)
		return
	}
	cmd := exec.Command(n.program.path, n.arguments()...)
	cmd.Stdout, cmd.Stderr = n.output, n.output
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

// hasCutSnapshot reports whether rqlite was killed while it wrote the description of a snapshot,
// or between the snapshot and that.
func (n *Node) hasCutSnapshot() bool {
	folders, _ := filepath.Glob(filepath.Join(n.Folder, "rsnapshots", "*"))
	return slices.ContainsFunc(folders, func(folder string) bool {
		info, err := os.Stat(filepath.Join(folder, "meta.json"))
		return err == nil && info.Size() == 0 || errors.Is(err, fs.ErrNotExist) && filepath.Ext(folder) != ".tmp" // which rqlite removes itself
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

// Kill ends the node at once, as kill -9 does, and waits until it has ended.
func (n *Node) Kill() { n.end(syscall.SIGKILL) }

// Stop lets the node shut down, and waits until it has ended.
func (n *Node) Stop() { n.end(syscall.SIGTERM) }

// end sends a signal to a running node, and waits until it has ended. If it has not ended after
// operationTimeout, end fails the test and kills the node.
func (n *Node) end(s syscall.Signal) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.process == nil {
		return
	}
	_ = n.process.Process.Signal(s)
	select {
	case <-n.ended:
	case <-time.After(operationTimeout):
		n.t.Error("a node did not end")
		_ = n.process.Process.Kill()
		<-n.ended
	}
	n.process = nil
}

// Wipe removes the folder of a node that does not run.
func (n *Node) Wipe() {
	// The first try may fail: a reader that is just opening the store creates files beside it.
	for end := time.Now().Add(operationTimeout); ; {
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

// Act returns the number of the last transaction in the node's own file, as the node reports
// it; -1 if it does not.
func (n *Node) Act(ctx context.Context) int64 {
	ctx, end := context.WithTimeout(ctx, time.Second)
	defer end()
	raw, err := n.Get(ctx, "/db/query?level=none&q=select%20batch%20from%20writer")
	var output struct {
		Results []struct{ Values [][]int64 }
	}
	if err != nil || json.Unmarshal(raw, &output) != nil || len(output.Results) == 0 || len(output.Results[0].Values) == 0 {
		return -1
	}
	return output.Results[0].Values[0][0]
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
	for end := time.Now().Add(operationTimeout); !n.Ready(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			n.t.Fatalf("the node at %s is not ready; its output is\n%s", n.HTTP, n.output)
		}
	}
}

var client = &http.Client{}

// Get sends a GET request to the node, and fails unless the status is 200.
func (n *Node) Get(ctx context.Context, path string) ([]byte, error) {
	return n.ask(ctx, http.MethodGet, path, nil)
}

// Post sends a POST request to the node, and fails unless the status is 200. kind is the
// Content-Type.
func (n *Node) Post(ctx context.Context, path, kind string, body []byte) ([]byte, error) {
	return n.ask(ctx, http.MethodPost, path, body, kind)
}

// ask sends a request to the node and returns the body of the answer.
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

// Leader returns the node that reports to be the leader, and waits until there is one.
func (c *Cluster) Leader() *Node {
	c.t.Helper()
	for end := time.Now().Add(operationTimeout); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if n := c.leader(); n != nil {
			return n
		}
	}
	c.t.Fatal("no node leads")
	return nil
}

// leader returns the node that reports to be the leader, nil if none does.
func (c *Cluster) leader() *Node {
	for _, n := range c.Nodes {
		ctx, end := context.WithTimeout(context.Background(), time.Second)
		raw, err := n.Get(ctx, "/status?key=store.raft.state")
		end()
		// A paused leader does not answer. A replaced leader may report to be the leader
		// for a moment.
		var state string
		if err == nil && json.Unmarshal(raw, &state) == nil && state == "Leader" {
			return n
		}
	}
	return nil
}

// Followers returns the nodes other than the leader.
func (c *Cluster) Followers() (followers []*Node) {
	leader := c.Leader()
	for _, n := range c.Nodes {
		if n != leader {
			followers = append(followers, n)
		}
	}
	return followers
}

// givenAddresses are those that freeAddress has returned. The first node of a cluster starts when all have their addresses.
var givenAddresses sync.Map

// freeAddress returns an address of this machine that is free now, another one each time, with a port outside
// the range that the system uses for outgoing connections.
func freeAddress(t testing.TB) string {
	t.Helper()
	const first, count = 20_000, 10_000
	for range 200 {
		address := fmt.Sprint("127.0.0.1:", first+rand.IntN(count))
		l, err := net.Listen("tcp", address)
		if err != nil {
			continue
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		if _, isGiven := givenAddresses.LoadOrStore(address, true); isGiven {
			continue
		}
		return address
	}
	t.Fatal(errors.New("no port is free"))
	return ""
}

// tail is a writer that keeps the last maxTail bytes.
type tail struct {
	mu        sync.Mutex
	lastBytes []byte
}

const maxTail = 8 << 10

func (w *tail) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lastBytes = append(w.lastBytes, b...)
	if excess := len(w.lastBytes) - maxTail; excess > 0 {
		w.lastBytes = append([]byte{}, w.lastBytes[excess:]...)
	}
	return len(b), nil
}

func (w *tail) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return string(w.lastBytes)
}
