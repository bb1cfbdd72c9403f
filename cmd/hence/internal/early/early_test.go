package early

import (
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

// The collector belongs to the process, so each case is one of its own.
func TestGarbageIsCollectedFromTheFirstCollectionOn(t *testing.T) {
	const name = "HENCE_TEST_CHOSEN"
	chosen, isChild := os.LookupEnv(name)
	if !isChild {
		for chosen, gogc := range map[string]string{"": "", "300": "", "of the environment": "50"} {
			child := exec.Command(os.Args[0], "-test.run="+t.Name())
			child.Env = append(os.Environ(), name+"="+chosen, "GOGC="+gogc, "GOMEMLIMIT=")
			if out, err := child.CombinedOutput(); err != nil {
				t.Errorf("chosen %q: %v\n%s", chosen, err, out)
			}
		}
		return
	}
	want := map[string]int{"": 100, "300": 300, "of the environment": 50}[chosen]
	if chosen == "300" { // as a server does
		debug.SetGCPercent(300)
	}
	var m runtime.MemStats
	if runtime.ReadMemStats(&m); want == 100 && m.NumGC > 0 {
		t.Errorf("%d collections before the first function", m.NumGC)
	}
	for begun := time.Now(); time.Since(begun) < 10*time.Second; {
		kept = make([]byte, 1<<20)
		percent := debug.SetGCPercent(-1)
		debug.SetGCPercent(percent)
		if runtime.ReadMemStats(&m); m.NumGC > 2 && percent == want && debug.SetMemoryLimit(-1) > firstCollection {
			return
		}
	}
	t.Errorf("after %d collections the percentage is not %d, or memory is limited to %d", m.NumGC, want, debug.SetMemoryLimit(-1))
}

var kept []byte // so that it is allocated
