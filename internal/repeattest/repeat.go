// Package repeattest makes runs of random tests repeatable: a package whose tests import it,
// as _, draws the same values in each run. HENCE_SEED chooses others, and HENCE_CHECKS how
// often each property is checked; so do the flags -rapid.seed and -rapid.checks. The seed
// says all, so that no file is left behind for a failure.
package repeattest

import (
	"cmp"
	"flag"
	"os"

	_ "pgregory.net/rapid" // declares the flags
)

func init() {
	settings := map[string]string{"rapid.seed": cmp.Or(os.Getenv("HENCE_SEED"), "1"), "rapid.nofailfile": "true"}
	if checks := os.Getenv("HENCE_CHECKS"); checks != "" {
		settings["rapid.checks"] = checks
	}
	for name, value := range settings {
		if err := flag.Set(name, value); err != nil {
			panic(err)
		}
	}
}
