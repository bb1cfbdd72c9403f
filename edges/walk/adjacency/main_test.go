package adjacency_test

import (
	"context"
	"testing"

	"hence/internal/db/dbtest"
)

// TestMain makes runs of the random tests repeatable.
func TestMain(m *testing.M) {
	dbtest.FixSeed()
	m.Run()
}

// ctx is for helpers that serve testing.T and rapid.T alike.
var ctx = context.Background()
