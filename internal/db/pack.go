package db

import (
	"context"
	"encoding/binary"
	"iter"
	"slices"
)

// Packed has the numbers of many rows in one value, which a query returns as pack(column, …).
// Reading the rows one by one takes ten times as long. A real number is represented by its
// bits, for math.Float64frombits.
type Packed []byte

const packedNumber = 8 // bytes per number

// Rows yields the rows, which have the given number of columns. A row is valid until the next
// one.
func (p Packed) Rows(columns int) iter.Seq[[]int64] {
	return func(yield func([]int64) bool) {
		row := make([]int64, columns)
		for rest := p; len(rest) >= columns*packedNumber; rest = rest[columns*packedNumber:] {
			for i := range row {
				row[i] = int64(binary.LittleEndian.Uint64(rest[i*packedNumber:]))
			}
			if !yield(row) {
				return
			}
		}
	}
}

// Len returns the number of rows, which have the given number of columns.
func (p Packed) Len(columns int) int { return len(p) / (columns * packedNumber) }

// Keys runs a query of one packed column, as pack(key), and returns its numbers.
func Keys(ctx context.Context, s Source, text string, args ...any) ([]int64, error) {
	packed, _, err := One[Packed](ctx, s, text, args...)
	keys := make([]int64, 0, packed.Len(1))
	for row := range packed.Rows(1) {
		keys = append(keys, row[0])
	}
	return keys, err
}

// Index finds the index of a row in a list by its key. Keys are usually consecutive; then it
// uses an array, which is faster than a map.
type Index struct {
	first  int64
	listed []int32         // index by key - first; -1: no such row
	mapped map[int64]int32 // used instead of listed if the keys are sparse
}

// maxSpread limits the size of the array, as a multiple of the number of rows.
const maxSpread = 8

// IndexOf returns the index of a list of keys.
func IndexOf(keys []int64) (x Index) {
	if len(keys) == 0 {
		return x
	}
	first, last := slices.Min(keys), slices.Max(keys)
	if spread := float64(last) - float64(first); spread < float64(maxSpread*len(keys)) {
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

// Place returns the index of the row with a key, and whether there is one.
func (x Index) Place(key int64) (int32, bool) {
	if x.mapped != nil {
		i, ok := x.mapped[key]
		return i, ok
	}
	offset := uint64(key) - uint64(x.first) // wraps around: the difference of two keys may be too large for an int64
	if key < x.first || offset >= uint64(len(x.listed)) {
		return 0, false
	}
	i := x.listed[offset]
	return i, i >= 0
}
