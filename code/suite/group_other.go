//go:build !unix

package suite

import (
	"os"
	"os/exec"
)

func InOwnGroup(*exec.Cmd) {}

// SignalGroup kills the program alone, because this system has no process groups.
func SignalGroup(leader int, _ bool) {
	if process, err := os.FindProcess(leader); err == nil {
		_ = process.Kill()
	}
}
