package main

import (
	"os"
	"syscall"
)

// peakOf returns the highest resident memory of a process, in megabytes.
func peakOf(p *os.ProcessState) float64 {
	usage, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	return float64(usage.Maxrss) / 1024
}
