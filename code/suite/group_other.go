//go:build !unix

package suite

import (
	"os"
	"os/exec"
)

func inOwnGroup(*exec.Cmd) {}

// signalGroup ends the program alone: there are no process groups here.
func signalGroup(leader int, _ bool) {
	if process, err := os.FindProcess(leader); err == nil {
		_ = process.Kill()
	}
}
