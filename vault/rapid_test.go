package vault_test

import (
	"flag"
	"strconv"
	"testing"
)

// checkTimes sets how often rapid repeats the checks of a test that is slow,
// unless the command line says.
func checkTimes(t *testing.T, n int) {
	t.Helper()
	checks := flag.Lookup("rapid.checks")
	if checks.Value.String() != checks.DefValue {
		return
	}
	if err := checks.Value.Set(strconv.Itoa(n)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = checks.Value.Set(checks.DefValue) })
}
