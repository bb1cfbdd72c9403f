package db

import (
	"context"
	"reflect"
)

// Kept returns the one T that an open store keeps for all its callers, made
// empty for the first who asks. It is a cache for values that are
// expensive to compute from rows; the caller is responsible for invalidation.
func Kept[T any](d *DB) *T {
	one, ok := d.kept.Load(reflect.TypeFor[T]())
	if !ok {
		one, _ = d.kept.LoadOrStore(reflect.TypeFor[T](), new(T))
	}
	return one.(*T)
}

// Life is for work beside the callers: it ends when the store is closed.
func (d *DB) Life() context.Context { return d.life }
