package explore

import (
	"context"

	"pgregory.net/rapid"

	"hence/edges/graphtest"
	"hence/internal/db"
)

// ctx is for helpers that serve testing.T and rapid.T alike.
var ctx = context.Background()

type tb = graphtest.TB

// world is a graph with the naive reference implementations of this package.
type world struct{ *graphtest.World }

func newWorld() *world { return &world{graphtest.New()} }

func draw(t *rapid.T, s graphtest.Shape) *world { return &world{graphtest.Draw(t, s)} }

func (w *world) reader(d *db.DB) reader { return reader(w.Graph(d)) }
