// Package lists has what the package slices has not: a list, a text or a sum made from a list, an order of flags, and
// calls in parallel.
package lists

import (
	"runtime"
	"strings"

	"golang.org/x/sync/errgroup"
)

// Map returns what of returns for each item of a list.
func Map[T, R any](items []T, of func(T) R) []R {
	results := make([]R, len(items))
	for i, item := range items {
		results[i] = of(item)
	}
	return results
}

// Join joins the texts of all items of a list.
func Join[T any](items []T, between string, textOf func(T) string) string {
	return strings.Join(Map(items, textOf), between)
}

// Sum returns the sum of what of returns for each item of a list.
func Sum[T any, N int | int64 | float64](items []T, of func(T) N) (sum N) {
	for _, item := range items {
		sum += of(item)
	}
	return sum
}

// CompareFlags compares two flags, true before false.
func CompareFlags(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// InParallel calls do for each index below n, as many at a time as there are
// processors.
func InParallel(n int, do func(i int)) {
	var workers errgroup.Group
	workers.SetLimit(runtime.GOMAXPROCS(0))
	for i := range n {
		workers.Go(func() error {
			do(i)
			return nil
		})
	}
	_ = workers.Wait()
}
