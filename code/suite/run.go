package suite

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"hence/internal/budget"
	"hence/internal/fault"
)

// Result is a run of a suite.
type Result struct {
	Suite      string   `json:"suite"`
	Exit       int      `json:"exit" jsonschema:"0: all passed; -1: ended by a signal"`
	DurationMS int64    `json:"duration_ms"`
	Output     string   `json:"output" jsonschema:"its beginning and its end"`
	Failures   []string `json:"failures" jsonschema:"names of failed tests, as the output has them"`
	Truncated  bool     `json:"truncated" jsonschema:"something of the output was left out"`
	Next       string   `json:"next,omitempty"`
	TimedOut   bool     `json:"timed_out,omitempty"`
}

// commonVariables are the environment variables that every suite gets.
var commonVariables = []string{"PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "TMPDIR", "TZ"}

// grace is the time between SIGTERM and SIGKILL, and the limit for reading the rest of the
// output of children that the program left running.
const grace = 2 * time.Second

// Run runs a suite in a folder. A run ends with ctx, or after the suite's own time limit
// or limit, if that is above 0 and shorter; then its whole process group is ended. A test
// that fails is not an error. Run fails with invalid_argument for a value that the suite
// does not take, and with unavailable if the program cannot be started or ctx ended.
func (s Suite) Run(ctx context.Context, operation, folder string, v Values, limit time.Duration) (Result, error) {
	arguments, err := s.fill(operation, v)
	if err != nil {
		return Result{}, err
	}
	if longest := time.Duration(s.TimeoutS) * time.Second; limit <= 0 || limit > longest {
		limit = longest
	}
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	output := &capture{failures: []string{}}
	begin := time.Now()
	state, err := s.execute(limited, folder, arguments, output)
	if err != nil {
		return Result{}, fault.Wrap(fault.Unavailable, err, "%s: the suite %s cannot be started", operation, s.Name)
	}
	if err := ctx.Err(); err != nil {
		return Result{}, fault.Wrap(fault.Unavailable, err, "%s: the suite %s was stopped", operation, s.Name)
	}
	result := Result{
		Suite: s.Name, Exit: state.ExitCode(), DurationMS: time.Since(begin).Milliseconds(),
		Failures: output.failures, TimedOut: errors.Is(limited.Err(), context.DeadlineExceeded),
	}
	result.Output, result.Truncated = output.text()
	return result, nil
}

// execute runs a program. It returns after the program has ended and its process group
// was killed.
func (s Suite) execute(ctx context.Context, folder string, arguments []string, output *capture) (*os.ProcessState, error) {
	command := exec.CommandContext(ctx, arguments[0], arguments[1:]...)
	command.Dir, command.Env = folder, s.environment(os.Environ())
	command.Stdout, command.Stderr = output, output
	InOwnGroup(command)
	command.WaitDelay = grace
	command.Cancel = func() error {
		SignalGroup(command.Process.Pid, false)
		return nil
	}
	if err := command.Start(); err != nil {
		return nil, err
	}
	err := command.Wait()
	SignalGroup(command.Process.Pid, true) // children that the program left running
	output.endLine()
	var exit *exec.ExitError
	if err != nil && ctx.Err() == nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay) {
		return nil, err
	}
	return command.ProcessState, nil
}

// environment returns the variables for the suite. All others are left out, because they
// may hold settings of the store or secrets of the person.
func (s Suite) environment(all []string) []string {
	variables := []string{"NO_COLOR=1"}
	for _, variable := range all {
		name, _, _ := strings.Cut(variable, "=")
		if slices.Contains(commonVariables, name) || slices.Contains(s.Environment, name) {
			variables = append(variables, variable)
		}
	}
	return variables
}

// Fit returns the result cut to cost at most the given tokens; 0 sets no limit. It cuts
// the output to 2 bytes per token, and keeps more of its end than of its beginning.
func (r Result) Fit(ctx context.Context, tokens int) (Result, error) {
	if tokens == 0 {
		return r, nil
	}
	if maxBytes := 2 * tokens; len(r.Output) > maxBytes {
		r.Output, r.Truncated, r.Next = cutMiddle(r.Output, maxBytes), true, budget.Next
	}
	return budget.Fit(ctx, tokens, len(r.Failures), func(entries, bytes int) Result {
		s := r
		if s.Failures = r.Failures[:entries]; entries < len(r.Failures) {
			s.Truncated, s.Next = true, budget.Next
		}
		if len(s.Output) > bytes {
			s.Output = cutMiddle(s.Output, bytes)
		}
		return s
	})
}

// cutMiddle shortens a text to a number of bytes: a quarter from its beginning, and three
// quarters from its end. The text must be longer than that.
func cutMiddle(text string, bytes int) string {
	const gap = "\n…\n"
	if bytes <= len(gap) {
		return ""
	}
	bytes -= len(gap)
	head, tail := text[:bytes/4], text[len(text)-(bytes-bytes/4):]
	return strings.ToValidUTF8(head, "") + gap + strings.ToValidUTF8(tail, "")
}
