package db

import (
	"context"
	"encoding/binary"
	"iter"
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
