// Package lists has what the package slices has not: a list, a text or a sum made from a list, and an order of flags.
package lists

import "strings"

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
