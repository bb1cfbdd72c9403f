//go:build linux || darwin

package db

import (
	"os"
	"syscall"
)

const canLock = true

// tryLock locks a folder until it is closed, also by the end of the process, unless another process has it locked.
func tryLock(folder *os.File) bool {
	return syscall.Flock(int(folder.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}
