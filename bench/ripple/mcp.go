package main

import (
	"encoding/json"
	"fmt"
)

// server is a system that speaks MCP over stdio.
type server struct {
	*lines
	calls int
}

// tree is a JSON value of unknown shape.
type tree map[string]any

func startServer(environment []string, command string, arguments ...string) (*server, error) {
	l, err := startLines(environment, command, arguments...)
	if err != nil {
		return nil, err
	}
	s := &server{lines: l}
	hello := tree{"protocolVersion": "2025-06-18", "capabilities": tree{}, "clientInfo": tree{"name": "ripple", "version": "1"}}
	if _, err := s.ask("initialize", hello); err != nil {
		l.Close()
		return nil, err
	}
	return s, s.write(tree{"jsonrpc": "2.0", "method": "notifications/initialized"})
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
