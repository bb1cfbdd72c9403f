//go:build unix

package suite

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"hence/internal/fault"
)

// shell returns a suite that runs a script in a shell.
func shell(script string) Suite {
	return Suite{Name: "sh", Arguments: []string{"sh", "-c", script}, TimeoutS: 60}
}

func TestRun(t *testing.T) {
	folder := t.TempDir()
	r, err := shell("pwd; echo oops >&2; echo '--- FAIL: TestX (0.00s)'; exit 3").Run(t.Context(), operation, folder, Values{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	realFolder, err := filepath.EvalSymlinks(folder)
	if err != nil {
		t.Fatal(err)
	}
	if r.Exit != 3 || r.Truncated || r.TimedOut || len(r.Failures) != 1 || r.Failures[0] != "TestX" ||
		!strings.Contains(r.Output, filepath.Base(realFolder)) || !strings.Contains(r.Output, "oops") {
		t.Errorf("%+v", r)
	}
	if r, err := shell("true").Run(t.Context(), operation, folder, Values{}, 0); err != nil || r.Exit != 0 || r.Failures == nil {
		t.Errorf("%+v, %v", r, err)
	}
	none := Suite{Name: "none", Arguments: []string{"hence-no-such-program"}, TimeoutS: 60}
	if _, err := none.Run(t.Context(), operation, folder, Values{}, 0); fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("a program that is not there: %v", err)
	}
}

// A value is passed to the program as one argument, even if a shell would interpret it.
func TestRunWithHostileValues(t *testing.T) {
	s := Suite{Name: "print", Arguments: []string{"printf", "<%s>", "run={run}"}, TimeoutS: 60}
	folder := t.TempDir()
	for _, value := range []string{"; touch gone", "$(touch gone)", "`touch gone`", "a b", "'", `"`, "*", "%s%s", "| cat", "&& touch gone", "> gone"} {
		r, err := s.Run(t.Context(), operation, folder, Values{Run: value}, 0)
		if err != nil {
			t.Fatal(err)
		}
		if want := "<run=" + value + ">"; r.Output != want {
			t.Errorf("%q: %q, want %q", value, r.Output, want)
		}
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) != 0 {
		t.Errorf("the folder has %v, %v", left, err)
	}
}

func TestRunOfMuchOutput(t *testing.T) {
	r, err := shell("echo first; head -c 50000000 /dev/zero; echo; echo '--- FAIL: TestLate'; echo last").Run(t.Context(), operation, t.TempDir(), Values{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if !r.Truncated || !strings.HasPrefix(r.Output, "first\n") || !strings.HasSuffix(r.Output, "last\n") || len(r.Output) > 3*keptBytes {
		t.Errorf("%d bytes of output: %.20q … %.20q", len(r.Output), r.Output, r.Output[len(r.Output)-20:])
	}
	if len(r.Failures) != 1 || r.Failures[0] != "TestLate" {
		t.Errorf("failures: %q", r.Failures)
	}
}

// The end of a run ends its child processes too, even if they ignore the first signal.
func TestRunEndsItsWholeGroup(t *testing.T) {
	for name, script := range map[string]string{
		"Sleeping":          "sleep 600 & echo $! > child; wait",
		"IgnoringTheSignal": "trap '' TERM; (trap '' TERM; sleep 600) & echo $! > child; sleep 600; sleep 600",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			child := filepath.Join(folder, "child")
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				defer cancel()
				for range 12_000 {
					if text, err := os.ReadFile(child); err == nil && strings.HasSuffix(string(text), "\n") {
						return
					}
					time.Sleep(10 * time.Millisecond)
				}
			}()
			_, err := shell(script).Run(ctx, operation, folder, Values{}, 0)
			if fault.CodeOf(err) != fault.Unavailable {
				t.Errorf("a cancelled run: %v", err)
			}
			checkGone(t, child)
		})
	}
	t.Run("LeftBehind", func(t *testing.T) {
		folder := t.TempDir()
		r, err := shell("sleep 600 & echo $! > child; echo done").Run(t.Context(), operation, folder, Values{}, 0)
		if err != nil || r.Output != "done\n" {
			t.Fatalf("%+v, %v", r, err)
		}
		checkGone(t, filepath.Join(folder, "child"))
	})
}

// checkGone fails the test if the process whose number is in the file still runs.
func checkGone(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	number, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	for range 12_000 {
		if state := stateOf(number); state == "" || state == "Z" { // "Z": it has ended, but no parent waits for it here
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("process %d still runs", number)
}

// stateOf returns the state of a process in the form of Linux, or "" if it has ended.
func stateOf(number int) string {
	if syscall.Kill(number, 0) != nil {
		return ""
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(number) + "/stat")
	if err != nil {
		return "unknown"
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return rest[:1]
}

func TestRunHasATimeLimit(t *testing.T) {
	for limit := time.Second; ; limit *= 4 { // a busy machine may need longer to begin
		r, err := shell("echo begun; sleep 600").Run(t.Context(), operation, t.TempDir(), Values{}, limit)
		if err != nil {
			t.Fatal(err)
		}
		if r.Output == "" && limit < time.Minute {
			continue
		}
		if !r.TimedOut || r.Exit == 0 || r.Output != "begun\n" {
			t.Errorf("%+v", r)
		}
		return
	}
}
