package adjacency

import (
	"context"
	"database/sql"
	"fmt"
	"runtime"
	"slices"

	"hence/edges"
	"hence/internal/db"
)

// PayAndWait calls Pay as a search does, and waits until the update has ended.
func PayAndWait(d *db.DB, edges int64) {
	a := CopyOf(d)
	a.Pay(d, edges)
	for a.renewing.Load() {
		runtime.Gosched()
	}
}

// PassedBySQL returns how many edges searches by SQL have passed since the last update of the copy.
func PassedBySQL(d *db.DB) int64 { return CopyOf(d).paid.Load() }

// Lacks updates the copy as a search does, and returns the memories and edges of the store that
// the copy then lacks.
func Lacks(ctx context.Context, d *db.DB) (followed bool, lacks []string, err error) {
	a := CopyOf(d)
	has := func(at, to int64, c code) bool {
		return inRange(at, int64(len(a.adjacent)-1)) && slices.Contains(a.adjacent[at], newHalf(to, c))
	}
	err = d.Read(ctx, func(r *db.Reader) error {
		if _, followed, err = a.follow(ctx, r, maxSearchRows); err != nil || !followed {
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
			if !inRange(key, int64(len(a.status)-1)) || a.status[key] != statusBitOf(status) {
				lacks = append(lacks, fmt.Sprintf("%d is %s", key, status))
			}
			return err
		}, `select key, status from memories`)
	})
	return followed, lacks, err
}
