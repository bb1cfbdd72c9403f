package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// talk runs hence serve and sends it the requests of a file, each when the one
// before has been answered, as an agent does. It prints the answers with ids
// and times replaced. A line of the file is a JSON-RPC message as it goes over
// the wire, or short for a call of a tool:
//
//	memory_get {"id": "Job Queue"}
//
// or an event outside the conversation: a file that is saved, or a call that is
// repeated until its answer contains a text (without blanks); the last answer is
// printed:
//
//	save vault/a.md TEXT
//	until TEXT list_notes {}
func talk(ts *testscript.TestScript, neg bool, args []string) {
	c := connect(ts, args[1:])
	var out strings.Builder
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		fmt.Fprintf(&out, "> %s\n", line)
		for _, answer := range c.does(ts, line) {
			fmt.Fprintf(&out, "%s\n", answer)
		}
	}
	fmt.Fprint(ts.Stdout(), normalise(out.String()))
	err := c.close()
	fmt.Fprint(ts.Stderr(), c.log.String())
	if (err != nil) != neg {
		ts.Fatalf("hence serve: %v", err)
	}
}

// client is an agent's end of the conversation.
type client struct {
	process *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	log     bytes.Buffer
	sent    int
}

func connect(ts *testscript.TestScript, flags []string) *client {
	env := ts.Value("env").(*testscript.Env)
	c := &client{process: exec.Command(env.Getenv("HENCE"), append([]string{"serve"}, flags...)...)}
	c.process.Env = append(env.Vars, "HENCE_DB="+ts.Getenv("HENCE_DB"), "XDG_STATE_HOME="+ts.Getenv("XDG_STATE_HOME"), "HENCE_SESSION_ID="+ts.Getenv("HENCE_SESSION_ID"), "CLAUDE_CODE_SESSION_ID="+ts.Getenv("CLAUDE_CODE_SESSION_ID")) // which a script may set
	c.process.Dir = env.WorkDir
	c.process.Stderr = &c.log
	in, err := c.process.StdinPipe()
	ts.Check(err)
	out, err := c.process.StdoutPipe()
	ts.Check(err)
	c.in, c.out = in, bufio.NewReader(out)
	ts.Check(c.process.Start())
	ts.Defer(func() { _ = c.process.Process.Kill() }) // of a script that failed half-way
	return c
}

// does what a line says, and returns what came of it.
func (c *client) does(ts *testscript.TestScript, line string) []string {
	what, rest, _ := strings.Cut(line, " ")
	switch first, rest, _ := strings.Cut(rest, " "); what {
	case "save":
		ts.Check(os.WriteFile(ts.MkAbs(first), []byte(rest), 0o644))
		return nil
	case "until":
		for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
			answers := c.send(ts, rest)
			if strings.Contains(strings.Join(answers, ""), first) {
				return answers
			}
			if time.Now().After(deadline) {
				ts.Fatalf("the answer never holds %s; the last is %s", first, answers)
			}
		}
	}
	return c.send(ts, line)
}

// send sends one line and returns what came until it was answered.
func (c *client) send(ts *testscript.TestScript, line string) []string {
	message := c.message(ts, line)
	_, err := c.in.Write(append(message, '\n'))
	ts.Check(err)
	var request struct {
		ID any `json:"id"`
	}
	if json.Unmarshal(message, &request) == nil && request.ID == nil {
		return nil // a notification
	}
	answers := []string{}
	for {
		text, err := c.out.ReadBytes('\n')
		ts.Check(err)
		var answer struct {
			ID any `json:"id"`
		}
		ts.Check(json.Unmarshal(text, &answer)) // stdout belongs to the protocol
		answers = append(answers, readable(ts, text))
		if answer.ID == request.ID || answer.ID == nil && request.ID == nil {
			return answers
		}
	}
}

// message is a line as it goes over the wire.
func (c *client) message(ts *testscript.TestScript, line string) []byte {
	tool, arguments, short := strings.Cut(line, " ")
	if strings.HasPrefix(line, "{") || !short {
		return []byte(line)
	}
	c.sent++
	message, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": fmt.Sprintf("call-%d", c.sent), "method": "tools/call",
		"params": map[string]any{"name": tool, "arguments": json.RawMessage(arguments)},
	})
	ts.Check(err)
	return message
}

// readable is a tool's answer as its structured result, and any other message
// as it came. What the text beside the result says is tested in tools; that
// there is one is tested here.
func readable(ts *testscript.TestScript, text []byte) string {
	var answer struct {
		Result *struct {
			IsError    bool            `json:"isError"`
			Structured json.RawMessage `json:"structuredContent"`
			Content    []struct {
				Text string `json:"text"`
			} `json:"content"`
		} `json:"result"`
	}
	ts.Check(json.Unmarshal(text, &answer))
	if answer.Result == nil || answer.Result.Structured == nil {
		return strings.TrimSpace(string(text))
	}
	if len(answer.Result.Content) != 1 || answer.Result.Content[0].Text == "" {
		ts.Fatalf("an answer without a text: %s", text)
	}
	if answer.Result.IsError {
		return "refused " + string(answer.Result.Structured)
	}
	return string(answer.Result.Structured)
}

// close ends the conversation as a client does, and returns how the server
// took it.
func (c *client) close() error {
	return errors.Join(c.in.Close(), c.process.Wait())
}
