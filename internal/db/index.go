package db

import "slices"

// Index finds the places of rows in a list by their keys. Keys are most often one after
// another; then places are in a list too, in which they are found faster than in a map.
type Index struct {
	first  int64
	listed []int32 // by key from first; -1: no such row
	mapped map[int64]int32
}

// sparse is how many times as many keys as rows a list of places may cover.
const sparse = 8

// IndexOf returns the index of a list of keys.
func IndexOf(keys []int64) (x Index) {
	if len(keys) == 0 {
		return x
	}
	first, last := slices.Min(keys), slices.Max(keys)
	if wide := float64(last) - float64(first); wide < float64(sparse*len(keys)) {
		x = Index{first: first, listed: slices.Repeat([]int32{-1}, int(last-first)+1)}
		for i, key := range keys {
			x.listed[key-first] = int32(i)
		}
		return x
	}
	x.mapped = make(map[int64]int32, len(keys))
	for i, key := range keys {
		x.mapped[key] = int32(i)
	}
	return x
}

// Place returns the place of a row, and whether it is in the list.
func (x Index) Place(key int64) (int32, bool) {
	if x.mapped != nil {
		i, ok := x.mapped[key]
		return i, ok
	}
	from := uint64(key) - uint64(x.first) // wraps around: the difference of two keys may be too large for an int64
	if key < x.first || from >= uint64(len(x.listed)) {
		return 0, false
	}
	i := x.listed[from]
	return i, i >= 0
}
