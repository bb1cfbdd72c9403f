package db

import (
	"context"
	"reflect"
)

// Keep returns the one value of type T that an open store keeps for all callers; the first call
// creates its zero value. Use it to cache values that are expensive to compute from rows; the
// caller is responsible for invalidation.
func Keep[T any](d *DB) *T {
	value, ok := d.valuesByType.Load(reflect.TypeFor[T]())
	if !ok {
		value, _ = d.valuesByType.LoadOrStore(reflect.TypeFor[T](), new(T))
	}
	return value.(*T)
}

// Life returns a context for background work. It is done when the store is closed.
func (d *DB) Life() context.Context { return d.life }
