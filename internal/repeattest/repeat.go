// Package repeattest makes runs of random tests repeatable: a package whose tests import it,
// as _, draws the same values in each run. The flag -rapid.seed chooses others. The seed
// says all, so that no file is left behind for a failure.
package repeattest

import (
	"flag"

	_ "pgregory.net/rapid" // declares the flags
)

func init() {
	for name, value := range map[string]string{"rapid.seed": "1", "rapid.nofailfile": "true"} {
		if err := flag.Set(name, value); err != nil {
			panic(err)
		}
	}
}
