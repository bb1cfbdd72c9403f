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

// ctx is for helpers that serve testing.T and rapid.T alike.
var ctx = context.Background()

type tb = graphtest.TB

// world is a graph as a test knows it, with the naive references of this room.
type world struct{ *graphtest.World }

func newWorld() *world { return &world{graphtest.New()} }

func draw(t *rapid.T, s graphtest.Shape) *world { return &world{graphtest.Draw(t, s)} }

func (w *world) graph(d *db.DB) walk.Graph { return walk.Graph(w.Graph(d)) }
