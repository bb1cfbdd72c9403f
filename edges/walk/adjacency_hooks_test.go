package walk

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"runtime"
	"slices"

	"hence/edges"
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

// PassedBySQL returns how many edges searches by SQL have passed since the copy
// was last brought to the store.
func PassedBySQL(d *db.DB) int64 { return db.Kept[adjacency](d).paid.Load() }

// AdjacencyLacks follows as a search does, and says of what of the store the
// copy that a search could then take has not heard.
func AdjacencyLacks(ctx context.Context, d *db.DB) (followed bool, lacks []string, err error) {
	a := db.Kept[adjacency](d)
	has := func(at, to int64, c code) bool {
		return within(at, int64(len(a.near)-1)) && slices.Contains(a.near[at], newHalf(to, c))
	}
	err = d.Read(ctx, func(r *db.Reader) error {
		if _, followed, err = a.follow(ctx, r, atOnce); err != nil || !followed {
			return err
		}
		err := db.Each(ctx, r, func(row *sql.Rows) error {
			var from, to int64
			var kind edges.Kind
			err := row.Scan(&from, &to, &kind)
			if !has(from, to, codeOf(kind, true)) || !has(to, from, codeOf(kind, false)) {
				lacks = append(lacks, fmt.Sprintf("%d %s %d", from, kind, to))
			}
			return err
		}, `select from_key, to_key, kind from edges`)
		if err != nil {
			return err
		}
		return db.Each(ctx, r, func(row *sql.Rows) error {
			var key int64
			var status string
			err := row.Scan(&key, &status)
			if !within(key, int64(len(a.status)-1)) || a.status[key] != standingOf(status) {
				lacks = append(lacks, fmt.Sprintf("%d is %s", key, status))
			}
			return err
		}, `select key, status from memories`)
	})
	return followed, lacks, err
}

// BetweenRecallAndSearch asks for the hops of a path, and lets something happen
// after the search has taken the copy for its snapshot and before it asks.
func BetweenRecallAndSearch(ctx context.Context, d *db.DB, from, to string, happens func()) (hops int, err error) {
	err = d.Read(ctx, func(r *db.Reader) error {
		find := func(id string) (key int64) {
			key, _, err = db.One[int64](ctx, r, `select key from memories where id = ?`, id)
			return key
		}
		w := rules{kinds: edges.Declared(), direction: Both}
		s := newSearch(r, w, false, find(from), from, find(to), to)
		if err := s.recall(ctx, db.Kept[adjacency](d)); err != nil {
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
