// Package tokens compares declarations by their tokens, without comments and layout.
package tokens

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash/fnv"
	"slices"
)

// Sum summarises the tokens of a declaration, without comments and layout. Its own name
// is masked, so that a renamed declaration has the same tokens.
type Sum struct {
	Hash   string // SHA-256, in hex
	Count  int
	Sketch []uint32 // the smallest hashes of the tokens, sorted; see Similarity
}

// sketchSize is the number of hashes in a sketch: the standard error of a similarity
// of 0.8 is then 0.05.
const sketchSize = 64

// Of returns the sum of the tokens of a declaration from their texts; mask is its own name.
func Of(texts []string, mask string) Sum {
	whole := sha256.New()
	seen := map[string]uint32{}
	sketch := []uint32{}
	for _, text := range texts {
		if text == mask {
			text = "\x00"
		}
		var size [4]byte
		binary.LittleEndian.PutUint32(size[:], uint32(len(text)))
		whole.Write(size[:])
		whole.Write([]byte(text))
		// The n-th of equal tokens is another element, so that the set is a multiset.
		seen[text]++
		sketch = append(sketch, hash(text, seen[text]))
	}
	slices.Sort(sketch)
	sketch = slices.Compact(sketch)
	return Sum{
		Hash:   hex.EncodeToString(whole.Sum(nil)),
		Count:  len(texts),
		Sketch: slices.Clip(sketch[:min(len(sketch), sketchSize)]),
	}
}

func hash(text string, nth uint32) uint32 {
	h := fnv.New32a()
	h.Write([]byte(text))
	var number [4]byte
	binary.LittleEndian.PutUint32(number[:], nth)
	h.Write(number[:])
	// FNV spreads the last bytes too little for the smallest hashes to be a fair
	// sample; the finalizer of MurmurHash3 mixes all bits.
	sum := h.Sum32()
	sum = (sum ^ sum>>16) * 0x85ebca6b
	sum = (sum ^ sum>>13) * 0xc2b2ae35
	return sum ^ sum>>16
}

// Similarity estimates the Dice coefficient of two multisets of tokens, from 0 to 1: twice
// the number of common tokens, divided by the sum of both sizes. It compares the smallest
// hashes of each (Broder, On the resemblance and containment of documents, 1997). It is
// exact if the two together have at most 64 different tokens.
func Similarity(a, b Sum) float64 {
	union, common := 0, 0
	for i, j := 0, 0; union < sketchSize && (i < len(a.Sketch) || j < len(b.Sketch)); union++ {
		switch {
		case j == len(b.Sketch) || i < len(a.Sketch) && cmp.Less(a.Sketch[i], b.Sketch[j]):
			i++
		case i == len(a.Sketch) || cmp.Less(b.Sketch[j], a.Sketch[i]):
			j++
		default:
			i, j, common = i+1, j+1, common+1
		}
	}
	if union == 0 {
		return 0
	}
	jaccard := float64(common) / float64(union)
	return 2 * jaccard / (1 + jaccard)
}
