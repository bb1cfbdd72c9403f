package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/db/remote"
	"hence/internal/fault"
	"hence/internal/node"
	"hence/internal/node/nodetest"
)

// lasting is how long the tests of faults run: two minutes, ten with LONG, or what
// HENCE_CLUSTER_TIME says.
func lasting(t *testing.T) time.Duration {
	long := 2 * time.Minute
	if os.Getenv("LONG") != "" {
		long = 10 * time.Minute
	}
	if text := os.Getenv("HENCE_CLUSTER_TIME"); text != "" {
		var err error
		if long, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
	}
	return long
}

// webServer is a process of hence serve --http.
type webServer struct {
	url string // of the protocol
	log *bytes.Buffer
}

// serveStore starts a server for a store that goes with the test.
func serveStore(t *testing.T, store string, flags ...string) *webServer {
	t.Helper()
	words := append([]string{"serve", "--http", "127.0.0.1:0", "--rate", "0", "--metrics", "--db", store}, flags...)
	cmd := exec.Command(program(t), words...)
	said, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s := &webServer{log: &bytes.Buffer{}}
	lines, ended := bufio.NewScanner(said), make(chan struct{})
	listening := make(chan string, 1)
	go func() {
		defer close(ended)
		for lines.Scan() {
			if url, ok := strings.CutPrefix(lines.Text(), "listening on "); ok {
				listening <- url
				continue
			}
			s.log.WriteString(lines.Text() + "\n")
		}
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		kill := time.AfterFunc(20*time.Second, func() { _ = cmd.Process.Kill() })
		<-ended
		_ = cmd.Wait()
		kill.Stop()
		if t.Failed() {
			t.Logf("a server said:\n%.4000s", s.log)
		}
	})
	select {
	case s.url = <-listening:
	case <-ended:
		t.Fatalf("the server did not start:\n%s", s.log)
	case <-time.After(time.Minute):
		t.Fatal("the server does not listen")
	}
	return s
}

// get asks the server for a path.
func (s *webServer) get(path string) (status int, body string, err error) {
	response, err := http.Get(strings.TrimSuffix(s.url, "/mcp") + path)
	if err != nil {
		return 0, "", err
	}
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	return response.StatusCode, string(raw), err
}

// webAgent is a client of a server over HTTP.
type webAgent struct {
	server  *webServer
	session string
	calls   int
}

var webClient = &http.Client{Timeout: 2 * time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: 32}}

func (a *webAgent) send(method string, params any) (body []byte, err error) {
	a.calls++
	message, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": a.calls, "method": method, "params": params})
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequest(http.MethodPost, a.server.url, bytes.NewReader(message))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	if a.session != "" {
		request.Header.Set("Mcp-Session-Id", a.session)
	}
	response, err := webClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if a.session == "" {
		a.session = response.Header.Get("Mcp-Session-Id")
	}
	body, err = io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("HTTP %d: %.300s", response.StatusCode, body)
	}
	return body, err
}

// meetServer begins a session with a server.
func meetServer(t *testing.T, s *webServer) *webAgent {
	t.Helper()
	a := &webAgent{server: s}
	_, err := a.send("initialize", map[string]any{
		"protocolVersion": "2025-11-25", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "t", "version": "1"},
	})
	if err != nil || a.session == "" {
		t.Fatalf("the session does not begin: %v", err)
	}
	return a
}

// call calls a tool. An error of code other than internal is what the tool answered.
func (a *webAgent) call(tool string, arguments, into any) error {
	body, err := a.send("tools/call", map[string]any{"name": tool, "arguments": arguments})
	if err != nil {
		return err
	}
	var answer struct {
		Result struct {
			IsError    bool            `json:"isError"`
			Structured json.RawMessage `json:"structuredContent"`
		} `json:"result"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return fmt.Errorf("%q: %w", body, err)
	}
	if !answer.Result.IsError {
		if answer.Result.Structured == nil {
			return fmt.Errorf("%s: no result: %.300s", tool, body)
		}
		return json.Unmarshal(answer.Result.Structured, into)
	}
	var failed struct{ Error failure }
	if err := json.Unmarshal(answer.Result.Structured, &failed); err != nil {
		return err
	}
	return &fault.Error{Code: failed.Error.Code, Message: failed.Error.Message, Details: failed.Error.Details}
}

// history is what a store has said to writes, by the content of the memory.
type history struct {
	sync.Mutex
	acknowledged map[string]string // content → id
	unknown      map[string]string // it may or may not be there → what was said
	written      map[string]string // it is there, and was not yet seen → what was said
	refused      map[string]string // nothing was written → what was said
	wrong        []string          // answers that may not be given
	links        map[string]bool   // ids of edges
	last         time.Time         // of the last acknowledgement
	longest      time.Duration     // between two acknowledgements, since the clock was set
}

func newHistory() *history {
	return &history{
		acknowledged: map[string]string{}, unknown: map[string]string{}, written: map[string]string{}, refused: map[string]string{}, links: map[string]bool{}, last: time.Now(),
	}
}

func (h *history) keep(f func()) {
	h.Lock()
	defer h.Unlock()
	f()
}

// acknowledge counts an acknowledgement. The lock is held.
func (h *history) acknowledge() {
	now := time.Now()
	h.longest = max(h.longest, now.Sub(h.last))
	h.last = now
}

// note takes in what was said to the write of a memory.
func (h *history) note(content, id string, err error) {
	h.keep(func() {
		said := fmt.Sprint(err)
		var known *fault.Error
		switch {
		case err == nil:
			h.acknowledged[content] = id
			h.acknowledge()
		case !errors.As(err, &known):
			h.wrong = append(h.wrong, "no answer to "+content+": "+said)
		case known.Code == fault.OutcomeUnknown && known.Details["written"] == true:
			h.written[content] = said
		case known.Code == fault.OutcomeUnknown:
			h.unknown[content] = said
		case known.Code == fault.Unavailable:
			h.refused[content] = said
		default:
			h.wrong = append(h.wrong, content+" was answered with "+said)
		}
	})
}

// work stores and links until it is told to stop.
func (a *webAgent) work(name string, h *history, goesOn func() bool) {
	last := ""
	for n := 0; goesOn(); n++ {
		content := fmt.Sprintf("memory %d of %s %s", n, name, strings.Repeat("x", rand.IntN(500)))
		var stored struct{ Memory struct{ ID string } }
		err := a.call("memory_store", map[string]any{"content": content, "dedup": "off"}, &stored)
		h.note(content, stored.Memory.ID, err)
		if err != nil {
			continue
		}
		if last != "" && n%5 == 0 {
			var linked struct{ Edge struct{ ID string } }
			err := a.call("memory_link", map[string]any{"from": stored.Memory.ID, "to": last, "type": "depends-on"}, &linked)
			h.keep(func() {
				code := fault.CodeOf(err)
				switch {
				case err == nil:
					h.links[linked.Edge.ID] = true
					h.acknowledge()
				case code != fault.OutcomeUnknown && code != fault.Unavailable:
					h.wrong = append(h.wrong, "a link was answered with "+err.Error())
				}
			})
		}
		last = stored.Memory.ID
	}
}

// crowd lets some agents of each server work, until stop is called.
func crowd(t *testing.T, h *history, each int, servers ...*webServer) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	for s, server := range servers {
		for i := range each {
			a := meetServer(t, server)
			all.Go(func() { a.work(fmt.Sprint(s, ".", i), h, func() bool { return ctx.Err() == nil }) })
		}
	}
	return func() {
		cancel()
		all.Wait()
	}
}

// check holds a copy of the store against what was said: what was acknowledged is there
// once, what was refused is not, what is unknown is there once or not at all.
func (h *history) check(t *testing.T, file string) {
	t.Helper()
	d, err := db.Open(t.Context(), file, db.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	there, ids := map[string]int{}, map[string]string{}
	for _, row := range dbtest.Texts(t, d, `select id || char(10) || content from memories`) {
		id, content, _ := strings.Cut(row, "\n")
		there[content]++
		ids[content] = id
	}
	links := map[string]bool{}
	for _, id := range dbtest.Texts(t, d, `select id from edges`) {
		links[id] = true
	}
	lost, twice, landed := 0, 0, 0
	for content, id := range h.acknowledged {
		if there[content] == 0 || ids[content] != id {
			lost++
		}
	}
	for content, n := range there {
		if n > 1 {
			twice++
			t.Errorf("%.40s is there %d times", content, n)
		}
	}
	for id := range h.links {
		if !links[id] {
			lost++
		}
	}
	for content, said := range h.refused {
		if there[content] > 0 {
			t.Errorf("%.40s was written, and the answer was %s", content, said)
		}
	}
	for content, said := range h.written {
		if there[content] == 0 {
			t.Errorf("%.40s was not written, and the answer was %s", content, said)
		}
	}
	for content := range h.unknown {
		landed += there[content]
	}
	for _, said := range h.wrong {
		t.Error(said)
	}
	if lost > 0 || twice > 0 {
		t.Errorf("%d acknowledged and lost, %d there twice", lost, twice)
	}
	t.Logf("%d memories and %d links acknowledged, %d lost, %d twice; %d answers said unknown, of which %d had landed; %d written and not yet seen; %d refused; the longest time without an acknowledgement was %v",
		len(h.acknowledged), len(h.links), lost, twice, len(h.unknown), landed, len(h.written), len(h.refused), h.longest.Round(time.Millisecond))
}

// sameEverywhere waits until every node has carried out all, and fails unless all tables
// of all nodes are equal. It returns a copy of the store.
func sameEverywhere(t *testing.T, c *nodetest.Cluster) (file string) {
	t.Helper()
	for _, n := range c.Nodes {
		n.Start()
	}
	for _, n := range c.Nodes {
		n.AwaitReady()
	}
	address, err := remote.Parse(c.Store(0))
	if err != nil {
		t.Fatal(err)
	}
	client, err := remote.New(address)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	var o node.Overview
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(100 * time.Millisecond) {
		o, err = node.Examine(t.Context(), client, true)
		if err == nil && o.Digests != node.Unknown || time.Now().After(end) {
			break
		}
	}
	if err != nil || o.Digests != node.Equal || len(o.Nodes) != len(c.Nodes) {
		t.Errorf("the nodes are not the same: %+v, %v", o, err)
	}
	file = filepath.Join(dbtest.Folder(t), "copy.db")
	out, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(client.Copy(t.Context(), c.Nodes[0].HTTP, out), out.Close()); err != nil {
		t.Fatal(err)
	}
	return file
}
