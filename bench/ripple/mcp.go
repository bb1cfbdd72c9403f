package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// server is a system that speaks MCP over stdio.
type server struct {
	*lines
	program, folder string
	calls           int
	again           func() error // starts it
}

// tree is a JSON value of unknown shape.
type tree map[string]any

// opens returns how a system is opened that has a program.
func opens(program string, open func(*server) (Adapter, error)) func(string) (Adapter, error) {
	return func(folder string) (Adapter, error) { return open(&server{program: program, folder: folder}) }
}

// start starts the process in its folder, which is its home too, and greets it.
func (s *server) start(environment []string, program string, arguments ...string) (err error) {
	s.again = func() error { return s.start(environment, program, arguments...) }
	command := exec.Command(program, arguments...)
	command.Dir, command.Env = s.folder, append(append(os.Environ(), "HOME="+s.folder), environment...)
	if s.lines, err = startLines(command); err != nil {
		return err
	}
	hello := tree{"protocolVersion": "2025-06-18", "capabilities": tree{}, "clientInfo": tree{"name": "ripple", "version": "1"}}
	if _, err := s.ask("initialize", hello); err != nil {
		s.Close()
		return err
	}
	return s.write(tree{"jsonrpc": "2.0", "method": "notifications/initialized"})
}

// restart ends the process, does something to its files, and starts it again.
func (s *server) restart(do func() error) error {
	if err := s.Close(); err != nil {
		return err
	}
	if err := do(); err != nil {
		return err
	}
	return s.again()
}

func (s *server) ask(method string, parameters any) (json.RawMessage, error) {
	s.calls++
	if err := s.write(tree{"jsonrpc": "2.0", "id": s.calls, "method": method, "params": parameters}); err != nil {
		return nil, err
	}
	for {
		var reply struct {
			ID     int
			Result json.RawMessage
			Error  *struct{ Message string }
		}
		if err := s.read(&reply); err != nil {
			return nil, err
		}
		if reply.ID != s.calls {
			continue // a notification
		}
		if reply.Error != nil {
			return nil, fmt.Errorf("%s: %s", method, reply.Error.Message)
		}
		return reply.Result, nil
	}
}

// call calls a tool and reads its structured result, or else its text, into a value; a text
// that is no JSON is left out.
func (s *server) call(tool string, arguments tree, into any) error {
	raw, err := s.ask("tools/call", tree{"name": tool, "arguments": arguments})
	if err != nil {
		return err
	}
	var result struct {
		Content           []struct{ Text string }
		StructuredContent json.RawMessage
		IsError           bool
	}
	if err := json.Unmarshal(raw, &result); err != nil {
		return err
	}
	text := ""
	for _, c := range result.Content {
		text += c.Text
	}
	if result.IsError {
		return fmt.Errorf("%s: %s", tool, text)
	}
	if into == nil {
		return nil
	}
	if len(result.StructuredContent) > 0 {
		return json.Unmarshal(result.StructuredContent, into)
	}
	return json.Unmarshal([]byte(text), into)
}

// native is an adapter that is part of ripple. A server's calls are counted for it.
type native struct {
	*server        // nil if the system is none
	has     string // words
	do      func(Request) (Answer, error)
}

func (n native) Do(r Request) (answer Answer, err error) {
	if r.Do == "has" {
		return Answer{Has: strings.Fields(n.has)}, nil
	}
	if n.server == nil {
		return n.do(r)
	}
	before := n.calls
	answer, err = n.do(r)
	answer.Calls = max(1, n.calls-before)
	return answer, err
}

func (n native) Close() error {
	if n.server == nil {
		return nil
	}
	return n.server.Close()
}

// output runs a program in a folder, which is its home too, and returns what it prints.
func output(folder, program string, arguments ...string) (string, error) {
	command := exec.Command(program, arguments...)
	command.Dir, command.Env = folder, append(os.Environ(), "HOME="+folder)
	out, err := command.Output()
	if failed, is := err.(*exec.ExitError); is {
		err = fmt.Errorf("%s: %s", command, failed.Stderr)
	}
	return string(out), err
}

// put writes a file, and makes its folder.
func put(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o644)
}

// filled leaves out arguments that are empty.
func filled(arguments tree) tree {
	for name, value := range arguments {
		if list, is := value.([]string); value == "" || is && len(list) == 0 {
			delete(arguments, name)
		}
	}
	return arguments
}

// some is a list of what is not empty.
func some(values ...string) (list []string) {
	for _, value := range values {
		if value != "" {
			list = append(list, value)
		}
	}
	return list
}

// moment is the first moment of a day, in UTC.
func moment(day string) string {
	if day == "" {
		return ""
	}
	return day + "T00:00:00Z"
}

// marks are those that hold, of the four in this order.
func marks(replaced, doubt, conflict, over bool) (all []string) {
	for i, mark := range []string{"replaced", "doubt", "conflict", "over"} {
		if []bool{replaced, doubt, conflict, over}[i] {
			all = append(all, mark)
		}
	}
	return all
}
