package main

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

const (
	tableMark = "hencewv1" // the format that memory/embed reads
	lightest  = 0.3        // of the mean length of vectors: a word with a shorter one, such as "the", says nothing of what a text is about
)

// writeTable returns the file with words and vectors, of which there are as many as fit into its size
// in bytes: those of the most frequent words, which come first. Each other word has the vector of the
// word nearest to it. The file leaves out some of the words.
func writeTable(words []string, left map[int]bool, vectors matrix, size int) ([]byte, error) {
	mean, letters := 0.0, 0
	var order []int
	for i, word := range words {
		if !left[i] {
			order = append(order, i)
		}
		letters += len(word)
		mean += float64(norm(vectors.row(i))) / float64(len(words))
	}
	const head, word = len(tableMark) + 5*4, 4 + 4 + 2
	room := min((size-head-letters-word*len(words))/vectors.columns, len(words), math.MaxUint16)
	if room < len(words)/4 {
		return nil, fmt.Errorf("%d vectors of %d words fit into %d bytes: take fewer words or dimensions", max(0, room), len(words), size)
	}
	rows := matrix{vectors.data[:room*vectors.columns], vectors.columns}
	places := nearestRows(rows, vectors)
	var numbers []byte
	lengths := make([]float64, room)
	for i, vector := range rows.all() {
		var row []byte
		row, lengths[i] = quantize(vector)
		numbers = append(numbers, row...)
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(words[a], words[b]) })
	file := []byte(tableMark)
	put := func(n uint32) { file = binary.LittleEndian.AppendUint32(file, n) }
	ends, text := []int{0}, []byte(nil)
	for _, i := range order {
		text = append(text, words[i]...)
		ends = append(ends, len(text))
	}
	for _, n := range slices.Concat([]int{len(order), len(text), room, vectors.columns}, ends) {
		put(uint32(n))
	}
	file = append(file, text...)
	for _, i := range order {
		length := lengths[places[i]]
		weight := float64(norm(vectors.row(i)))
		if length == 0 || weight < lightest*mean {
			weight, length = 0, 1
		}
		put(math.Float32bits(float32(weight / length)))
	}
	for _, i := range order {
		file = binary.LittleEndian.AppendUint16(file, uint16(places[i]))
	}
	return append(file, numbers...), nil
}

// nearestRows returns for each vector the row that points where it does, or as nearly as any: its own
// for the first ones, which are the rows.
func nearestRows(rows, vectors matrix) (places []int) {
	units := matrix{slices.Clone(rows.data), rows.columns}
	units.normalizeRows()
	for i := range rows.rows() {
		places = append(places, i)
	}
	const together = 512 // vectors that are compared at once
	for first := rows.rows(); first < vectors.rows(); first += together {
		last := min(first+together, vectors.rows())
		cosines := multiplyT(matrix{vectors.data[first*vectors.columns : last*vectors.columns], vectors.columns}, units)
		for _, row := range cosines.all() {
			places = append(places, slices.Index(row, slices.Max(row)))
		}
	}
	return places
}

// quantize returns the numbers of a vector as int8, the largest as 127, and how long they are.
func quantize(vector []float32) (row []byte, length float64) {
	largest, square := 0.0, 0.0
	for _, v := range vector {
		largest = max(largest, math.Abs(float64(v)))
	}
	for _, v := range vector {
		n := 0.0
		if largest > 0 {
			n = math.RoundToEven(float64(v) / largest * math.MaxInt8)
		}
		row, square = append(row, byte(int8(n))), square+n*n
	}
	return row, math.Sqrt(square)
}
