package embed

import (
	"context"
	"encoding/binary"
	"hash/fnv"
	"math"
	"strings"
	"sync"
	"unicode"

	"hence/internal/fault"
)

// builtin hashes the words of a text and their pieces into a vector (Weinberger et
// al., Feature hashing for large scale multitask learning, 2009), each weighted by
// its rarity in the store. It tolerates misspelling and inflection, and does not know
// synonyms.
type builtin struct {
	mu        sync.RWMutex
	documents uint32
	rows      []uint32 // number of texts that have a feature, by its hash
}

const (
	builtinDimensions = 512 // a power of two: see spreadOut
	builtinRows       = 1 << 15
	pieceLength       = 4 // characters of a piece, the marks of a word's ends included
	pieceWeight       = 0.5
	maxFeatures       = 20000 // of one text
)

func newBuiltin(learned []byte) (*builtin, error) {
	b := &builtin{rows: make([]uint32, builtinRows)}
	if learned == nil {
		return b, nil
	}
	if len(learned) != 4*(builtinRows+1) {
		return nil, fault.New(fault.InvalidArgument, "what the builtin embedder learned is of another version; run hence embed set builtin again")
	}
	b.documents = binary.LittleEndian.Uint32(learned)
	for i := range b.rows {
		b.rows[i] = binary.LittleEndian.Uint32(learned[4*(i+1):])
	}
	return b, nil
}

func (b *builtin) Name() string { return "builtin" }

// Learn counts the features of a text.
func (b *builtin) Learn(text string) {
	seen := map[uint64]bool{}
	features(text, func(hash uint64, _ float64) { seen[hash%builtinRows] = true })
	b.mu.Lock()
	defer b.mu.Unlock()
	b.documents++
	for row := range seen {
		b.rows[row]++
	}
}

// Learned returns the counts.
func (b *builtin) Learned() []byte {
	b.mu.RLock()
	defer b.mu.RUnlock()
	kept := binary.LittleEndian.AppendUint32(nil, b.documents)
	for _, n := range b.rows {
		kept = binary.LittleEndian.AppendUint32(kept, n)
	}
	return kept
}

// Embed makes the vectors of texts.
func (b *builtin) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		if err := ctx.Err(); err != nil {
			return nil, fault.Wrap(fault.Unavailable, err, "embed: stopped before it was done")
		}
		vectors[i] = b.embed(text)
	}
	return vectors, nil
}

func (b *builtin) embed(text string) []float32 {
	sums := map[uint64]float64{}
	features(text, func(hash uint64, weight float64) { sums[hash] += weight })
	v := make([]float32, builtinDimensions)
	for hash, sum := range sums {
		n := float64(b.rows[hash%builtinRows])
		weight := math.Sqrt(sum) * math.Log(1+(float64(b.documents)+1)/(n+1))
		if hash>>63 == 1 {
			weight = -weight
		}
		v[hash>>32%builtinDimensions] += float32(weight)
	}
	spreadOut(v)
	normalize(v)
	return v
}

// features yields each word and each piece of a word.
func features(text string, yield func(hash uint64, weight float64)) {
	left := maxFeatures
	words := strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
	for word := range words {
		yield(hashOf("w", word), 1)
		marked := []rune("<" + word + ">")
		for i := 0; i+pieceLength <= len(marked); i++ {
			yield(hashOf("p", string(marked[i:i+pieceLength])), pieceWeight)
		}
		if left -= len(marked); left < 0 {
			return
		}
	}
}

func hashOf(kind, text string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(kind))
	_, _ = h.Write([]byte(text))
	// FNV's high bits mix poorly in short texts.
	x := h.Sum64()
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	return x
}

// spreadOut turns a sparse vector into a dense one, so that signs alone distinguish
// vectors. It applies random signs and the Walsh-Hadamard transform, which preserve
// angles (Ailon and Chazelle, The fast Johnson-Lindenstrauss transform, 2009).
func spreadOut(v []float32) {
	sign := uint64(0x9e3779b97f4a7c15)
	for i := range v {
		sign ^= sign << 13
		sign ^= sign >> 7
		sign ^= sign << 17
		if sign>>63 == 1 {
			v[i] = -v[i]
		}
	}
	for half := 1; half < len(v); half *= 2 {
		for i := 0; i < len(v); i += 2 * half {
			for j := i; j < i+half; j++ {
				v[j], v[j+half] = v[j]+v[j+half], v[j]-v[j+half]
			}
		}
	}
}
