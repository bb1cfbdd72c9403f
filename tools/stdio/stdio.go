// Package stdio serves the protocol on standard input and output, one JSON message a line.
//
// Concurrent calls get the results that they would have one after another (order.go). The
// transport cancels calls itself, because mcp-go does not know those that wait. A call that
// was cancelled gets no answer. Notifications of progress are sent before the answer.
package stdio

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"hence/internal/lines"
	"hence/tools/skills"
	"hence/tools/wire"
)

const (
	maxLine    = 64 << 20        // bytes of one message; a memory's text is at most 8 MB before escapes
	maxRunning = 64              // requests served at the same time
	grace      = 5 * time.Second // for running calls, after the context is done
)

// Serve speaks the protocol, one JSON message a line, until in ends or ctx is done. It waits
// for running calls to finish, and then returns nil. It returns an error if in cannot be read
// or out cannot be written. It writes only messages of the protocol to out.
//
// Serve replaces mcp-go's StdioServer, which drops running and waiting calls at the end of its
// input, so that a piped conversation loses its last answers, and whose sessions share a
// global variable.
func Serve(ctx context.Context, s *server.MCPServer, in io.Reader, out io.Writer) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	running, abandon := context.WithCancel(context.WithoutCancel(ctx))
	defer abandon()

	session := server.NewInProcessSession("stdio", nil)
	listening, hangUp := context.WithCancel(running)
	defer hangUp()
	if err := s.RegisterSession(running, session); err != nil {
		return err
	}
	defer s.UnregisterSession(running, session.SessionID())
	c := &conversation{
		server: s, ctx: s.WithContext(running, session), out: out, stop: stop,
		listening: s.WithContext(listening, session), hangUp: hangUp,
		slots: make(chan struct{}, maxRunning), order: newOrder(),
		calls: map[string]context.CancelCauseFunc{}, flush: make(chan chan struct{}),
	}
	var notifying sync.WaitGroup
	notifying.Go(func() { c.notify(session.ClientNotifications()) })

	defer context.AfterFunc(ctx, func() { time.AfterFunc(grace, abandon) })()
	err := c.readMessages(ctx, in)
	c.hangUp()
	c.running.Wait()
	abandon()
	notifying.Wait()
	if cause := context.Cause(ctx); errors.Is(cause, errOut) {
		return cause
	}
	return err
}

// conversation is the connection to one client.
type conversation struct {
	server    *server.MCPServer
	batches   bool               // the client asked for the version that has them
	ctx       context.Context    // context of the calls
	listening context.Context    // context of subscriptions/listen, which ends with the input
	hangUp    context.CancelFunc // ends listening
	stop      context.CancelCauseFunc
	writing   sync.Mutex
	out       io.Writer
	running   sync.WaitGroup
	slots     chan struct{}
	order     *order
	mu        sync.Mutex                         // guards calls
	calls     map[string]context.CancelCauseFunc // running and waiting calls by request id
	flush     chan chan struct{}                 // asks notify to send the queue, and then to close the channel received
}

// errOut means that an answer could not be written.
var errOut = errors.New("stdio: an answer cannot be written")

// readMessages reads and handles messages until the input ends or ctx is done. It returns an
// error if the input cannot be read.
func (c *conversation) readMessages(ctx context.Context, in io.Reader) error {
	r, mark := bufio.NewReader(lines.Until(ctx, in)), []byte("\uFEFF") // some shells of Windows begin a stream with it
	for {
		line, err := lines.Read(r, nil, maxLine)
		if ctx.Err() != nil {
			return nil
		}
		line, mark = bytes.TrimSpace(bytes.TrimPrefix(line, mark)), nil
		switch {
		case errors.Is(err, lines.ErrTooLong):
			c.send(mcp.NewJSONRPCError(mcp.NewRequestId(nil), mcp.INVALID_REQUEST, fmt.Sprintf("a message has at most %d bytes", maxLine), nil))
			continue
		case len(line) > 0 && line[0] == '[' && c.batches:
			c.handleBatch(ctx, line)
		case len(line) > 0:
			c.handle(ctx, line, c.send)
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("stdio: %w", err)
		}
	}
}

// versionOfBatches is the only version of the protocol in which several messages may come as
// one list.
const versionOfBatches = "2025-03-26"

// handleBatch handles a list of messages as if they came one after another, and sends their
// answers as one list when all are there.
func (c *conversation) handleBatch(ctx context.Context, line []byte) {
	var messages []json.RawMessage
	if err := json.Unmarshal(line, &messages); err != nil || len(messages) == 0 {
		c.send(mcp.NewJSONRPCError(mcp.NewRequestId(nil), mcp.INVALID_REQUEST, "a batch is a list of at least one message", nil))
		return
	}
	var mu sync.Mutex
	answers, waiting := []any{}, len(messages)
	for _, one := range messages {
		c.handle(ctx, one, func(answer any) {
			mu.Lock()
			defer mu.Unlock()
			if answer != nil {
				answers = append(answers, answer)
			}
			if waiting--; waiting == 0 && len(answers) > 0 {
				c.send(answers)
			}
		})
	}
}

// handle handles one message. It serves notifications and initialize before it returns, and
// other requests in the background: subscriptions/listen at once, and at most maxRunning of
// the rest at a time. It calls reply once with the answer, or with nil if there is none.
func (c *conversation) handle(ctx context.Context, line []byte, reply func(answer any)) {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params struct {
			Name            string          `json:"name"`
			RequestID       json.RawMessage `json:"requestId"`
			ProtocolVersion string          `json:"protocolVersion"`
		} `json:"params"`
	}
	// If the message does not parse, the server answers that.
	_ = json.Unmarshal(line, &m)
	if string(m.ID) == "null" {
		m.ID = nil
	}
	if err := wire.CheckMembers(line); err != nil {
		reply(withID(mcp.NewJSONRPCError(mcp.RequestId{}, mcp.INVALID_REQUEST, err.Error(), nil), m.ID))
		return
	}
	switch {
	case m.ID == nil && m.Method == string(mcp.MethodNotificationCancelled):
		c.cancel(m.Params.RequestID)
		reply(nil)
		return
	case m.ID == nil || m.Method == string(mcp.MethodInitialize):
		c.batches = c.batches && m.ID == nil || m.Params.ProtocolVersion == versionOfBatches
		c.serve(c.ctx, m.ID, line, reply)
		return
	case m.Method == string(mcp.MethodSubscriptionsListen):
		c.running.Go(func() { c.serve(c.listening, m.ID, line, reply) })
		return
	}
	select {
	case c.slots <- struct{}{}:
	case <-ctx.Done():
		return
	}
	begin, end := func() {}, func() {}
	if m.Method == string(mcp.MethodToolsCall) {
		t, writes := c.server.GetTool(m.Params.Name), false
		if t != nil {
			writes = t.Tool.Annotations.ReadOnlyHint == nil || !*t.Tool.Annotations.ReadOnlyHint
		}
		begin, end = c.order.next(writes)
	}
	call, done := c.cancellable(m.ID)
	c.running.Go(func() {
		defer func() { <-c.slots }()
		defer end()
		defer done()
		begin()
		c.serve(call, m.ID, line, reply)
	})
}

// cancellable returns a context for a request, which the client may cancel by the request's id
// until done is called. mcp-go can cancel only running calls, not waiting ones.
func (c *conversation) cancellable(id json.RawMessage) (ctx context.Context, done func()) {
	ctx, cancel := context.WithCancelCause(c.ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls[string(id)] = cancel
	return ctx, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.calls, string(id))
		cancel(nil)
	}
}

// errCancelled means that the client no longer wants an answer.
var errCancelled = errors.New("cancelled by the client")

// cancel cancels a running or waiting request. Its effects so far remain, and it gets no
// answer.
func (c *conversation) cancel(id json.RawMessage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if cancel := c.calls[string(id)]; cancel != nil {
		cancel(errCancelled)
	}
}

// serve answers a message. If mcp-go panics, it answers with an internal error.
func (c *conversation) serve(ctx context.Context, id json.RawMessage, line []byte, reply func(answer any)) {
	var answer any
	defer func() {
		if p := recover(); p != nil {
			slog.Error("a message failed", "error", p)
			answer = mcp.NewJSONRPCError(mcp.RequestId{}, mcp.INTERNAL_ERROR, "the message cannot be served", nil)
		}
		reply(withID(answer, id))
	}()
	if answer = skills.Answer(line); answer == nil {
		answer = c.server.HandleMessage(ctx, line)
	}
	if errors.Is(context.Cause(ctx), errCancelled) {
		answer = nil
	}
	if answer == nil {
		return
	}
	// The notifications of a call come before its answer.
	sent := make(chan struct{})
	select {
	case c.flush <- sent:
		<-sent
	case <-c.ctx.Done():
	}
}

// withID gives an answer the id that the client sent. mcp-go reads a number as a float64, which
// changes those above 2^53.
func withID(answer any, id json.RawMessage) any {
	if id == nil {
		return answer
	}
	switch a := answer.(type) {
	case mcp.JSONRPCResponse:
		a.ID = mcp.NewRequestId(id)
		return a
	case mcp.JSONRPCError:
		a.ID = mcp.NewRequestId(id)
		return a
	}
	return answer
}

// send writes a message to the client, unless it is nil. If that fails, it stops the conversation.
func (c *conversation) send(message any) {
	if message == nil {
		return
	}
	text, err := json.Marshal(message)
	if err != nil {
		slog.Error("an answer cannot be encoded as JSON", "error", err)
		return
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	if _, err := c.out.Write(append(text, '\n')); err != nil {
		c.stop(fmt.Errorf("%w: %w", errOut, err))
	}
}

// notify sends the notifications of the server as they come, until the calls are over.
func (c *conversation) notify(notifications <-chan mcp.JSONRPCNotification) {
	for {
		select {
		case n := <-notifications:
			c.send(n)
		case sent := <-c.flush:
			for len(notifications) > 0 {
				c.send(<-notifications)
			}
			close(sent)
		case <-c.ctx.Done():
			return
		}
	}
}

// order gives concurrent calls the results that they would have one after another: a call
// that writes waits for all calls before it, and one that reads waits for the last write
// before it. So an agent may send a store and a search without waiting for the first answer.
type order struct {
	written chan struct{}   // closed when the last write is done
	reads   *sync.WaitGroup // reads after that write
}

func newOrder() *order {
	done := make(chan struct{})
	close(done)
	return &order{written: done, reads: new(sync.WaitGroup)}
}

// next registers the next call, which must run begin first, to wait for its turn, and end
// last. next must be called in the order of the messages.
func (o *order) next(writes bool) (begin, end func()) {
	written, reads := o.written, o.reads
	if !writes {
		reads.Add(1)
		return func() { <-written }, reads.Done
	}
	done := make(chan struct{})
	o.written, o.reads = done, new(sync.WaitGroup)
	return func() { <-written; reads.Wait() }, func() { close(done) }
}
