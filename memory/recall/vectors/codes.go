// Package vectors makes and keeps the vectors of memories.
//
// Vectors are plain rows. vector_codes holds the signs of all numbers, small
// enough to be read in full for each question; vectors holds the numbers, which
// are read for the few hundred sections that the signs choose. A text that changes
// loses its vector by a trigger and waits for another in vectors_waiting. A server
// makes it in the background, a command after its answer.
package vectors

import (
	"encoding/binary"
	"math"

	"hence/internal/ref"
)

// Store makes and keeps the vectors of the memories of a store.
type Store ref.View

// Blob returns a vector in the format of sqlite-vec.
func Blob(v []float32) []byte {
	raw := make([]byte, 0, 4*len(v))
	for _, x := range v {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(x))
	}
	return raw
}

// Code returns a bit for each number of a vector, set if the number is above zero,
// as vec_quantize_binary does, but for any number of dimensions.
func Code(v []float32) []byte {
	bits := make([]byte, (len(v)+7)/8)
	for i, x := range v {
		if x > 0 {
			bits[i/8] |= 1 << (i % 8)
		}
	}
	return bits
}
