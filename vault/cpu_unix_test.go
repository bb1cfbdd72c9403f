//go:build unix

package vault_test

import (
	"syscall"
	"time"
)

// cpuTime returns how long the process has had a processor.
func cpuTime() time.Duration {
	var used syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &used) != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
