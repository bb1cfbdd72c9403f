package stdio

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/memory"
	"hence/tools"
	"hence/tools/wiretest"
)

var request, toolCall = wiretest.Request, wiretest.ToolCall

var caller = ref.Caller{Actor: "claude", Origin: "agent"}

func newServer(t *testing.T, d *db.DB) *server.MCPServer {
	t.Helper()
	s, err := tools.New(d, caller, tools.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// pipe sends all lines at once and the end of the input after them, and
// returns the answers by id. Every line of the output must be a message.
func pipe(t *testing.T, d *db.DB, lines ...string) map[string]wiretest.Answer {
	t.Helper()
	answers := map[string]wiretest.Answer{}
	for _, a := range pipeAll(t, d, lines...) {
		answers[string(a.ID)] = a
	}
	return answers
}

func pipeAll(t *testing.T, d *db.DB, lines ...string) []wiretest.Answer {
	t.Helper()
	var out bytes.Buffer
	if err := Serve(t.Context(), newServer(t, d), strings.NewReader(strings.Join(lines, "\n")), &out); err != nil {
		t.Fatalf("Serve: %v", err)
	}
	return wiretest.Answers(t, out.String())
}

// A client that sends everything at once and closes its output gets every answer, with the
// outcome of calls one by one.
func TestServe_PipedConversation(t *testing.T) {
	d := dbtest.New(t)
	lines := []string{
		request(1, "initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}`),
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		request(2, "tools/list", `{}`),
	}
	for i := range 40 {
		lines = append(lines,
			toolCall(100+2*i, "memory_store", fmt.Sprintf(`{"title": "memory %d", "content": "about %d", "dedup": "off"}`, i, i)),
			toolCall(101+2*i, "memory_list", `{}`))
	}
	answers := pipe(t, d, lines...)
	if got := answers["1"].Result.ServerInfo.Name; got != "hence" {
		t.Errorf("the server calls itself %q", got)
	}
	offered := slices.DeleteFunc(tools.Choose(tools.Options{Toolsets: []string{tools.MemorySet, tools.GraphSet}}), func(t tools.Tool) bool { return t.Needs != "" })
	if got := len(answers["2"].Result.Tools); got != len(offered) {
		t.Errorf("%d tools, want %d", got, len(offered))
	}
	if len(answers) != 2+80 {
		t.Errorf("%d answers, want 82", len(answers))
	}
	for i := range 40 {
		var list memory.ListResult
		if err := json.Unmarshal(answers[fmt.Sprint(101+2*i)].Result.StructuredContent, &list); err != nil {
			t.Fatal(err)
		}
		if list.TotalCount != i+1 {
			t.Errorf("after memory %d the list has %d", i, list.TotalCount)
		}
	}
}

// Some shells of Windows begin what they pipe with a byte order mark.
func TestServe_ByteOrderMark(t *testing.T) {
	answers := pipeAll(t, dbtest.New(t), "\uFEFF"+request(7, "ping", `{}`), request(8, "ping", `{}`))
	for _, id := range []string{"7", "8"} {
		if !slices.ContainsFunc(answers, func(a wiretest.Answer) bool { return string(a.ID) == id && a.Error == nil }) {
			t.Errorf("request %s is not answered: %+v", id, answers)
		}
	}
}

func TestServe_MalformedLines(t *testing.T) {
	d := dbtest.New(t)
	bad := []string{
		`{`, `nonsense`, `"text"`, `7`, `null`, `true`, `[]`, `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, "\x00", "\xff\xfe",
		`{}`, `{"id":1}`, `{"jsonrpc":"1.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":1}`, `{"jsonrpc":"2.0","id":1,"method":7}`,
		`{"jsonrpc":"2.0","id":1,"method":"no/such"}`, `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":7}`, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":7}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"memory_list","arguments":7}}`,
		`{"jsonrpc":"2.0","id":1,"method":"initialize"}`, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":[]}`,
		`{"jsonrpc":"2.0","id":{"a":[1]},"method":"ping"}`, `{"jsonrpc":"2.0","id":[1],"method":"tools/list"}`,
		`{"jsonrpc":"2.0","id":1,"method":"ping"`, `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"x"}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}`, `{"jsonrpc":"2.0","method":"notifications/cancelled"}`,
		`{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}`,
		strings.Repeat("[", 100_000), strings.Repeat(`{"a":`, 50_000), "", "   ", "\r",
	}
	lines := []string{}
	const times = 3
	for range times {
		lines = append(lines, bad...)
	}
	lines = append(lines, toolCall(99, "memory_list", `{}`), request(98, "ping", `{}`))
	answers := pipeAll(t, d, lines...)
	served := map[string]bool{}
	for _, a := range answers {
		if a.Error == nil && !a.Result.IsError {
			served[string(a.ID)] = true
		}
	}
	if !served["98"] || !served["99"] {
		t.Errorf("after malformed lines, what was sent is not served: %v", served)
	}
	parseErrors := 0
	for _, a := range answers {
		if a.Error != nil && a.Error.Code == mcp.PARSE_ERROR && string(a.ID) == "null" {
			parseErrors++
		}
	}
	if parseErrors < 5*times {
		t.Errorf("%d parse errors are answered, want one for each line that is not JSON", parseErrors)
	}
}

// The server stays up after two thousand broken messages, and every line of its output is a
// message.
func TestServe_ManyBrokenMessages(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	lines := []string{}
	for range 2_000 {
		lines = append(lines, wiretest.BreakMessage(random))
	}
	answers := pipeAll(t, dbtest.New(t), append(lines, request(99, "ping", `{}`))...)
	if last := string(answers[len(answers)-1].ID); len(answers) < 1000 || !slices.ContainsFunc(answers, func(a wiretest.Answer) bool { return string(a.ID) == "99" }) {
		t.Errorf("%d answers, the last to %s", len(answers), last)
	}
}

// Before initialize the server answers, and does not crash.
func TestServe_BeforeInitialize(t *testing.T) {
	answers := pipe(t, dbtest.New(t), toolCall(1, "memory_list", `{}`), request(2, "tools/list", `{}`), request(3, "ping", `{}`))
	for _, id := range []string{"1", "2", "3"} {
		if a, ok := answers[id]; !ok || a.Error != nil {
			t.Errorf("%s: %+v", id, a)
		}
	}
}

func TestServe_BigLine(t *testing.T) {
	d := dbtest.New(t)
	content := strings.Repeat("0123456789abcde\n", 1<<20/16)
	pipe(t, d, toolCall(1, "memory_store", `{"title": "big", "content": `+strconv.Quote(content)+`}`))
	got, err := memory.Store{DB: d}.Open(t.Context(), memory.GetArgs{ID: "big"})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Memories) != 1 || got.Memories[0].Content != content {
		t.Error("a memory of 1 MB came back otherwise than it was stored")
	}
}

// A line over the limit is skipped, and the next one is served.
func TestServe_TooLongLine(t *testing.T) {
	in := io.MultiReader(
		strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"`), io.LimitReader(zeros{}, maxLine), strings.NewReader("\n"+request(2, "ping", `{}`)+"\n"))
	var out bytes.Buffer
	if err := Serve(t.Context(), newServer(t, dbtest.New(t)), in, &out); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); !strings.Contains(got, "at most") || !strings.Contains(got, `"id":2`) {
		t.Errorf("the output is %s", got)
	}
}

// A message with too large an object is answered with an error, and the next one
// is served.
func TestServe_TooManyMembers(t *testing.T) {
	in := strings.NewReader(toolCall(1, "memory_list", "{"+strings.Repeat(`"k":1,`, 50_000)+`"k":1}`) + "\n" + request(2, "ping", `{}`) + "\n")
	var out bytes.Buffer
	if err := Serve(t.Context(), newServer(t, dbtest.New(t)), in, &out); err != nil {
		t.Fatal(err)
	}
	got := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(got) != 2 || !strings.Contains(got[0], `"id":1`) || !strings.Contains(got[0], "params.arguments has more than 1000 members; send fewer") || !strings.Contains(got[1], `"id":2`) {
		t.Errorf("the output is %q", got)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '0'
	}
	return len(p), nil
}

// Strange text is refused or kept as what it can be, and never stored as
// something else.
func TestServe_StrangeText(t *testing.T) {
	d := dbtest.New(t)
	answers := pipe(t, d,
		toolCall(1, "memory_store", `{"title": "surrogate", "content": "a\ud800b"}`),
		toolCall(2, "memory_store", "{\"title\": \"bytes\", \"content\": \"a\xffb\"}"),
		toolCall(3, "memory_store", `{"title": "emoji", "content": "a\ud83d\ude00b"}`),
		toolCall(4, "memory_store", `{"content": "a\u0000b"}`),
		toolCall(5, "memory_store", `{"content": "x", "title": "a\u0000b"}`),
		toolCall(6, "memory_store", `{"content": "x", "tags": ["a\u0000b"]}`),
		toolCall(7, "memory_store", `{"content": "x", "kind": "a\u0000b"}`),
		toolCall(8, "memory_store", `{"content": "x", "namespace": "a\u0000b"}`),
		toolCall(9, "memory_store", `{"content": "x", "properties": {"a\u0000b": 1}}`),
		toolCall(10, "memory_store", `{"content": "x", "properties": {"a": "b\u0000"}}`),
		toolCall(11, "memory_link", `{"from": "emoji", "to": "bytes", "type": "causes", "note": "a\u0000b"}`),
		toolCall(12, "memory_link", `{"from": "emoji", "to": "bytes", "type": "causes", "rel": "a\u0000b"}`),
		toolCall(13, "memory_forget", `{"id": "emoji", "reason": "a\u0000b"}`),
		toolCall(14, "memory_update", `{"id": "emoji", "title": "a\u0000b"}`),
		toolCall(15, "memory_store", `{"content": "x", "supersedes": ["emoji"], "reason": "a\u0000b"}`),
		toolCall(16, "memory_get", `{"id": "surrogate"}`),
		toolCall(17, "memory_get", `{"id": "bytes"}`),
		toolCall(18, "memory_get", `{"id": "emoji"}`),
	)
	for id, want := range map[string]string{"16": "a\ufffdb", "17": "a\ufffdb", "18": "a😀b"} {
		var got memory.GetResult
		if err := json.Unmarshal(answers[id].Result.StructuredContent, &got); err != nil {
			t.Fatalf("%s: %v", id, err)
		}
		if got.Memories[0].Content != want {
			t.Errorf("%s: stored %q, want %q", id, got.Memories[0].Content, want)
		}
	}
	for id := 4; id <= 15; id++ {
		a := answers[fmt.Sprint(id)]
		if !a.Result.IsError || !bytes.Contains(a.Result.StructuredContent, []byte(`"invalid_argument"`)) {
			t.Errorf("%d: a NUL byte is not refused: %s", id, a.Result.StructuredContent)
		}
	}
	// A name with a NUL byte means no memory, and a search for one finds none.
	for id, a := range pipe(t, d,
		toolCall(1, "memory_get", `{"id": "a\u0000b"}`), toolCall(2, "memory_history", `{"id": "emoji\u0000"}`),
		toolCall(3, "memory_search", `{"query": "a\u0000b \ud800 \"x"}`), toolCall(4, "memory_list", `{"cursor": "\u0000", "tags": ["\u0000"]}`),
		toolCall(5, "expand", `{"seed_doc_ids": ["\u0000"], "hops": 1, "filter_properties": {"\u0000": "\u0000"}, "rels": ["\u0000"]}`),
	) {
		if a.Error != nil || bytes.Contains(a.Result.StructuredContent, []byte(`"internal"`)) {
			t.Errorf("%s: %s", id, a.Result.StructuredContent)
		}
	}
	if n := dbtest.Count(t, d, `select count(*) from memories`); n != 3 {
		t.Errorf("%d memories are stored, want 3", n)
	}
}

// slow returns a server with one tool that runs until it is released.
func slow(t *testing.T) (s *server.MCPServer, started chan struct{}, letGo chan struct{}) {
	t.Helper()
	started, letGo = make(chan struct{}), make(chan struct{})
	s = server.NewMCPServer("slow", "1")
	wait := mcp.NewTool("wait", mcp.WithReadOnlyHintAnnotation(true))
	s.AddTool(wait, func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		close(started)
		select {
		case <-letGo:
			return mcp.NewToolResultText("done"), nil
		case <-ctx.Done():
			return mcp.NewToolResultError("abandoned"), nil
		}
	})
	return s, started, letGo
}

// When the context is done, Serve stops reading messages, lets the running call finish, and
// answers it.
func TestServe_Cancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, started, letGo := slow(t)
		ctx, cancel := context.WithCancel(t.Context())
		in, client := io.Pipe()
		defer client.Close()
		var out bytes.Buffer
		ended := make(chan error, 1)
		go func() { ended <- Serve(ctx, s, in, &out) }()
		fmt.Fprintln(client, toolCall(1, "wait", `{}`))
		<-started
		cancel()
		synctest.Wait()
		select {
		case err := <-ended:
			t.Fatalf("Serve ended before the call: %v", err)
		default:
		}
		close(letGo)
		if err := <-ended; err != nil {
			t.Errorf("Serve: %v", err)
		}
		if !strings.Contains(out.String(), "done") {
			t.Errorf("the running call is not answered: %q", out.String())
		}
	})
}

// While a call runs, the server answers others; Serve returns only when the call has ended.
func TestServe_SlowCall(t *testing.T) {
	s, started, letGo := slow(t)
	in, client := io.Pipe()
	fromServer, out := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- Serve(t.Context(), s, in, out); out.Close() }()
	fmt.Fprintln(client, toolCall(1, "wait", `{}`))
	<-started
	fmt.Fprintln(client, request(2, "ping", `{}`))
	lines := bufio.NewScanner(fromServer)
	if !lines.Scan() || !strings.Contains(lines.Text(), `"id":2`) {
		t.Errorf("the ping is not answered first: %s", lines.Text())
	}
	client.Close()
	close(letGo)
	if !lines.Scan() || !strings.Contains(lines.Text(), `"id":1`) {
		t.Errorf("the call is not answered: %s", lines.Text())
	}
	for lines.Scan() {
		t.Errorf("more output: %s", lines.Text())
	}
	if err := <-ended; err != nil {
		t.Errorf("Serve: %v", err)
	}
}

// A client can cancel a running call.
func TestServe_CalledOff(t *testing.T) {
	s, started, _ := slow(t)
	in, client := io.Pipe()
	var out bytes.Buffer
	ended := make(chan error, 1)
	go func() { ended <- Serve(t.Context(), s, in, &out) }()
	fmt.Fprintln(client, toolCall(1, "wait", `{}`))
	<-started
	fmt.Fprintln(client, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	client.Close()
	if err := <-ended; err != nil {
		t.Errorf("Serve: %v", err)
	}
}

// A client that has closed its input ends the conversation with an error.
func TestServe_ClosedOutput(t *testing.T) {
	in, client := io.Pipe()
	defer client.Close()
	closed, out := io.Pipe()
	closed.Close()
	ended := make(chan error, 1)
	go func() { ended <- Serve(t.Context(), newServer(t, dbtest.New(t)), in, out) }()
	fmt.Fprintln(client, request(1, "ping", `{}`))
	if err := <-ended; !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("Serve: %v", err)
	}
}

// Clients of one store do not disturb each other.
func TestServe_Concurrently(t *testing.T) {
	d := dbtest.New(t)
	const clients, calls = 6, 15
	var all sync.WaitGroup
	for c := range clients {
		all.Go(func() {
			lines := []string{}
			for i := range calls {
				lines = append(lines,
					toolCall(3*i, "memory_store", fmt.Sprintf(`{"title": "%d of %d", "content": "by %d", "dedup": "off"}`, i, c, c)),
					toolCall(3*i+1, "memory_search", fmt.Sprintf(`{"query": "by %d"}`, c)),
					toolCall(3*i+2, "expand", fmt.Sprintf(`{"seed_doc_ids": ["%d of %d"], "hops": 2}`, i, c)))
			}
			var out bytes.Buffer
			if err := Serve(t.Context(), newServer(t, d), strings.NewReader(strings.Join(lines, "\n")), &out); err != nil {
				t.Error(err)
			}
			if got := strings.Count(out.String(), "\n"); got != 3*calls || strings.Contains(out.String(), `"isError":true`) {
				t.Errorf("client %d: %d answers\n%.2000s", c, got, out.String())
			}
		})
	}
	all.Wait()
	if got := dbtest.Count(t, d, `select count(*) from memories`); got != clients*calls {
		t.Errorf("%d memories, want %d", got, clients*calls)
	}
}
