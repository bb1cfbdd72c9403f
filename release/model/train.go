package main

import (
	"math"
	"math/rand/v2"
	"slices"
)

const (
	dimensions  = 256
	principals  = 30_000 // words from which the directions are taken
	smoothing   = 1e-3   // of a word's weight: a word as frequent as this weighs half (Arora et al., A simple but tough-to-beat baseline, 2017)
	epochs      = 6
	batchSize   = 512
	rate        = 0.02
	slowdown    = 0.8  // of the rate, at the end
	temperature = 0.06 // of the softmax
	dropped     = 0.1  // share of a text's words that are left out
	kept        = 0.5  // how much of the trained vectors is taken, and of those before the rest
	seed        = 1
)

// pair is two texts that mean the same, as words of the vocabulary.
type pair struct{ a, b []int }

// startOf returns the vectors before training: both of a word's vectors beside each other, reduced
// to the directions in which they differ most, and longer for rare words.
func startOf(glove words, seen matrix) matrix {
	both := newMatrix(len(glove.words), glove.vectors.columns+seen.columns)
	mean := 0.0
	for _, row := range glove.vectors.all() {
		mean += float64(norm(row))
	}
	mean /= float64(len(glove.words))
	for i, row := range both.all() {
		copy(row, glove.vectors.row(i))
		scale(row[:glove.vectors.columns], float32(1/mean))
		copy(row[glove.vectors.columns:], seen.row(i))
	}
	most := matrix{both.data[:min(principals, both.rows())*both.columns], both.columns}
	start := multiply(both, principal(most, min(dimensions, both.columns)))
	last := 0.0
	for rank := range glove.ranks[len(glove.ranks)-1] {
		last += 1 / float64(rank+1)
	}
	for i, row := range start.all() {
		frequency := 1 / (float64(glove.ranks[i]) * last) // Zipf's law
		scale(row, float32(smoothing/(smoothing+frequency)))
	}
	return start
}

// train returns the vectors so that the two texts of a pair are nearer to each other than to the
// other texts of their batch (van den Oord et al., Representation learning with contrastive
// predictive coding, 2018), halfway back to where they were: words that no pair has stay beside those that some have.
func train(start matrix, pairs []pair, told func(epoch int, loss float64)) matrix {
	t := trainer{vectors: matrix{slices.Clone(start.data), start.columns}, squares: make([]float32, start.rows()), random: rand.New(rand.NewPCG(seed, seed))}
	pairs = slices.Clone(pairs)
	size := min(batchSize, len(pairs))
	for epoch := range epochs {
		t.random.Shuffle(len(pairs), func(i, j int) { pairs[i], pairs[j] = pairs[j], pairs[i] })
		loss, batches := 0.0, 0
		for first := 0; first+size <= len(pairs); first += size {
			loss += t.step(pairs[first:first+size], float32(rate*(1-slowdown*float64(epoch)/epochs)))
			batches++
		}
		told(epoch+1, loss/float64(max(1, batches)))
	}
	for i, v := range t.vectors.data {
		t.vectors.data[i] = float32(kept*v) + float32((1-kept)*start.data[i])
	}
	return t.vectors
}

type trainer struct {
	vectors matrix
	squares []float32 // of each word's gradients so far
	random  *rand.Rand
}

// step moves the vectors of a batch's words, and returns the loss before.
func (t *trainer) step(batch []pair, rate float32) float64 {
	var sides [2]side
	for _, p := range batch {
		sides[0].texts, sides[1].texts = append(sides[0].texts, t.thin(p.a)), append(sides[1].texts, t.thin(p.b))
	}
	for i := range sides {
		sides[i].sum(t.vectors)
	}
	slope, loss := slopes(multiplyT(sides[0].units, sides[1].units))
	gradients := map[int][]float32{}
	order := []int{}
	for i, slope := range []matrix{multiply(slope, sides[1].units), tMultiply(slope, sides[0].units)} {
		for n, row := range slope.all() {
			unit := sides[i].units.row(n)
			axpy(-dot(row, unit), unit, row)
			for _, word := range sides[i].texts[n] {
				if gradients[word] == nil {
					gradients[word] = make([]float32, t.vectors.columns)
					order = append(order, word)
				}
				axpy(1/sides[i].lengths[n], row, gradients[word])
			}
		}
	}
	for _, word := range order {
		g := gradients[word]
		t.squares[word] += dot(g, g) / float32(len(g))
		const least = 1e-8
		axpy(-rate/float32(math.Sqrt(float64(t.squares[word])+least)), g, t.vectors.row(word))
	}
	return loss
}

// thin returns a text without some of its words.
func (t *trainer) thin(text []int) []int {
	var rest []int
	for _, word := range text {
		if t.random.Float64() >= dropped {
			rest = append(rest, word)
		}
	}
	if rest == nil {
		return text
	}
	return rest
}

// side is one text of each pair of a batch.
type side struct {
	texts   [][]int
	units   matrix    // the sums of their words, of the length one
	lengths []float32 // of the sums
}

func (s *side) sum(vectors matrix) {
	s.units = newMatrix(len(s.texts), vectors.columns)
	for i, row := range s.units.all() {
		for _, word := range s.texts[i] {
			axpy(1, vectors.row(word), row)
		}
		const least = 1e-6
		length := norm(row) + least
		scale(row, 1/length)
		s.lengths = append(s.lengths, length)
	}
}

// slopes returns the gradient of the loss by each cosine, and the loss: how far the softmax of each row and of
// each column is from the pair that belongs together.
func slopes(cosines matrix) (matrix, float64) {
	n := cosines.rows()
	rows, columns := make([]float64, n), make([]float64, n)
	shares := make([]float64, n*n)
	for i, row := range cosines.all() {
		for j, c := range row {
			shares[i*n+j] = math.Exp((float64(c) - 1) / temperature)
			rows[i] += shares[i*n+j]
			columns[j] += shares[i*n+j]
		}
	}
	loss := 0.0
	for i := range n {
		loss -= math.Log(shares[i*n+i] / rows[i])
		for j := range n {
			slope := (shares[i*n+j]/rows[i] + shares[i*n+j]/columns[j]) / 2
			if i == j {
				slope--
			}
			cosines.data[i*n+j] = float32(slope / temperature)
		}
	}
	return cosines, loss / float64(n)
}
