//go:build unix

package suite

import (
	"os/exec"
	"syscall"
)

// inOwnGroup makes a command start a process group, so that its children can be ended too.
func inOwnGroup(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

// signalGroup asks a process group to end, or kills it. It ignores a group that is gone.
func signalGroup(leader int, kill bool) {
	signal := syscall.SIGTERM
	if kill {
		signal = syscall.SIGKILL
	}
	_ = syscall.Kill(-leader, signal)
}
