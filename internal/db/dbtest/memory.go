package dbtest

import (
	"bytes"
	"os"
	"strconv"
	"time"
)

// WatchMemory starts to watch the memory of the process. The returned function ends this, and
// returns the highest value of OwnMegabytes since.
func WatchMemory() (peak func() float64) {
	stop, done := make(chan struct{}), make(chan float64)
	go func() {
		highest := 0.0
		for {
			highest = max(highest, OwnMegabytes())
			select {
			case <-stop:
				done <- highest
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

// OwnMegabytes returns the anonymous memory of the process (RssAnon) in MB on Linux, 0 on other
// systems. It does not count the pages of the database that the engine maps, because the system
// caches these anyway and reclaims them when it needs memory.
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
