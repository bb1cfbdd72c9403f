//go:build !unix

package lineartest

import "time"

var start = time.Now()

// cpuTime returns the time since the start, because this system does not report CPU time.
func cpuTime() time.Duration { return time.Since(start) }
