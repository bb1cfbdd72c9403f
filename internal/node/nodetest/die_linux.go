package nodetest

import "syscall"

// dieWithTest returns the attributes with which a node is killed when the test process dies.
func dieWithTest() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
