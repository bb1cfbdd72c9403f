package walk_test

import (
	"context"
	"os"
	"testing"

	"pgregory.net/rapid"

	"hence/edges/graphtest"
	"hence/edges/walk"
	"hence/internal/db"
)

func TestMain(m *testing.M) {
	code := m.Run()
	if err := walk.CloseBench(); err != nil {
		panic(err)
	}
	os.Exit(code)
}

// ctx is the context of helpers that accept both testing.T and rapid.T.
var ctx = context.Background()

type tb = graphtest.TB

// world is a graphtest.World with the naive reference implementations of this package.
type world struct{ *graphtest.World }

func newWorld() *world { return &world{graphtest.New()} }

func draw(t *rapid.T, s graphtest.Shape) *world { return &world{graphtest.Draw(t, s)} }

func (w *world) graph(d *db.DB) walk.Graph { return walk.Graph(w.Graph(d)) }
