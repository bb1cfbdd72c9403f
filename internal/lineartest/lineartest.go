// Package lineartest holds readers of outside bytes to linear time.
package lineartest

import (
	"testing"
	"time"
)

// suspicious is the time of the processor from which on a reading is looked at
// again.
const suspicious = 100 * time.Millisecond

// Check runs what prepare makes of a size, and where that takes long, what it
// makes of a quarter of the size too: linear work on that takes a quarter of the
// time, quadratic work a sixteenth, on however slow a machine. It counts the
// processor's time of the whole process, so that a busy machine makes no
// difference, and nothing else of the process may run meanwhile. The least of
// several attempts counts, because the garbage of one may be collected in another.
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
