package db_test

import (
	"bufio"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
)

// nodeOf is the variable with which TestAReaderSeesWhatANodeWritesThatKeptItsFile starts this
// program again.
const nodeOf = "HENCE_TEST_NODE_OF"

// A node of rqlite 10 may keep its file when it restarts, but recreates the log and its index. The
// engine shares one index among all connections of a process to a file, so connections that are
// opened while others are open would use the deleted index.
func TestAReaderSeesWhatANodeWritesThatKeptItsFile(t *testing.T) {
	if path := os.Getenv(nodeOf); path != "" {
		actAsNode(t, path)
		return
	}
	if runtime.GOOS == "windows" {
		t.Skip("files that are open cannot be removed")
	}
	path := filepath.Join(t.TempDir(), "db.sqlite")
	plain, err := db.Open(t.Context(), path, db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := plain.Close(); err != nil {
		t.Fatal(err)
	}
	dbtest.Script(t, path, `insert into home (only_row, cluster) values (1, 'a cluster')`)

	n := startNode(t, path)
	n.run(`create table counted (n integer)`)
	n.run(`insert into counted values (1)`)
	n.run(`pragma wal_checkpoint(truncate)`)
	d, err := db.Open(t.Context(), "rqlite:"+path+"?at=127.0.0.1:1", db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()

	// A read runs while the node is killed and restarted.
	reading, mayEnd, ended := make(chan bool), make(chan bool), make(chan error, 1)
	end := sync.OnceFunc(func() { close(mayEnd) })
	defer end() // before the store is closed, which waits for it
	go func() {
		ended <- d.Read(t.Context(), func(*db.Reader) error {
			close(reading)
			<-mayEnd
			return nil
		})
	}()
	<-reading
	n.kill()
	for _, suffix := range []string{"-wal", "-shm"} {
		if err := os.Remove(path + suffix); err != nil {
			t.Fatal(err)
		}
	}
	n = startNode(t, path)
	n.run(`insert into counted values (2)`)

	second := make(chan string, 1)
	go func() {
		number, _, err := db.One[int](t.Context(), d, `select count(*) from counted`)
		second <- fmt.Sprint(number, err)
	}()
	got := ""
	select {
	case got = <-second:
	case <-time.After(300 * time.Millisecond): // it waits for the first one
	}
	end()
	if err := <-ended; fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("the read whose files were replaced: %v", err)
	}
	if got == "" {
		got = <-second
	}
	if got != "2 <nil>" {
		t.Errorf("the read that began after the start sees %s rows, want 2", got)
	}
	n.run(`insert into counted values (3)`)
	if rows := dbtest.Count(t, d, `select count(*) from counted`); rows != 3 {
		t.Errorf("a later read sees %d rows, want 3", rows)
	}
}

// node is another process, which has a file open as a node does.
type node struct {
	t       *testing.T
	program *exec.Cmd
	in      *bufio.Writer
	out     *bufio.Reader
}

func startNode(t *testing.T, path string) *node {
	t.Helper()
	n := &node{t: t, program: exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")}
	n.program.Env = append(os.Environ(), nodeOf+"="+path)
	n.program.Stderr = os.Stderr
	in, err := n.program.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := n.program.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := n.program.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(n.kill)
	n.in, n.out = bufio.NewWriter(in), bufio.NewReader(out)
	return n
}

// run makes the node run a statement of one line.
func (n *node) run(statement string) {
	n.t.Helper()
	fmt.Fprintln(n.in, statement)
	if err := n.in.Flush(); err != nil {
		n.t.Fatal(err)
	}
	if said, err := n.out.ReadString('\n'); err != nil || said != "done\n" {
		n.t.Fatalf("%s: %s, %v", statement, strings.TrimSpace(said), err)
	}
}

func (n *node) kill() {
	_ = n.program.Process.Kill()
	_ = n.program.Wait()
}

func actAsNode(t *testing.T, path string) {
	engine, err := sql.Open("sqlite3", "file:"+path+"?_journal_mode=wal&_synchronous=off&_busy_timeout=10000")
	if err != nil {
		t.Fatal(err)
	}
	engine.SetMaxOpenConns(1)
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		if _, err := engine.Exec(lines.Text()); err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println("done")
	}
}
