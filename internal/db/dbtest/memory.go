package dbtest

import (
	"bytes"
	"os"
	"strconv"
	"time"
)

// WatchMemory returns a function that returns the most memory of its own that
// the process has had since, as OwnMegabytes counts.
func WatchMemory() (peak func() float64) {
	stop, done := make(chan struct{}), make(chan float64)
	go func() {
		most := 0.0
		for {
			most = max(most, OwnMegabytes())
			select {
			case <-stop:
				done <- most
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	}()
	return func() float64 {
		close(stop)
		return <-done
	}
}

// OwnMegabytes is the memory of the process as Linux counts it; 0 elsewhere. The
// pages of the database that the engine maps are not counted: the system has
// them anyway, and takes them back when it needs them.
func OwnMegabytes() float64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, rest, _ := bytes.Cut(status, []byte("RssAnon:"))
	fields := bytes.Fields(rest)
	if len(fields) == 0 {
		return 0
	}
	kilobytes, _ := strconv.ParseFloat(string(fields[0]), 64)
	return kilobytes / 1024
}
