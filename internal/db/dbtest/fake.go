package dbtest

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"hence/internal/db"
)

// Fake is a cluster of one node within the test process. It answers as rqlited does, and runs the
// statements with an engine that has none of Hence's SQL functions. It records every batch.
type Fake struct {
	File     string
	Batches  [][]byte // bodies of the requests that ran without an error, in order
	server   *httptest.Server
	mu       sync.Mutex
	meet     func(request int, body string) Mishap // see Reset
	engine   *sql.DB
	requests int
	start    []byte // content of the file when it was loaded last
	byHand   bool   // it ran statements whose results may differ between nodes
}

// Mishap is a failure that a Fake simulates for one request.
type Mishap int

// The mishaps.
const (
	None      Mishap = iota
	LostAfter        // the Fake runs the request, and closes the connection without an answer
	LostFirst        // the Fake closes the connection, and does not run the request
	NoLeader         // the answer is 503, and the Fake does not run the request
	Later            // no answer; the Fake runs the request after the client has given up
	Unsure           // the answer is 200 with an error that leaves the outcome open; the Fake runs the request
)

// NewFake starts a Fake with an empty database.
func NewFake(t Cleaner) *Fake {
	t.Helper()
	f := &Fake{File: Folder(t) + "/db.sqlite"}
	f.server = httptest.NewServer(f)
	if err := f.reopen(nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.stop)
	return f
}

// Reset sets the function that returns the mishap of each request to write, given its number,
// counted from 1 from now on, and its body. With nil, there are no mishaps.
func (f *Fake) Reset(meet func(request int, body string) Mishap) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.meet, f.requests = meet, 0
}

// Run runs a script as one transaction, as rqlite's shell would.
func (f *Fake) Run(script string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	body, err := json.Marshal([][]any{{script}})
	if err != nil {
		return err
	}
	answer := runBatch(f.engine, body)
	if failure := answer[len(answer)-1]["error"]; failure != nil {
		return fmt.Errorf("%v", failure)
	}
	f.byHand = true
	return nil
}

// Restart simulates a restart of the node: it deletes the files, and after a pause creates a new
// file and runs the batches again, one by one.
func (f *Fake) Restart(pause time.Duration) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	batches := f.Batches
	if err := f.engine.Close(); err != nil {
		return err
	}
	f.engine = nil
	removeFiles(f.File)
	time.Sleep(pause)
	if err := f.reopen(f.start); err != nil {
		return err
	}
	for _, body := range batches {
		time.Sleep(pause / 10)
		f.run(body)
	}
	return nil
}

// API returns the address of the Fake, HOST:PORT.
func (f *Fake) API() string { return strings.TrimPrefix(f.server.URL, "http://") }

// Name returns the name of the store for db.Open.
func (f *Fake) Name() string { return "rqlite:" + f.File + "?at=" + f.API() }

func (f *Fake) stop() {
	f.server.CloseClientConnections()
	f.server.Close()
	_ = f.engine.Close()
}

// reopen replaces the file and forgets the batches, as a node does when it starts. nil creates an
// empty database.
func (f *Fake) reopen(file []byte) error {
	if f.engine != nil {
		_ = f.engine.Close()
	}
	removeFiles(f.File)
	f.start, f.Batches = file, nil
	if file != nil {
		if err := os.WriteFile(f.File, file, 0o600); err != nil {
			return err
		}
	}
	var err error
	f.engine, err = openEngine(f.File, "")
	return err
}

// removeFiles removes a database, its log and the index of that.
func removeFiles(path string) {
	for _, suffix := range []string{"", "-wal", "-shm"} {
		_ = os.Remove(path + suffix)
	}
}

// openEngine opens a file as a node does, with one connection, and runs the statements settings.
func openEngine(path, settings string) (*sql.DB, error) {
	d, err := sql.Open("sqlite3", (&url.URL{Scheme: "file", Opaque: path, RawQuery: "_foreign_keys=on&_journal_mode=wal&_synchronous=off&_busy_timeout=10000&_stmt_cache_size=200"}).String())
	if err != nil {
		return nil, err
	}
	d.SetMaxOpenConns(1)
	_, err = d.Exec(`pragma user_version;` + settings)
	return d, err
}

// ServeHTTP answers one request.
func (f *Fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	switch r.URL.Path {
	case "/db/load":
		if err := f.reopen(body); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
		fmt.Fprint(w, `{"results":[]}`)
	case "/db/query":
		f.query(w, body)
	case "/db/execute":
		f.requests++
		f.execute(w, r, body)
	default:
		http.NotFound(w, r)
	}
}

// execute answers a request to write, with the mishap that meet returns.
func (f *Fake) execute(w http.ResponseWriter, r *http.Request, body []byte) {
	mishap := None
	if f.meet != nil {
		mishap = f.meet(f.requests, string(body))
	}
	switch mishap {
	case NoLeader:
		http.Error(w, "leader not found", http.StatusServiceUnavailable)
		return
	case LostFirst:
		panic(http.ErrAbortHandler)
	case Later:
		go func() {
			<-r.Context().Done() // the client has given up
			time.Sleep(20 * time.Millisecond)
			f.mu.Lock()
			defer f.mu.Unlock()
			_ = f.run(body)
		}()
		f.mu.Unlock()
		<-r.Context().Done()
		f.mu.Lock()
		panic(http.ErrAbortHandler)
	}
	answer := f.run(body)
	switch mishap {
	case LostAfter:
		panic(http.ErrAbortHandler)
	case Unsure:
		fmt.Fprint(w, `{"results":[],"error":"leadership lost while committing log"}`)
		return
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"results": answer})
}

// run runs a batch, and records it unless it fails.
func (f *Fake) run(body []byte) []map[string]any {
	answer := runBatch(f.engine, body)
	if last := answer[len(answer)-1]; last["error"] == nil {
		f.Batches = append(f.Batches, body)
	}
	return answer
}

// runBatch runs a batch as one transaction, and returns one result per statement, or an error as
// the last one.
func runBatch(engine *sql.DB, body []byte) (answer []map[string]any) {
	appendError := func(err error) []map[string]any { return append(answer, map[string]any{"error": err.Error()}) }
	statements, err := readBatch(body)
	if err != nil {
		return appendError(err)
	}
	tx, err := engine.Begin()
	if err != nil {
		return appendError(err)
	}
	defer func() { _ = tx.Rollback() }() // does nothing after a commit
	for _, s := range statements {
		result, err := tx.Exec(s.SQL, s.Args...)
		if err != nil {
			return appendError(err)
		}
		changed, _ := result.RowsAffected()
		answer = append(answer, map[string]any{"rows_affected": changed})
	}
	if err := tx.Commit(); err != nil {
		return appendError(err)
	}
	return answer
}

// readBatch parses statements and their arguments as rqlite does.
func readBatch(body []byte) (statements []db.Stmt, err error) {
	var lists [][]any
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if err := d.Decode(&lists); err != nil {
		return nil, err
	}
	for _, list := range lists {
		s := db.Stmt{SQL: list[0].(string)}
		for _, value := range list[1:] {
			s.Args = append(s.Args, readArgument(value))
		}
		statements = append(statements, s)
	}
	return statements, nil
}

// readArgument returns an argument as rqlite binds it: a text like x'41' as a blob.
func readArgument(value any) any {
	switch v := value.(type) {
	case json.Number:
		if whole, err := v.Int64(); err == nil {
			return whole
		}
		real, _ := v.Float64()
		return real
	case string:
		t := strings.TrimSpace(v)
		if len(t) < 3 || t[0] != 'X' && t[0] != 'x' || t[1] != '\'' || t[len(t)-1] != '\'' {
			return v
		}
		if bytes, err := hex.DecodeString(t[2 : len(t)-1]); err == nil {
			return bytes
		}
	}
	return value
}

// query answers a query for one value.
func (f *Fake) query(w http.ResponseWriter, body []byte) {
	statements, err := readBatch(body)
	if err != nil || len(statements) != 1 {
		http.Error(w, "invalid request", http.StatusBadRequest)
		return
	}
	var value any
	switch err := f.engine.QueryRow(statements[0].SQL, statements[0].Args...).Scan(&value); {
	case errors.Is(err, sql.ErrNoRows):
		fmt.Fprint(w, `{"results":[{}]}`)
	case err != nil:
		_ = json.NewEncoder(w).Encode(map[string]any{"results": []any{map[string]any{"error": err.Error()}}})
	default:
		_ = json.NewEncoder(w).Encode(map[string]any{"results": []any{map[string]any{"values": [][]any{{value}}}}})
	}
}

// Replay runs all batches again on a new file, which returns rows in reverse order wherever a query
// does not define the order. It fails the test unless its tables and those of the Fake's own file are equal.
func (f *Fake) Replay(t Cleaner) {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.byHand {
		return
	}
	if _, err := f.engine.Exec(`pragma wal_checkpoint(truncate)`); err != nil {
		t.Fatal(err)
	}
	path := Folder(t) + "/again.db"
	if f.start != nil {
		if err := os.WriteFile(path, f.start, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	engine, err := openEngine(path, "pragma reverse_unordered_selects = on")
	if err != nil {
		t.Fatal(err)
	}
	for i, body := range f.Batches {
		if answer := runBatch(engine, body); answer[len(answer)-1]["error"] != nil {
			t.Fatal(fmt.Sprintf("batch %d of %d is refused the second time: %v\n%.2000s", i+1, len(f.Batches), answer[len(answer)-1], body))
		}
	}
	_, err = engine.Exec(`pragma journal_mode = delete`)
	if err = errors.Join(err, engine.Close()); err != nil {
		t.Fatal(err)
	}
	// Digest a copy, because others may read the file.
	copied := Folder(t) + "/copy.db"
	bytes, err := os.ReadFile(f.File)
	if err == nil {
		err = os.WriteFile(copied, bytes, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	if got, want := digests(t, path), digests(t, copied); got != want {
		t.Fatal("a node that runs the same batches again, with rows in another order, differs:\n" + difference(want, got) + "\n" + path)
	}
}

// digests returns the digests of the tables of a store as text, sorted by name.
func digests(t TB, path string) string {
	t.Helper()
	result, err := db.ReadDigests(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	text, _ := json.MarshalIndent(result.Tables, "", " ")
	return string(text)
}

// difference returns the lines of a that differ from those of b.
func difference(a, b string) (lines string) {
	linesOfB := strings.Split(b, "\n")
	for i, line := range strings.Split(a, "\n") {
		if i < len(linesOfB) && line != linesOfB[i] {
			lines += line + "\n"
		}
	}
	return lines
}
