// Package stdio serves the protocol on a pair of streams, one JSON message a
// line: standard input and output, where an agent starts the server.
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
	"hence/tools/wire"
)

const (
	maxLine    = 64 << 20        // bytes of one message; a memory's text is at most 8 MB before escapes
	maxRunning = 64              // requests served at a time
	grace      = 5 * time.Second // for running calls, once the context has ended
)

// Serve speaks the protocol, one JSON message a line, until in ends or ctx is
// done; it returns nil in both cases, and an error when out cannot be written.
// Calls that run are let finish. Only messages of the protocol go to out.
//
// mcp-go has a StdioServer too, but at the end of its input it drops the calls
// that run or wait, so that a piped conversation loses its last answers, and
// its sessions share one global.
func Serve(ctx context.Context, s *server.MCPServer, in io.Reader, out io.Writer) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	running, abandon := context.WithCancel(context.WithoutCancel(ctx))
	defer abandon()

	session := newSession()
	standing, hangUp := context.WithCancel(running)
	defer hangUp()
	if err := s.RegisterSession(running, session); err != nil {
		return err
	}
	defer s.UnregisterSession(running, session.SessionID())
	c := &conversation{
		server: s, ctx: s.WithContext(running, session), out: out, stop: stop,
		standing: s.WithContext(standing, session), hangUp: hangUp,
		slots: make(chan struct{}, maxRunning), order: newOrder(),
		calls: map[any]context.CancelCauseFunc{}, flush: make(chan chan struct{}),
	}
	var notifying sync.WaitGroup
	notifying.Go(func() { c.notify(session.notifications) })

	defer context.AfterFunc(ctx, func() { time.AfterFunc(grace, abandon) })()
	err := c.listen(ctx, in)
	c.hangUp()
	c.running.Wait()
	abandon()
	notifying.Wait()
	if failed := context.Cause(ctx); errors.Is(failed, errOut) {
		return failed
	}
	return err
}

// conversation is one client's.
type conversation struct {
	server   *server.MCPServer
	ctx      context.Context    // of the calls
	standing context.Context    // of calls that stay open until the input ends
	hangUp   context.CancelFunc // ends those
	stop     context.CancelCauseFunc
	writing  sync.Mutex
	out      io.Writer
	running  sync.WaitGroup
	slots    chan struct{}
	order    *order
	mu       sync.Mutex                      // guards calls
	calls    map[any]context.CancelCauseFunc // by the id of the request: those that run or wait
	flush    chan chan struct{}              // asks for the notifications there are to be sent
}

// errOut is that the client does not take what it is sent.
var errOut = errors.New("stdio: an answer cannot be written")

// listen takes messages until there are no more.
func (c *conversation) listen(ctx context.Context, in io.Reader) error {
	type message struct {
		line []byte
		err  error
	}
	messages := make(chan message)
	go func() { // stays behind where a read cannot be interrupted
		r := bufio.NewReader(in)
		for {
			line, err := lines.Read(r, nil, maxLine)
			select {
			case messages <- message{bytes.TrimSpace(line), err}:
			case <-ctx.Done():
				return
			}
			if err != nil && !errors.Is(err, lines.ErrTooLong) {
				return
			}
		}
	}()
	for {
		select {
		case <-ctx.Done():
			return nil
		case m := <-messages:
			switch {
			case errors.Is(m.err, lines.ErrTooLong):
				c.send(mcp.NewJSONRPCError(mcp.NewRequestId(nil), mcp.INVALID_REQUEST, fmt.Sprintf("a message has at most %d bytes", maxLine), nil))
			case len(m.line) > 0:
				c.take(ctx, m.line)
			}
			if errors.Is(m.err, io.EOF) {
				return nil
			}
			if m.err != nil && !errors.Is(m.err, lines.ErrTooLong) {
				return fmt.Errorf("stdio: %w", m.err)
			}
		}
	}
}

// take serves one message. Those that answer nothing, and initialize, are
// served at once; requests run beside each other.
func (c *conversation) take(ctx context.Context, line []byte) {
	var m struct {
		ID     any    `json:"id"`
		Method string `json:"method"`
		Params struct {
			Name      string `json:"name"`
			RequestID any    `json:"requestId"`
		} `json:"params"`
	}
	// A message that does not parse is answered as such by the server.
	_ = json.Unmarshal(line, &m)
	if err := wire.CheckMembers(line); err != nil {
		c.send(mcp.NewJSONRPCError(mcp.NewRequestId(m.ID), mcp.INVALID_REQUEST, err.Error(), nil))
		return
	}
	switch {
	case m.ID == nil && m.Method == string(mcp.MethodNotificationCancelled):
		c.cancel(m.Params.RequestID)
		return
	case m.ID == nil || m.Method == string(mcp.MethodInitialize):
		c.serve(c.ctx, m.ID, line)
		return
	case m.Method == string(mcp.MethodSubscriptionsListen):
		c.running.Go(func() { c.serve(c.standing, m.ID, line) })
		return
	}
	select {
	case c.slots <- struct{}{}:
	case <-ctx.Done():
		return
	}
	begin, end := func() {}, func() {}
	if m.Method == string(mcp.MethodToolsCall) {
		begin, end = c.order.next(c.writes(m.Params.Name))
	}
	call, done := c.cancellable(m.ID)
	c.running.Go(func() {
		defer func() { <-c.slots }()
		defer end()
		defer done()
		begin()
		c.serve(call, m.ID, line)
	})
}

// cancellable returns the context of a request that the client may cancel, by
// its id, from now until done is called. mcp-go's own way begins only when a
// call runs, which one that waits for its turn does not yet.
func (c *conversation) cancellable(id any) (ctx context.Context, done func()) {
	ctx, cancel := context.WithCancelCause(c.ctx)
	switch id.(type) {
	case string, float64:
	default:
		return ctx, func() { cancel(nil) } // no id that the protocol knows
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls[id] = cancel
	return ctx, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.calls, id)
		cancel(nil)
	}
}

// errCancelled is that the client wants no answer any more.
var errCancelled = errors.New("cancelled by the client")

// cancel ends a request that runs or waits. What has been done by it stays, and
// it is not answered.
func (c *conversation) cancel(id any) {
	switch id.(type) {
	case string, float64:
		c.mu.Lock()
		defer c.mu.Unlock()
		if cancel := c.calls[id]; cancel != nil {
			cancel(errCancelled)
		}
	}
}

// writes reports whether a tool may change the store.
func (c *conversation) writes(tool string) bool {
	t := c.server.GetTool(tool)
	if t == nil {
		return false
	}
	readOnly := t.Tool.Annotations.ReadOnlyHint
	return readOnly == nil || !*readOnly
}

// serve answers a message. A fault of the protocol's library on a strange
// message must not end the conversation.
func (c *conversation) serve(ctx context.Context, id any, line []byte) {
	defer func() {
		if p := recover(); p != nil {
			slog.Error("a message failed", "error", p)
			c.send(mcp.NewJSONRPCError(mcp.NewRequestId(id), mcp.INTERNAL_ERROR, "the message cannot be served", nil))
		}
	}()
	if answer := c.server.HandleMessage(ctx, line); answer != nil && !errors.Is(context.Cause(ctx), errCancelled) {
		c.sendNotifications()
		c.send(answer)
	}
}

// sendNotifications waits until those that were said have been sent: what is
// said of a call comes before its answer.
func (c *conversation) sendNotifications() {
	sent := make(chan struct{})
	select {
	case c.flush <- sent:
		<-sent
	case <-c.ctx.Done():
	}
}

func (c *conversation) send(message any) {
	text, err := json.Marshal(message)
	if err != nil {
		slog.Error("an answer has no JSON", "error", err)
		return
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	if _, err := c.out.Write(append(text, '\n')); err != nil {
		c.stop(fmt.Errorf("%w: %w", errOut, err))
	}
}

// notify sends what the server says unasked.
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
