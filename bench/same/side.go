package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// side is one binary with its store in a folder of its own.
type side struct {
	binary, dir string
	seen        []seen
	equal       equal
	sort        sort
}

// seen is what one side said to one question, with ids and times made equal.
type seen struct{ what, text string }

func (s *side) file() string { return filepath.Join(s.dir, "store.db") }

// build makes the store and lists what it holds.
func (s *side) build(ctx context.Context, st store) error {
	if err := os.MkdirAll(filepath.Join(s.dir, "home"), 0o755); err != nil {
		return err
	}
	if err := st.build(ctx, s); err != nil {
		return err
	}
	return s.snapshot(ctx, "built")
}

// snapshot records the export and the tables as they are now.
func (s *side) snapshot(ctx context.Context, when string) error {
	exported, err := s.output(ctx, s.file(), "export")
	if err != nil {
		return err
	}
	if err := s.equal.learn(ctx, s.file(), exported); err != nil {
		return err
	}
	exported = s.equal.text(exported)
	if s.sort != notes { // ids of edges that are hashes, and the order that they give, are of one store
		lines := strings.Split(exported, "\n")
		slices.Sort(lines)
		exported = strings.Join(lines, "\n")
	}
	s.record(when+": export", exported)
	tables, err := s.equal.tables(ctx, s.file())
	if err != nil {
		return err
	}
	s.seen = append(s.seen, tables.under(when)...)
	return nil
}

func (s *side) record(what, text string) {
	if strings.Contains(what, "tidy") { // proposals that are as sure as others come in the order of their keys
		lines := strings.SplitAfter(s.equal.text(text), "\n")
		slices.Sort(lines)
		text = strings.Join(lines, "")
	}
	s.seen = append(s.seen, seen{s.equal.text(what), s.equal.text(text)})
}

// output runs a command on a store and returns what it prints on both streams.
func (s *side) output(ctx context.Context, file string, arguments ...string) (string, error) {
	said, err := s.command(ctx, append(arguments, "--db", file)...).CombinedOutput()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return fmt.Sprintf("%s(exit %d)\n", said, exit.ExitCode()), nil
	}
	return string(said), err
}

// spent is a time that a command says it took.
var spent = regexp.MustCompile(`\b\d+(\.\d+)? (ms|µs|s)\b`)

// must runs a command that has to succeed, and records what it says.
func (s *side) must(ctx context.Context, file string, arguments ...string) error {
	said, err := s.output(ctx, file, arguments...)
	if err == nil && strings.Contains(said, "(exit ") {
		err = errors.New(said)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", strings.Join(arguments, " "), err)
	}
	s.record(strings.Join(arguments, " "), spent.ReplaceAllString(said, "‹spent›"))
	return nil
}

func (s *side) command(ctx context.Context, arguments ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, s.binary, arguments...)
	cmd.Dir = s.dir
	cmd.Env = []string{"HOME=" + filepath.Join(s.dir, "home"), "PATH=" + os.Getenv("PATH"), "USER=tester", "TZ=UTC", "LANG=C.UTF-8"}
	return cmd
}

// ask makes all calls of a plan, and records every answer.
func (s *side) ask(ctx context.Context, p plan) error {
	for _, words := range p.before {
		if err := s.say(ctx, words); err != nil {
			return err
		}
	}
	if err := s.serve(ctx, p); err != nil {
		return err
	}
	if err := s.snapshot(ctx, "asked"); err != nil {
		return err
	}
	for _, words := range p.after {
		if err := s.say(ctx, words); err != nil {
			return err
		}
	}
	return s.snapshot(ctx, "undone")
}

func (s *side) say(ctx context.Context, words []string) error {
	said, err := s.output(ctx, s.file(), words...)
	if err != nil {
		return fmt.Errorf("%s: %w", strings.Join(words, " "), err)
	}
	s.record("hence "+strings.Join(words, " "), indented(said))
	return nil
}

// indented writes an answer of JSON over several lines, so that a difference is short.
func indented(text string) string {
	var out bytes.Buffer
	if json.Indent(&out, []byte(text), "", " ") != nil {
		return text
	}
	return out.String()
}

// serve starts one server, makes the calls one after the other, and ends it.
func (s *side) serve(ctx context.Context, p plan) error {
	words := []string{"serve", "--db", s.file(), "--no-watch", "--no-usage"}
	if p.isVault {
		words = append(words, "--vault-write")
	}
	cmd := s.command(ctx, words...)
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	var logged bytes.Buffer
	cmd.Stderr = &logged
	if err := cmd.Start(); err != nil {
		return err
	}
	c := conversation{in: in, out: bufio.NewReaderSize(out, 1<<20)}
	if err := s.talk(&c, p.calls); err != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		return fmt.Errorf("%w: %s", err, logged.String())
	}
	_ = in.Close()
	return cmd.Wait()
}

// conversation is a server's two streams.
type conversation struct {
	in  io.Writer
	out *bufio.Reader
	id  int
}

// request sends one request and returns its result or error.
func (c *conversation) request(method string, params any) (json.RawMessage, error) {
	c.id++
	line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": c.id, "method": method, "params": params})
	if err != nil {
		return nil, err
	}
	if _, err := c.in.Write(append(line, '\n')); err != nil {
		return nil, err
	}
	for {
		line, err := c.out.ReadBytes('\n')
		if err != nil {
			return nil, fmt.Errorf("%s: the server said no more: %w", method, err)
		}
		var answer struct {
			ID            int
			Result, Error json.RawMessage
		}
		if err := json.Unmarshal(line, &answer); err != nil {
			return nil, fmt.Errorf("%s: %w: %.200s", method, err, line)
		}
		if answer.ID != c.id { // a notification
			continue
		}
		if answer.Error != nil {
			return answer.Error, nil
		}
		return answer.Result, nil
	}
}

func (s *side) talk(c *conversation, calls []call) error {
	hello := map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "same", "version": "1"}}
	if _, err := c.request("initialize", hello); err != nil {
		return err
	}
	if _, err := io.WriteString(c.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"); err != nil {
		return err
	}
	listed, err := c.request("tools/list", map[string]any{})
	if err != nil {
		return err
	}
	s.record("tools/list", indented(string(listed)))
	var last answer
	pending := []seen{}
	for _, one := range calls {
		arguments := one.arguments
		switch {
		case one.next && last.next == "", one.key && last.key == "":
			continue
		case one.next:
			arguments = with(arguments, "cursor", last.next)
		case one.key:
			arguments = with(arguments, "accept", []string{last.key})
		}
		time.Sleep(2 * time.Millisecond) // so that no two calls write at one time, which decides the order of lists
		result, err := c.request("tools/call", map[string]any{"name": one.tool, "arguments": arguments})
		if err != nil {
			return err
		}
		said, err := json.Marshal(one.arguments)
		if err != nil {
			return err
		}
		last = answerOf(result)
		s.equal.hear(last.structure)
		pending = append(pending, seen{fmt.Sprintf("%s %s", one.tool, said), last.text})
	}
	// What the calls stored has its ids now.
	exported, err := s.output(context.Background(), s.file(), "export")
	if err != nil {
		return err
	}
	if err := s.equal.learn(context.Background(), s.file(), exported); err != nil {
		return err
	}
	for _, one := range pending {
		s.record(one.what, one.text)
	}
	return nil
}

func with(arguments map[string]any, name string, value any) map[string]any {
	more := map[string]any{name: value}
	for k, v := range arguments {
		more[k] = v
	}
	return more
}

// answer is the result of a call: its text and structure, without what no two runs share.
type answer struct {
	text, next, key string
	structure       any
}

func answerOf(result json.RawMessage) answer {
	var parts struct {
		Content           []struct{ Text string }
		StructuredContent json.RawMessage
		IsError           bool
	}
	if json.Unmarshal(result, &parts) != nil || parts.Content == nil {
		return answer{text: indented(string(result))}
	}
	var out strings.Builder
	for _, c := range parts.Content {
		out.WriteString(c.Text + "\n")
	}
	fmt.Fprintf(&out, "error: %v\n", parts.IsError)
	out.WriteString(indented(string(parts.StructuredContent)))
	a := answer{text: out.String()}
	_ = json.Unmarshal(parts.StructuredContent, &a.structure)
	var structure struct {
		Next      any
		Proposals []struct{ Key string }
	}
	if json.Unmarshal(parts.StructuredContent, &structure) == nil {
		if next, ok := structure.Next.(string); ok && next != "" {
			a.next, a.text = next, strings.ReplaceAll(a.text, next, "‹cursor›")
		}
		for _, p := range structure.Proposals {
			if a.key == "" {
				a.key = p.Key
			}
		}
	}
	return a
}
