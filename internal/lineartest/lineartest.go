// Package lineartest holds readers of outside bytes to linear time.
package lineartest

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

// suspicious is the time of the processor from which on a reading is looked at
// again.
const suspicious = 100 * time.Millisecond

// Check fails if the prepared function does not take linear time. If a run on the full
// size takes long, it also runs on a quarter of the size: linear work takes a quarter
// of the time there, quadratic work a sixteenth, however slow the machine. It counts
// CPU time of the process, so that a busy machine makes no difference; nothing else in
// the process may run at the same time. Garbage collection is off while it measures: the
// full size would pay for the garbage of earlier runs. The lowest of several attempts
// counts.
func Check(t *testing.T, size int, prepare func(size int) (run func())) {
	t.Helper()
	const attempts, most = 6, 9
	whole, part := time.Hour, time.Hour
	for range attempts {
		if whole = min(whole, measure(prepare(size))); whole < suspicious {
			return
		}
		if part = min(part, measure(prepare(size/4))); whole <= most*part {
			return
		}
	}
	t.Errorf("a size of %d took %v, a quarter of it %v", size, whole, part)
}

// mostMemory is the size of the heap in bytes from which on garbage is collected during
// a run after all.
const mostMemory = 1 << 30

func measure(run func()) time.Duration {
	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(mostMemory))
	start := processorTime()
	run()
	return processorTime() - start
}
