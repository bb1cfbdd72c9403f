package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// command is the command line and environment with which a server is started.
type command struct {
	argv []string
	env  []string // added to that of this process
}

// call is one call of a tool.
type call struct {
	tool      string
	arguments map[string]any
}

// running is a server over stdio with its client.
type running struct {
	client  *client.Client
	process *os.Process
}

// start starts a server and initializes it.
func start(ctx context.Context, c command) (*running, error) {
	r := &running{}
	var cmd *exec.Cmd
	stdio, err := client.NewStdioMCPClientWithOptions(c.argv[0], nil, c.argv[1:], transport.WithCommandFunc(
		func(ctx context.Context, name string, _ []string, args []string) (*exec.Cmd, error) {
			cmd = exec.CommandContext(ctx, name, args...)
			cmd.Env = append(os.Environ(), c.env...)
			return cmd, nil
		}))
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", c.argv[0], err)
	}
	r.client, r.process = stdio, cmd.Process
	hello := mcp.InitializeRequest{}
	hello.Params.ProtocolVersion = "2025-06-18" // the newest that all of them support
	hello.Params.ClientInfo = mcp.Implementation{Name: "bench", Version: "1"}
	if _, err := stdio.Initialize(ctx, hello); err != nil {
		r.stop()
		return nil, fmt.Errorf("initialize %s: %w", c.argv[0], err)
	}
	return r, nil
}

// stop ends a server. Its error is ignored.
func (r *running) stop() { _ = r.client.Close() }

// ask makes a call and returns the text of the result and how long it took. It fails
// for a result that is marked as an error.
func (r *running) ask(ctx context.Context, c call) (string, time.Duration, error) {
	request := mcp.CallToolRequest{}
	request.Params.Name, request.Params.Arguments = c.tool, c.arguments
	before := time.Now()
	result, err := r.client.CallTool(ctx, request)
	took := time.Since(before)
	if err != nil {
		return "", took, fmt.Errorf("%s: %w", c.tool, err)
	}
	var answer strings.Builder
	for _, part := range result.Content {
		if text, ok := part.(mcp.TextContent); ok {
			answer.WriteString(text.Text)
		}
	}
	if result.StructuredContent != nil {
		fmt.Fprint(&answer, result.StructuredContent)
	}
	if result.IsError {
		return "", took, fmt.Errorf("%s: %.200s", c.tool, answer.String())
	}
	return answer.String(), took, nil
}

// memory returns the server's current and highest resident memory in bytes, as Linux
// counts it.
func (r *running) memory() (now, highest int64, err error) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", r.process.Pid))
	if err != nil {
		return 0, 0, fmt.Errorf("memory in use: %w", err)
	}
	for line := range strings.Lines(string(raw)) {
		name, rest, _ := strings.Cut(line, ":")
		kilobytes, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
		switch name {
		case "VmRSS":
			now = kilobytes << 10
		case "VmHWM":
			highest = kilobytes << 10
		}
	}
	return now, highest, nil
}
