package edges_test

import (
	"context"

	"pgregory.net/rapid"

	"hence/edges"
	"hence/edges/graphtest"
	"hence/internal/db"
)

// ctx is the context of helpers that accept both testing.T and rapid.T.
var ctx = context.Background()

// world is a graphtest.World with the naive reference implementations of this package.
type world struct{ *graphtest.World }

func newWorld() *world { return &world{graphtest.New()} }

func draw(t *rapid.T, s graphtest.Shape) *world { return &world{graphtest.Draw(t, s)} }

func (w *world) graph(d *db.DB) edges.Graph { return w.Graph(d) }
