// Package lists has what the package slices has not: a list made from another, and an order of flags.
package lists

// Map returns what of returns for each item of a list.
func Map[T, R any](items []T, of func(T) R) []R {
	results := make([]R, len(items))
	for i, item := range items {
		results[i] = of(item)
	}
	return results
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
