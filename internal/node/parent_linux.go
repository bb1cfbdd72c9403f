package node

import (
	"os/exec"
	"syscall"
)

// withoutParent makes the system stop the command if this process dies without stopping it.
func withoutParent(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM} }
