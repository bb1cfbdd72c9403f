//go:build !linux

package nodetest

import "syscall"

// dieWithTest returns nil, because this system cannot kill a node when the test process dies.
func dieWithTest() *syscall.SysProcAttr { return nil }
