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
	"sync/atomic"
	"testing"
	"time"

	"hence/internal/db"
)

// OnCluster reports whether New and Empties return the stores of clusters of one node each. They
// do if the environment variable HENCE_TEST_RQLITED is set. It names the program of the nodes, or
// is "fake": then the node is a Fake, whose batches are replayed on two others at the end.
func OnCluster() bool { return findRqlited() != "" }

// Replays reports whether New and Empties return the stores of Fakes, which cannot be asked for
// their state.
func Replays() bool { return findRqlited() == "fake" }

func findRqlited() string { return os.Getenv("HENCE_TEST_RQLITED") }

// SkipOnCluster skips a test if OnCluster, because the test needs a plain file.
func SkipOnCluster(t interface {
	Helper()
	Skip(args ...any)
}, reason string) {
	t.Helper()
	if OnCluster() {
		t.Skip("not on a cluster: " + reason)
	}
}

// SkipUnderRace skips a test beside which nothing runs, so that the race detector has nothing to see.
func SkipUnderRace(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("nothing runs beside it, so that the race detector has nothing to see; make test runs it")
	}
}

// node is a cluster of one node. A test takes one that no other test uses, and returns it.
type node struct {
	path, api string // path of its file, and HOST:PORT
	program   *exec.Cmd
	fake      *Fake // set instead of program if Replays
}

func (n *node) file() string { return n.path }

// name returns the name of the store for db.Open.
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
		err = os.RemoveAll(n.path + "-state") // what an earlier test allowed
	}
	if err == nil {
		d, err = openOwn(n.name(), n.path+"-state")
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

// openFake opens the empty store of a Fake. release replays the batches of the Fake.
func openFake(t TB) (d *db.DB, release func()) {
	ends := &ends{TB: t}
	f := NewFake(ends)
	n := &node{api: f.API(), path: f.File, fake: f}
	err := n.becomeEmpty()
	if err == nil {
		d, err = openOwn(n.name(), n.path+"-state")
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

// adopted is the file of a Fake that has an empty store, nil until there was one.
var adopted atomic.Pointer[[]byte]

// becomeEmpty is clear for a Fake, and copies the file of an earlier one.
func (n *node) becomeEmpty() error {
	if file := adopted.Load(); file != nil {
		return n.fake.reopen(*file)
	}
	if err := n.clear(); err != nil {
		return err
	}
	file := n.fake.start
	adopted.Store(&file)
	return nil
}

// ends is a Cleaner that runs the cleanup functions when run is called.
type ends struct {
	TB
	cleanups []func()
}

func (e *ends) Cleanup(f func())  { e.cleanups = append(e.cleanups, f) }
func (e *ends) Error(args ...any) { e.Fatal(args...) }

func (e *ends) run() {
	for i := len(e.cleanups) - 1; i >= 0; i-- {
		e.cleanups[i]()
	}
}

// takeNode returns an idle node, or starts one.
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

// startNode starts a node, which ends when this process ends.
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
	// The shell kills the node when the pipe from this process closes, which happens however this process ends.
	const guard = `"$0" "$@" >"$HENCE_TEST_LOG" 2>&1 </dev/null & read end; kill -9 $!; rm -rf "$HENCE_TEST_FOLDER"`
	n.program = exec.Command("sh", append([]string{"-c", guard, findRqlited()}, append(args, folder)...)...)
	n.program.Env = append(os.Environ(), "HENCE_TEST_LOG="+filepath.Join(folder, "log"), "HENCE_TEST_FOLDER="+folder)
	if _, err := n.program.StdinPipe(); err != nil {
		return nil, err
	}
	if err := n.program.Start(); err != nil {
		return nil, err
	}
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
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

// clear replaces the store of the cluster by an empty one.
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

// freePorts returns addresses of this machine that are free now.
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

// nodeOf returns the node whose file has the given path, nil if there is none.
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

// Fill writes rows with ids, times and hashes that the engine generates. On a cluster, Write
// refuses such statements, because they differ between nodes, so Fill sends them itself; it may,
// because there is only one node.
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

// run makes the cluster run a script, and waits until the file shows the result. The script runs
// in the name of sqlite3, because the store of a cluster refuses writes without an actor.
func (n *node) run(script string) error {
	d, err := db.Open(context.Background(), n.name(), db.Options{})
	if err != nil {
		return err
	}
	return errors.Join(n.execute(d, []db.Stmt{db.S(script)}), d.Close())
}

// execute sends statements to the cluster unchanged, and waits until its file shows the result.
func (n *node) execute(d *db.DB, statements []db.Stmt) error {
	ctx := context.Background()
	before, err := d.Act(ctx)
	if err != nil {
		return err
	}
	if n.fake != nil {
		n.fake.byHand = true
	}
	batch := [][]any{{`update writer set actor = 'sqlite3', at = ?, batch = batch + 1`, db.Now()}}
	for _, s := range statements {
		batch = append(batch, append([]any{s.SQL}, s.Args...))
	}
	body, err := json.Marshal(append(batch, []any{`update writer set last_at = at, actor = '', at = ''`}))
	if err != nil {
		return err
	}
	status, answer, err := d.Cluster().Ask(ctx, n.api, http.MethodPost, "/db/execute?transaction&noparse&norwrandom&norwtime", body)
	if err != nil {
		return fmt.Errorf("the cluster did not answer: %w", err)
	}
	if status != http.StatusOK || strings.Contains(string(answer), `"error"`) {
		return fmt.Errorf("the cluster refused the statements: HTTP %d: %.500s", status, answer)
	}
	for deadline := time.Now().Add(10 * time.Second); ; {
		if act, err := d.Act(ctx); err == nil && act > before || time.Now().After(deadline) {
			return err
		}
	}
}
