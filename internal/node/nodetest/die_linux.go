package nodetest

import "syscall"

// dieWithTest ends a node whose test is killed.
func dieWithTest() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
