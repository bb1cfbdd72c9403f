package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
)

// An Adapter puts ripple's requests to one system. It translates and passes on: it keeps
// nothing of its own, and what it answers is what its system said.
type Adapter interface {
	Do(Request) (Answer, error)
	Close() error
}

// A Request is an event or a question. docs/ripple.md says what each means.
type Request struct {
	Do          string    `json:"do"`
	About       string    `json:"about,omitempty"`        // what a statement is about, such as "port of the job queue"
	Text        string    `json:"text,omitempty"`         // the statement
	Handle      string    `json:"handle,omitempty"`       // the statement's name, as the system gave it
	From        string    `json:"from,omitempty"`         // the day from which it holds, 2025-03-01
	Until       string    `json:"until,omitempty"`        // the first day on which it no longer holds
	RestsOn     []string  `json:"rests_on,omitempty"`     // handles
	DerivesFrom []string  `json:"derives_from,omitempty"` // handles of sources
	Supersedes  string    `json:"supersedes,omitempty"`   // a handle
	Contradicts string    `json:"contradicts,omitempty"`  // a handle
	Note        bool      `json:"note,omitempty"`         // it is a file that a person edits by hand
	Words       string    `json:"words,omitempty"`        // of a question
	Day         string    `json:"day,omitempty"`          // as of which a question is meant
	Instant     string    `json:"instant,omitempty"`      // as known at which, RFC 3339 with nanoseconds
	Folder      string    `json:"folder,omitempty"`       // of the store to merge from
	Many        []Request `json:"many,omitempty"`         // statements
}

// An Answer says what the system answered.
type Answer struct {
	Has    []string   `json:"has,omitempty"`    // what the system can do, to "has"
	Handle string     `json:"handle,omitempty"` // of the statement that was stored
	Shown  []Shown    `json:"shown,omitempty"`  // statements, best first
	Routes [][]string `json:"routes,omitempty"` // of handles, from a statement to what changed
	Text   string     `json:"text,omitempty"`   // an export
	Calls  int        `json:"calls,omitempty"`  // how often the system was called for it
	Error  string     `json:"error,omitempty"`
}

// A Shown is a statement as an answer shows it, known by its handle or by its own text,
// and what the answer says of it: "replaced", "doubt", "conflict" or "over".
type Shown struct {
	Handle string   `json:"handle,omitempty"`
	Text   string   `json:"text,omitempty"`
	Marks  []string `json:"marks,omitempty"`
}

// errLacks answers a request that the system has nothing for.
var errLacks = errors.New("the system has no such thing")

// lines is a process that reads one JSON object a line and answers with one.
type lines struct {
	process *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
}

func startLines(process *exec.Cmd) (*lines, error) {
	in, err := process.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &lines{process, in, bufio.NewReader(out)}, process.Start()
}

func (l *lines) write(value any) error {
	line, err := json.Marshal(value)
	if err != nil {
		return err
	}
	_, err = l.in.Write(append(line, '\n'))
	return err
}

func (l *lines) read(into any) error {
	line, err := l.out.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("%s answered nothing: %w", l.process.Path, err)
	}
	return json.Unmarshal(line, into)
}

// Close ends the process by closing what it reads from.
func (l *lines) Close() error {
	l.in.Close()
	io.Copy(io.Discard, l.out)
	return l.process.Wait()
}

// program is an adapter in a process of its own, in any language.
type program struct{ *lines }

func (p program) Do(request Request) (answer Answer, err error) {
	if err := p.write(request); err != nil {
		return answer, err
	}
	if err := p.read(&answer); err != nil {
		return answer, err
	}
	if answer.Error != "" {
		err = errors.New(answer.Error)
	}
	return answer, err
}
