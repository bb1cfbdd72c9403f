// Package lineartest checks that functions that parse untrusted input take linear time.
package lineartest

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

// minSuspicious is the CPU time from which on a run is compared with one on a smaller size.
const minSuspicious = 100 * time.Millisecond

// Check fails the test if the function that prepare returns does not take linear time. If a
// run on the full size takes long, Check also runs the function on a quarter of the size:
// linear work takes a quarter of the time there, quadratic work a sixteenth, however slow the
// machine is. It takes the lowest time of several attempts.
//
// Check measures the CPU time of the process, so that a busy machine makes no difference;
// nothing else in the process may run at the same time. It turns off garbage collection,
// because the run on the full size would also collect the garbage of earlier runs.
func Check(t *testing.T, size int, prepare func(size int) (run func())) {
	t.Helper()
	const attempts, maxRatio = 6, 9
	whole, part := time.Hour, time.Hour
	for range attempts {
		if whole = min(whole, measure(prepare(size))); whole < minSuspicious {
			return
		}
		if part = min(part, measure(prepare(size/4))); whole <= maxRatio*part {
			return
		}
	}
	t.Errorf("a size of %d took %v, a quarter of it %v", size, whole, part)
}

// maxHeap is the size of the heap in bytes above which garbage is collected even during a run.
const maxHeap = 1 << 30

// measure returns the CPU time of one run.
func measure(run func()) time.Duration {
	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(maxHeap))
	start := cpuTime()
	run()
	return cpuTime() - start
}
