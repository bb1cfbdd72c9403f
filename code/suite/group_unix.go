//go:build unix

package suite

import (
	"os/exec"
	"syscall"
)

// InOwnGroup makes a command start a process group, so that its children can be ended too.
func InOwnGroup(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

// SignalGroup asks a process group to end, or kills it. It ignores a group that is gone.
func SignalGroup(leader int, kill bool) {
	signal := syscall.SIGTERM
	if kill {
		signal = syscall.SIGKILL
	}
	_ = syscall.Kill(-leader, signal)
}
