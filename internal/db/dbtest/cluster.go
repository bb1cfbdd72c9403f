package dbtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"hence/internal/db"
)

// OnCluster reports whether New and Empties return the stores of clusters, one node each:
// the variable HENCE_TEST_RQLITED names the program of the nodes. It may be "fake": then
// the node is a Fake, and what each test did is replayed on two others.
func OnCluster() bool { return findRqlited() != "" }

// Replays reports whether stores are those of a node within the test, which replays what
// it was sent and cannot be asked for its state.
func Replays() bool { return findRqlited() == "fake" }

func findRqlited() string { return os.Getenv("HENCE_TEST_RQLITED") }

// SkipOnCluster skips a test whose store is a file of its own, for a reason.
func SkipOnCluster(t interface {
	Helper()
	Skip(args ...any)
}, reason string) {
	t.Helper()
	if OnCluster() {
		t.Skip("not on a cluster: " + reason)
	}
}

// node is a cluster of one node. A test takes one that no other uses, and gives it back.
type node struct {
	path, api string // its file, and HOST:PORT
	program   *exec.Cmd
	fake      *Fake // instead of a program
}

func (n *node) file() string { return n.path }

// name is what db.Open opens.
func (n *node) name() string { return "rqlite:" + n.file() + "?at=" + n.api }

var nodes struct {
	sync.Mutex
	idle []*node
	all  []*node
}

// openNode opens the empty store of a cluster.
func openNode(t TB) (d *db.DB, release func()) {
	t.Helper()
	if Replays() {
		return openFake(t)
	}
	n, err := takeNode()
	if err == nil {
		err = n.clear()
	}
	if err == nil {
		d, err = db.Open(context.Background(), n.name(), db.Options{})
	}
	if err != nil {
		t.Fatal(err)
	}
	return d, func() {
		nodes.Lock()
		defer nodes.Unlock()
		nodes.idle = append(nodes.idle, n)
	}
}

// openFake opens the empty store of a fake, and replays at the end what it was sent.
func openFake(t TB) (d *db.DB, release func()) {
	ends := &ends{TB: t}
	f := NewFake(ends)
	n := &node{api: f.API(), path: f.File, fake: f}
	err := n.clear()
	if err == nil {
		d, err = db.Open(context.Background(), n.name(), db.Options{})
	}
	if err != nil {
		t.Fatal(err)
	}
	nodes.Lock()
	defer nodes.Unlock()
	nodes.all = append(nodes.all, n)
	return d, func() {
		f.Replay(ends)
		ends.run()
	}
}

// ends collects what is to be done at the end.
type ends struct {
	TB
	all []func()
}

func (e *ends) Cleanup(f func())  { e.all = append(e.all, f) }
func (e *ends) Error(args ...any) { e.Fatal(args...) }

func (e *ends) run() {
	for i := len(e.all) - 1; i >= 0; i-- {
		e.all[i]()
	}
}

func takeNode() (*node, error) {
	nodes.Lock()
	if last := len(nodes.idle) - 1; last >= 0 {
		defer nodes.Unlock()
		n := nodes.idle[last]
		nodes.idle = nodes.idle[:last]
		return n, nil
	}
	nodes.Unlock()
	n, err := startNode()
	if err == nil {
		nodes.Lock()
		defer nodes.Unlock()
		nodes.all = append(nodes.all, n)
	}
	return n, err
}

// startNode starts a node, which ends with this process.
func startNode() (*node, error) {
	folder, err := makeFolder()
	if err != nil {
		return nil, err
	}
	ports, err := freePorts(2)
	if err != nil {
		return nil, err
	}
	n := &node{path: filepath.Join(folder, "db.sqlite"), api: ports[0]}
	args := []string{"-node-id=1", "-http-addr=" + n.api, "-raft-addr=" + ports[1], "-fk=true", "-raft-election-timeout=100ms", "-raft-leader-lease-timeout=50ms"}
	if help, _ := exec.Command(findRqlited(), "-help").CombinedOutput(); strings.Contains(string(help), "-raft-heartbeat-timeout") {
		args = append(args, "-raft-heartbeat-timeout=100ms", "-raft-commit-timeout=5ms", "-auto-optimize-int=0h")
	} else {
		args = append(args, "-raft-timeout=100ms")
	}
	// The shell ends the node when the pipe from this process closes, however that ends.
	const guard = `"$0" "$@" >"$HENCE_TEST_LOG" 2>&1 </dev/null & read end; kill -9 $!; rm -rf "$HENCE_TEST_FOLDER"`
	n.program = exec.Command("sh", append([]string{"-c", guard, findRqlited()}, append(args, folder)...)...)
	n.program.Env = append(os.Environ(), "HENCE_TEST_LOG="+filepath.Join(folder, "log"), "HENCE_TEST_FOLDER="+folder)
	if _, err := n.program.StdinPipe(); err != nil {
		return nil, err
	}
	if err := n.program.Start(); err != nil {
		return nil, err
	}
	for until := time.Now().Add(time.Minute); time.Now().Before(until); time.Sleep(10 * time.Millisecond) {
		answer, err := http.Get("http://" + n.api + "/readyz")
		if err != nil {
			continue
		}
		answer.Body.Close()
		if answer.StatusCode == http.StatusOK {
			return n, nil
		}
	}
	log, _ := os.ReadFile(filepath.Join(folder, "log"))
	return nil, fmt.Errorf("the node does not start: %s", log)
}

// clear makes the store empty: the cluster loads a new one.
func (n *node) clear() error {
	empty, err := emptyStore()
	if err != nil {
		return err
	}
	backup := n.path + ".empty"
	if err := os.WriteFile(backup, empty, 0o600); err != nil {
		return err
	}
	return db.Adopt(context.Background(), backup, n.name(), db.Options{})
}

func freePorts(number int) (addresses []string, err error) {
	for range number {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, l.Close()) }()
		addresses = append(addresses, l.Addr().String())
	}
	return addresses, nil
}

// nodeOf is the running node whose file has a path, nil if it is another file.
func nodeOf(path string) *node {
	if !OnCluster() {
		return nil
	}
	nodes.Lock()
	defer nodes.Unlock()
	for _, n := range nodes.all {
		if n.file() == path {
			return n
		}
	}
	return nil
}

// Fill writes rows of which the engine makes up ids, times and hashes. On a cluster no
// batch of Hence may leave these to the nodes; where there is one node they agree.
func Fill(t TB, d *db.DB, statements ...db.Stmt) {
	t.Helper()
	var err error
	if OnCluster() {
		err = nodeOf(d.Path()).execute(d, statements)
	} else {
		_, err = d.Write(context.Background(), "tester", db.Now(), statements...)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// run has the cluster run a script in the name of sqlite3, and waits until the file shows
// it. In nobody's name a cluster's store refuses it.
func (n *node) run(script string) error {
	d, err := db.Open(context.Background(), n.name(), db.Options{})
	if err != nil {
		return err
	}
	return errors.Join(n.execute(d, []db.Stmt{db.S(script)}), d.Close())
}

// execute sends statements to the cluster as they are, and waits until its file shows them.
func (n *node) execute(d *db.DB, statements []db.Stmt) error {
	ctx := context.Background()
	before, err := d.Act(ctx)
	if err != nil {
		return err
	}
	if n.fake != nil {
		n.fake.byHand = true
	}
	all := [][]any{{`update writer set actor = 'sqlite3', at = ?, batch = batch + 1`, db.Now()}}
	for _, s := range statements {
		all = append(all, append([]any{s.SQL}, s.Args...))
	}
	body, err := json.Marshal(append(all, []any{`update writer set last_at = at, actor = '', at = ''`}))
	if err != nil {
		return err
	}
	status, answer, err := d.Cluster().Ask(ctx, n.api, http.MethodPost, "/db/execute?transaction&noparse&norwrandom&norwtime", body)
	if err != nil || status != http.StatusOK || strings.Contains(string(answer), `"error"`) {
		return fmt.Errorf("HTTP %d: %.500s (%v)", status, answer, err)
	}
	for until := time.Now().Add(10 * time.Second); ; {
		if act, err := d.Act(ctx); err == nil && act > before || time.Now().After(until) {
			return err
		}
	}
}
