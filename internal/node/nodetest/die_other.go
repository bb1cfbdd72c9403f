//go:build !linux

package nodetest

import "syscall"

// dieWithTest does nothing here.
func dieWithTest() *syscall.SysProcAttr { return nil }
