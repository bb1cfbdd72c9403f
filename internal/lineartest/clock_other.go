//go:build !unix

package lineartest

import "time"

var start = time.Now()

// processorTime is the time that passed, where the system does not tell ours.
func processorTime() time.Duration { return time.Since(start) }
