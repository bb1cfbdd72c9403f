package suite

import (
	"strings"
	"testing"
	"time"
)

func TestRunOnWindows(t *testing.T) {
	s := Suite{Name: "echo", Arguments: []string{"cmd", "/c", "echo {run}"}, TimeoutS: 60}
	r, err := s.Run(t.Context(), operation, t.TempDir(), Values{Run: "here"}, 0)
	if err != nil || r.Exit != 0 || !strings.Contains(r.Output, "here") {
		t.Errorf("%+v, %v", r, err)
	}
	s = Suite{Name: "fails", Arguments: []string{"cmd", "/c", "exit 3"}, TimeoutS: 60}
	if r, err := s.Run(t.Context(), operation, t.TempDir(), Values{}, 0); err != nil || r.Exit != 3 {
		t.Errorf("%+v, %v", r, err)
	}
}

// Windows has no process groups, but the program itself is ended.
func TestRunHasATimeLimitOnWindows(t *testing.T) {
	s := Suite{Name: "waits", Arguments: []string{"cmd", "/c", "ping -n 60 127.0.0.1 >nul"}, TimeoutS: 60}
	r, err := s.Run(t.Context(), operation, t.TempDir(), Values{}, 200*time.Millisecond)
	if err != nil || !r.TimedOut {
		t.Errorf("%+v, %v", r, err)
	}
}
