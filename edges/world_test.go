package edges_test

import (
	"context"
	"testing"

	"pgregory.net/rapid"

	"hence/edges"
	"hence/edges/graphtest"
	"hence/internal/db"
	"hence/internal/db/dbtest"
)

// TestMain makes runs of the random tests repeatable.
func TestMain(m *testing.M) {
	dbtest.FixSeed()
	m.Run()
}

// ctx is for helpers that serve testing.T and rapid.T alike.
var ctx = context.Background()

// world is a graph as a test knows it, with the naive references of this room.
type world struct{ *graphtest.World }

func newWorld() *world { return &world{graphtest.New()} }

func draw(t *rapid.T, s graphtest.Shape) *world { return &world{graphtest.Draw(t, s)} }

func (w *world) graph(d *db.DB) edges.Graph { return w.Graph(d) }
