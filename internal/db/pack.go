package db

import (
	"encoding/binary"
	"iter"
)

// Packed are the numbers of many rows in one value, which a query makes with
// pack(column, …). To read rows one by one takes ten times as long. Of a real number
// there are the bits, for math.Float64frombits.
type Packed []byte

const packedNumber = 8 // bytes

// Rows yields the rows of a number of columns. A row is valid until the next one.
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

// Len is how many rows of a number of columns there are.
func (p Packed) Len(columns int) int { return len(p) / (columns * packedNumber) }
