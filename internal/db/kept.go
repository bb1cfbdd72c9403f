package db

import (
	"context"
	"reflect"
)

// Keep returns the one T that an open store keeps for all callers; the first call
// creates it empty. It is a cache for values that are expensive to compute from
// rows; the caller is responsible for invalidation.
func Keep[T any](d *DB) *T {
	one, ok := d.kept.Load(reflect.TypeFor[T]())
	if !ok {
		one, _ = d.kept.LoadOrStore(reflect.TypeFor[T](), new(T))
	}
	return one.(*T)
}

// Life is a context for background work. It ends when the store is closed.
func (d *DB) Life() context.Context { return d.life }
