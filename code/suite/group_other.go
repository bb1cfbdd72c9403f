//go:build !unix

package suite

import (
	"os"
	"os/exec"
)

func inOwnGroup(*exec.Cmd) {}

// signalGroup kills the program alone, because this system has no process groups.
func signalGroup(leader int, _ bool) {
	if process, err := os.FindProcess(leader); err == nil {
		_ = process.Kill()
	}
}
