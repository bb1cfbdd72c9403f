// Package early is initialised before most other packages, because it needs so few: before
// those that take milliseconds and megabytes for their tables.
package early

import (
	"os"
	"runtime/debug"
	"time"
)

// heapLimit is how many bytes of memory they use before garbage is collected.
const heapLimit = 256 << 20

// Loaded is when this package was initialised, some milliseconds after the process was started.
var Loaded = time.Now()

// A hook and a briefing live for milliseconds, in which collecting garbage would take a tenth of its time,
// most of it before the first function of the program runs.
func init() {
	if len(os.Args) > 1 && (os.Args[1] == "hook" || os.Args[1] == "prime") {
		debug.SetGCPercent(-1)
		debug.SetMemoryLimit(heapLimit)
	}
}
