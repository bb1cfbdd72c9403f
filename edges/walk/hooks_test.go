package walk

import (
	"context"

	"hence/edges"
	"hence/edges/walk/adjacency"
	"hence/internal/db"
	"hence/internal/ref"
)

// BetweenCopyAndSearch searches for a path and returns its hops. It calls a function after the
// search has taken the snapshot of the copy, before the search uses it.
func BetweenCopyAndSearch(ctx context.Context, d *db.DB, from, to string, happens func()) (hops int, err error) {
	err = d.Read(ctx, func(r *db.Reader) error {
		find := func(id string) (m ref.Memory) {
			m.ID = id
			m.Key, _, err = db.One[int64](ctx, r, `select key from memories where id = ?`, id)
			return m
		}
		w := rules{kinds: edges.DeclaredKinds(), direction: Both}
		s := newSearch(r, w, false, find(from), find(to))
		if err := s.useCopy(ctx, adjacency.CopyOf(d)); err != nil {
			return err
		}
		happens()
		trails, err := s.best(ctx, 10, 1)
		if err == nil && len(trails) > 0 {
			hops = len(trails[0].steps)
		}
		return err
	})
	return hops, err
}

// OverviewWithin is Graph.Overview with limits on the numbers of memories and edges examined.
func OverviewWithin(ctx context.Context, g Graph, a OverviewArgs, memories, edges int) (OverviewResult, error) {
	return g.overview(ctx, a, scanLimits{memories, edges})
}
