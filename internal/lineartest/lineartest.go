// Package lineartest holds readers of outside bytes to linear time.
package lineartest

import (
	"testing"
	"time"
)

// suspicious is the time of the processor from which on a reading is looked at
// again.
const suspicious = 100 * time.Millisecond

// Check fails if the prepared function does not take linear time. If a run on the full
// size takes long, it also runs on a quarter of the size: linear work takes a quarter
// of the time there, quadratic work a sixteenth, however slow the machine. It counts
// CPU time of the process, so that a busy machine makes no
// difference; nothing else in the process may run at the same time. The lowest of
// several attempts counts, because one may collect the garbage of another.
func Check(t *testing.T, size int, prepare func(size int) (run func())) {
	t.Helper()
	const attempts, most = 6, 9
	whole, part := time.Hour, time.Hour
	for range attempts {
		if whole = min(whole, spent(prepare(size))); whole < suspicious {
			return
		}
		if part = min(part, spent(prepare(size/4))); whole <= most*part {
			return
		}
	}
	t.Errorf("a size of %d took %v, a quarter of it %v", size, whole, part)
}

func spent(run func()) time.Duration {
	start := processorTime()
	run()
	return processorTime() - start
}
