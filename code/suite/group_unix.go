//go:build unix

package suite

import (
	"os/exec"
	"syscall"
)

// inOwnGroup lets a command begin a process group, so that all of it can be ended.
func inOwnGroup(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

// signalGroup tells a process group to end, or ends it. It may be gone.
func signalGroup(leader int, kill bool) {
	signal := syscall.SIGTERM
	if kill {
		signal = syscall.SIGKILL
	}
	_ = syscall.Kill(-leader, signal)
}
