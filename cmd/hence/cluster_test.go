package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/internal/node"
	"hence/internal/node/nodetest"
)

// runHence runs the program on a store and returns what it prints, and what it says besides.
func runHence(t *testing.T, store string, words ...string) (out, said string, code int) {
	t.Helper()
	cmd := exec.Command(program(t), append(words, "--db", store)...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	var exit *exec.ExitError
	if err := cmd.Run(); errors.As(err, &exit) {
		code = exit.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	return stdout.String(), stderr.String(), code
}

// done is runHence for a command that must succeed.
func done(t *testing.T, store string, words ...string) string {
	t.Helper()
	out, said, code := runHence(t, store, words...)
	if code != 0 {
		t.Fatalf("hence %q exits with %d: %s", words, code, said)
	}
	return out
}

// A person moves a store into a cluster, looks at it, backs it up, and moves a namespace
// on to another cluster.
func TestClusterOfAPerson(t *testing.T) {
	c := nodetest.Start(t, 3)
	store, folder := c.Store(0), dbtest.Folder(t)
	plain := filepath.Join(folder, "plain.db")
	done(t, plain, "store", "The queue drains in an hour", "--title", "Drain time", "--namespace", "team")
	done(t, plain, "store", "A rule of another group", "--namespace", "private")
	lines := done(t, plain, "export")

	if _, said, code := runHence(t, plain, "cluster", "status"); code != 2 || !strings.Contains(said, "plain file") {
		t.Errorf("the status of a plain file exits with %d: %s", code, said)
	}
	done(t, store, "cluster", "import", plain)
	if _, said, code := runHence(t, store, "cluster", "import", plain); code != 4 || !strings.Contains(said, "--replace") {
		t.Errorf("a cluster that holds memories was filled again, %d: %s", code, said)
	}
	sameEverywhere(t, c) // a node is read from its own file, which follows the others
	for i := range c.Nodes {
		if got := done(t, c.Store(i), "export"); got != lines {
			t.Errorf("beside node %d the cluster exports\n%s\nwant\n%s", i+1, got, lines)
		}
	}

	var o node.Overview
	if err := json.Unmarshal([]byte(done(t, store, "cluster", "status", "--json")), &o); err != nil {
		t.Fatal(err)
	}
	here := slices.IndexFunc(o.Nodes, func(n node.State) bool { return n.Here })
	if o.Digests != node.Equal || len(o.Nodes) != 3 || o.Leader == "" || len(o.Warnings) != 0 || here < 0 || o.Nodes[here].HTTP != c.Nodes[0].HTTP {
		t.Errorf("the status is %+v", o)
	}

	backup := filepath.Join(folder, "backup.db")
	done(t, store, "backup", backup)
	if got := done(t, backup, "export"); got != lines {
		t.Errorf("the backup exports\n%s\nwant\n%s", got, lines)
	}
	done(t, backup, "store", "A backup is a plain store")
	if _, said, code := runHence(t, c.Nodes[1].File(), "store", "x"); code != 5 || !strings.Contains(said, "belongs to a cluster's node") {
		t.Errorf("a write to a node's file exits with %d: %s", code, said)
	}
	done(t, store, "backup", "--restore", backup)
	sameEverywhere(t, c)
	if got := done(t, c.Store(2), "list"); !strings.Contains(got, "A backup is a plain store") {
		t.Errorf("after the restore another node lists\n%s", got)
	}

	team := filepath.Join(folder, "team.jsonl")
	done(t, store, "export", "--namespace", "team", team)
	other := nodetest.Start(t, 1)
	done(t, other.Store(0), "import", team)
	got := done(t, other.Store(0), "export")
	if want := done(t, store, "export", "--namespace", "team"); got != want || !strings.Contains(got, "Drain time") || strings.Contains(got, "private") {
		t.Errorf("the other cluster exports\n%s\nwant\n%s", got, want)
	}
}

// A node whose file was changed behind the cluster's back is found.
func TestClusterStatusFindsANodeThatDiffers(t *testing.T) {
	c := nodetest.Start(t, 3)
	done(t, c.Store(0), "store", "The queue drains in an hour")
	sameEverywhere(t, c)
	changed := c.Followers()[0]
	dbtest.Script(t, changed.File(), `update home set cluster = 'another'`)
	id := fmt.Sprint("n", slices.Index(c.Nodes, changed)+1)
	out, said, code := runHence(t, c.Store(0), "cluster", "status")
	if code != 1 || !strings.Contains(out, id+" differs in home:") || !strings.Contains(said, id+" differs from the other nodes") {
		t.Errorf("it exits with %d and says\n%s\n%s", code, out, said)
	}
	if out, _, code := runHence(t, c.Store(0), "doctor"); code != 1 || !strings.Contains(out, "the table home is not the same on "+id) {
		t.Errorf("doctor exits with %d and says\n%s", code, out)
	}
}

// Servers that open an empty cluster at once make one store.
func TestClusterIsMadeOnce(t *testing.T) {
	c := nodetest.Start(t, 3)
	var all sync.WaitGroup
	for i := range 6 {
		all.Go(func() { done(t, c.Store(i%3), "store", fmt.Sprint("memory ", i), "--dedup", "off") })
	}
	all.Wait()
	file := sameEverywhere(t, c)
	if n := strings.Count(done(t, file, "export"), `"type":"memory"`); n != 6 {
		t.Errorf("there are %d memories, want 6", n)
	}
	out := done(t, c.Store(1), "doctor")
	if strings.Contains(out, "wrong") {
		t.Errorf("doctor says\n%s", out)
	}
}

// A server of another schema has changed the store: one of this schema reads on, refuses
// to write, and says what to do.
func TestClusterOfTwoVersions(t *testing.T) {
	c := nodetest.Start(t, 3)
	a := meetServer(t, serveStore(t, c.Store(0)))
	var stored struct{ Memory struct{ ID string } }
	if err := a.call("memory_store", map[string]any{"content": "The queue drains in an hour"}, &stored); err != nil {
		t.Fatal(err)
	}
	migrate := fmt.Sprintf(`["update store set schema_hash = '%s'", "pragma user_version = 99"]`, strings.Repeat("f", 64))
	answer, err := c.Leader().Post(t.Context(), "/db/execute?transaction", "application/json", []byte(migrate))
	if err != nil || strings.Contains(string(answer), `"error"`) {
		t.Fatalf("%s, %v", answer, err)
	}
	err = a.call("memory_store", map[string]any{"content": "Another"}, &stored)
	if fault.CodeOf(err) != fault.ReadOnly || !strings.Contains(fmt.Sprint(err), "update hence") {
		t.Errorf("a write of the earlier version: %v", err)
	}
	var list struct {
		Memories []struct{ ID string }
	}
	if err := a.call("memory_list", map[string]any{}, &list); err != nil || len(list.Memories) != 1 {
		t.Errorf("a read of the earlier version: %+v, %v", list, err)
	}
	said, code := "", 0
	for end := time.Now().Add(time.Minute); code != 2 && time.Now().Before(end); { // another node follows
		_, said, code = runHence(t, c.Store(1), "list")
	}
	if code != 2 || !strings.Contains(said, "newer") {
		t.Errorf("after reopening it exits with %d: %s", code, said)
	}
}

// longestLog is how long the write-ahead log of a node may become.
const longestLog = 64 << 20

// An export that somebody reads slowly does not let the write-ahead log of the node grow
// while others write.
func TestClusterLogStaysShortUnderALongRead(t *testing.T) {
	if lasting(t) < time.Minute {
		t.Skip("67 MB must be written; make soak has the time")
	}
	c := nodetest.Start(t, 3)
	server := serveStore(t, c.Store(0))
	a := meetServer(t, server)
	text := strings.Repeat("the queue drains in an hour ", 30_000) // 840 kB
	store := func(n int) {
		for { // a busy machine may take longer than a server waits
			var stored struct{ Memory struct{ ID string } }
			err := a.call("memory_store", map[string]any{"content": fmt.Sprint(n, text), "dedup": "off"}, &stored)
			switch fault.CodeOf(err) {
			case "", fault.OutcomeUnknown:
				return
			case fault.Unavailable:
			default:
				t.Fatal(err)
			}
		}
	}
	const before, during = 10, 80
	for n := range before {
		store(n)
	}
	cmd := exec.Command(program(t), "export", "--db", c.Store(0))
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 1)); err != nil { // it has begun; the rest waits
		t.Fatal(err)
	}
	longest := int64(0)
	for n := range during {
		store(before + n)
		for _, node := range c.Nodes {
			if info, err := os.Stat(node.File() + "-wal"); err == nil {
				longest = max(longest, info.Size())
			}
		}
	}
	if longest > longestLog {
		t.Errorf("the write-ahead log had %d MB, want at most %d", longest>>20, longestLog>>20)
	}
	rest := 0
	for buffer := make([]byte, 1<<20); err == nil; {
		n := 0
		n, err = out.Read(buffer)
		rest += n
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if rest < before*len(text) {
		t.Errorf("the export has %d bytes, want at least %d", rest, before*len(text))
	}
	t.Logf("while %d MB were written the longest write-ahead log had %.1f MB", during*len(text)>>20, float64(longest)/(1<<20))
	sameEverywhere(t, c)
}

// A server whose node has lost the others says so.
func TestClusterServerTellsThatItIsOutdated(t *testing.T) {
	c := nodetest.Start(t, 3)
	server := serveStore(t, c.Store(0), "--outdated-after", "2s")
	a := meetServer(t, server)
	var stored struct{ Memory struct{ ID string } }
	if err := a.call("memory_store", map[string]any{"content": "The queue drains in an hour"}, &stored); err != nil {
		t.Fatal(err)
	}
	var list struct{ Outdated string }
	told := func() bool {
		list.Outdated = ""
		if err := a.call("memory_list", map[string]any{}, &list); err != nil {
			t.Fatal(err)
		}
		status, _, err := server.get("/readyz")
		if err != nil {
			t.Fatal(err)
		}
		return list.Outdated != "" && status == 503
	}
	becomes := func(want bool) {
		t.Helper()
		for end := time.Now().Add(time.Minute); told() != want; time.Sleep(100 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("outdated is not %v: %q", want, list.Outdated)
			}
		}
	}
	becomes(false)
	for _, n := range c.Nodes[1:] {
		n.Pause()
	}
	becomes(true)
	if _, body, err := server.get("/metrics"); err != nil || !strings.Contains(body, "\nhence_cluster_outdated 1\n") {
		t.Errorf("the metrics are %s, %v", body, err)
	}
	if out, _, code := runHence(t, c.Store(0), "cluster", "status"); code != 1 || !strings.Contains(out, "there is no leader") {
		t.Errorf("the status exits with %d: %s", code, out)
	}
	for _, n := range c.Nodes[1:] {
		n.Resume()
	}
	becomes(false)
	c.Nodes[0].Pause()
	becomes(true)
	c.Nodes[0].Resume()
	becomes(false)
}
