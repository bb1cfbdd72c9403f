package edges

import (
	"context"
	"math"
	"runtime"

	"hence/internal/db"
)

// KeepAdjacency brings the copy of the graph to the store, at any price.
func KeepAdjacency(ctx context.Context, d *db.DB) error {
	return db.Kept[adjacency](d).renew(ctx, d, math.MaxInt64)
}

// NeverKeepAdjacency makes all searches of a store go by SQL.
func NeverKeepAdjacency(d *db.DB) { db.Kept[adjacency](d).renewing.Store(true) }

// FollowAdjacency reports whether a search could take the copy now.
func FollowAdjacency(ctx context.Context, d *db.DB) (ok bool, err error) {
	err = d.Read(ctx, func(r *db.Reader) error {
		_, ok, err = db.Kept[adjacency](d).follow(ctx, r, atOnce)
		return err
	})
	return ok, err
}

// PayForAdjacency pays as a search does, and waits for what is done with it.
func PayForAdjacency(d *db.DB, edges int64) {
	a := db.Kept[adjacency](d)
	a.pay(d, edges)
	for a.renewing.Load() {
		runtime.Gosched()
	}
}
