package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"hence/cmd/hence/internal/screen"
)

// ifStopped says what holds after Ctrl-C, by the name of a command, or of a command with a flag.
// Other commands change nothing, or little and at once.
var ifStopped = map[string]string{
	"import":           "what was taken in is kept, and the same command goes on from there",
	"sync":             "what was merged is kept, and the same command goes on from there",
	"embed run":        "the vectors that were made are kept, and the same command goes on from there",
	"tidy":             "what was accepted before is kept",
	"doctor --fix":     "what was mended before is kept, and the same command goes on from there",
	"vacuum":           "the store holds what it held; run it again",
	"backup":           "no copy was made; run it again",
	"backup --restore": "the store holds what it held, or all of the backup; run it again",
	"cluster import":   "the cluster holds what it held, or all of the file; run it again",
	"export":           "what was written is not all; run it again",
	"export --vault":   "the folder has a part of the notes; remove it, and run it again",
	"forget --vault":   "what was forgotten before stays so, and the same command goes on from there",
}

// stopped returns the message of a command that Ctrl-C stopped.
func stopped(cmd *cobra.Command) string {
	if cmd == nil {
		return "stopped"
	}
	if dry := cmd.Flags().Lookup("dry-run"); dry != nil && dry.Value.String() == "true" {
		return "stopped; nothing was written"
	}
	name := strings.TrimPrefix(cmd.CommandPath(), "hence ")
	text := ifStopped[name]
	for _, flag := range []string{"fix", "restore", "vault"} {
		if with, ok := ifStopped[name+" --"+flag]; ok && cmd.Flags().Changed(flag) {
			text = with
		}
	}
	return strings.TrimSuffix("stopped; "+text, "; ")
}

// freshLine ends the line on which a terminal shows ^C or a bar.
func (s *session) freshLine() {
	if screen.IsTerminal(s.err) {
		fmt.Fprintln(s.err)
	}
}

// input is standard input, of which no read outlasts Ctrl-C.
func (s *session) input() io.Reader { return stoppable{s.ctx, s.in} }

// stoppable is a reader of which no read outlasts its context.
type stoppable struct {
	ctx context.Context
	in  io.Reader
}

func (r stoppable) Read(p []byte) (n int, err error) {
	read, buffer := make(chan error, 1), make([]byte, len(p))
	go func() {
		count, err := r.in.Read(buffer)
		buffer = buffer[:count]
		read <- err
	}()
	select {
	case <-r.ctx.Done():
		return 0, r.ctx.Err()
	case err := <-read:
		return copy(p, buffer), err
	}
}
