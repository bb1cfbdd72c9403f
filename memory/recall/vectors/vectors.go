// Package vectors makes and stores the embeddings of memories, one vector per section.
//
// Vectors are plain rows of table vectors, a byte for each number. When a text changes, a trigger
// deletes its vector and inserts the section into vectors_waiting. The vector is made after the
// answer of the command that wrote the text, by a server in the background, or before the next
// search. A text of which a model says nothing has neither a vector nor waits.
package vectors

import (
	"math"

	"hence/internal/ref"
)

// Store makes and stores the vectors of the memories of one store.
type Store ref.View

// mostOf is the largest number of a stored vector.
const mostOf = math.MaxInt8

// Blob returns a vector as it is stored, for vec_int8 of sqlite-vec: scaled so that its largest
// number is 127, because only its direction counts. It is nil for a vector of zeros.
func Blob(v []float32) []byte {
	largest := float32(0)
	for _, x := range v {
		largest = max(largest, x, -x)
	}
	if !(largest > 0) { // nor is it a number
		return nil
	}
	blob, scale := make([]byte, len(v)), mostOf/float64(largest)
	for i, x := range v {
		blob[i] = byte(int8(math.RoundToEven(float64(x) * scale))) // one instruction, which math.Round is not
	}
	return blob
}

// Mean returns the direction between stored vectors, each of which counts the same; nil if there are
// none.
func Mean(stored [][]byte) []byte {
	if len(stored) == 0 {
		return nil
	}
	sum := make([]float32, len(stored[0]))
	for _, blob := range stored {
		square := 0.0
		for _, x := range blob {
			square += float64(int8(x)) * float64(int8(x))
		}
		for i, x := range blob[:min(len(blob), len(sum))] {
			sum[i] += float32(int8(x)) / float32(max(1, math.Sqrt(square)))
		}
	}
	return Blob(sum)
}
