package exchange_test

import (
	"testing"

	"hence/internal/db/dbtest"
)

// TestMain makes runs of the random tests repeatable.
func TestMain(m *testing.M) {
	dbtest.FixSeed()
	m.Run()
}
