// Package vectors makes and stores the embeddings of memories, one vector per section.
//
// Vectors are plain rows. Table vector_codes holds the sign bits of each vector, small enough
// to be read in full for each question; table vectors holds the numbers, which are read only
// for the few hundred sections that the sign bits select. When a text changes, a trigger
// deletes its vector and inserts the section into vectors_waiting. A server makes the new
// vector in the background, a command after it has printed its answer.
package vectors

import (
	"encoding/binary"
	"math"

	"hence/internal/ref"
)

// Store makes and stores the vectors of the memories of one store.
type Store ref.View

// Blob returns a vector in the format of sqlite-vec.
func Blob(v []float32) []byte {
	raw := make([]byte, 0, 4*len(v))
	for _, x := range v {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(x))
	}
	return raw
}

// Code returns the sign bits of a vector: one bit for each number, set if the number is
// above zero. It is vec_quantize_binary of sqlite-vec for any number of dimensions.
func Code(v []float32) []byte {
	code := make([]byte, (len(v)+7)/8)
	for i, x := range v {
		if x > 0 {
			code[i/8] |= 1 << (i % 8)
		}
	}
	return code
}
