// Package early is initialised before most other packages, because it needs so few: before
// those that take milliseconds and megabytes for their tables.
package early

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"time"
)

// Loaded is when this package was initialised, some milliseconds after the process was started.
var Loaded = time.Now()

// firstCollection is how many bytes of memory a process uses before garbage is collected for the first time.
const firstCollection = 32 << 20

// Most commands live for milliseconds, in which collecting garbage would take a third of the time, most of it
// before the first function of the program runs. In one that lives on, the first collection makes the later ones usual.
func init() {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(firstCollection)
	runtime.AddCleanup(&struct{ self *int }{new(int)}, collectAsUsual, 0)
}

func collectAsUsual(int) {
	debug.SetMemoryLimit(math.MaxInt64)
	if chosen := debug.SetGCPercent(100); chosen >= 0 { // by a command
		debug.SetGCPercent(chosen)
	}
}
