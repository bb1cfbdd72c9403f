package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"
)

// encoder is the Universal Sentence Encoder lite (Cer et al., Universal sentence encoder, 2018): a
// transformer of two layers over the pieces into which SentencePiece cuts a text.
type encoder struct {
	pieces    map[string]piece
	longest   int // bytes of a piece
	embedding matrix
	steps     []float32 // of the waves that say where a piece stands
	layers    [2]layer
	out       dense
}

type piece struct {
	score float64
	id    int
}

// layer is one layer of the transformer.
type layer struct {
	before, between normalization
	attention       dense // columns are queries, keys and values
	joint           dense
	widen           *dense // of what goes around the attention, where its width changes
	up, down        dense
}

// dense multiplies rows by a matrix and adds a bias.
type dense struct {
	kernel matrix
	bias   []float32
}

type normalization struct{ scale, bias []float32 }

const (
	heads      = 4
	firstPiece = 6 // the pieces before it stand for no text
)

// readEncoder returns the encoder of a package.
func readEncoder(file string) (*encoder, error) {
	files, err := unpack(file, func(name string) bool {
		return name == "model.json" || name == "vocab.json" || strings.HasPrefix(name, "group1-shard")
	})
	if err != nil {
		return nil, err
	}
	tensors, err := readTensors(files)
	if err != nil {
		return nil, err
	}
	e := &encoder{pieces: map[string]piece{}}
	var vocabulary [][2]any
	if err := json.Unmarshal(files["vocab.json"], &vocabulary); err != nil {
		return nil, err
	}
	for id, entry := range vocabulary {
		text, isText := entry[0].(string)
		score, isScore := entry[1].(float64)
		if isText && isScore && id >= firstPiece {
			e.pieces[text] = piece{score, id}
			e.longest = max(e.longest, len(text))
		}
	}
	find := func(parts ...string) matrix {
		var found matrix
		count := 0
		for name, tensor := range tensors {
			if containsAll(name, parts) {
				found = tensor
				count++
			}
		}
		if count != 1 && err == nil {
			err = fmt.Errorf("%d tensors are called %q", count, parts)
		}
		return found
	}
	row := func(parts ...string) []float32 { return find(parts...).data }
	for i := range e.layers {
		in := fmt.Sprintf("Layer_%d/TransformerLayer/", i)
		e.layers[i] = layer{
			before:    normalization{row(in + "layer_prepostprocess/layer_norm/layer_norm_scale"), row(in + "layer_prepostprocess/layer_norm/layer_norm_bias")},
			between:   normalization{row(in + "FFN/layer_prepostprocess/layer_norm/layer_norm_scale"), row(in + "FFN/layer_prepostprocess/layer_norm/layer_norm_bias")},
			attention: dense{find(in + "MultiheadAttention/qkv_transform_single/kernel"), row(in + "MultiheadAttention/qkv_transform_single/bias")},
			joint:     dense{find(in + "MultiheadAttention/output_transform_single/kernel"), row(in + "MultiheadAttention/output_transform_single/bias")},
			up:        dense{find(in + "FFN/conv1/Tensordot/Reshape_1"), row(in + "FFN/conv1/bias")},
			down:      dense{find(in + "FFN/conv2/Tensordot/Reshape_1"), row(in + "FFN/conv2/bias")},
		}
	}
	e.layers[0].widen = &dense{find("Layer_0/TransformerLayer/dense/kernel"), row("Layer_0/TransformerLayer/dense/bias")}
	e.embedding, e.steps = find("Embeddings_en"), row("TimingSignal/ExpandDims_1")
	e.out = dense{find("tanh_layer_0/weights"), row("tanh_layer_0/bias")}
	return e, err
}

func containsAll(text string, parts []string) bool {
	for _, part := range parts {
		if !strings.Contains(text, part) {
			return false
		}
	}
	return true
}

// readTensors returns the tensors of floats in a model of TensorFlow.js, the last of their dimensions as columns.
func readTensors(files map[string][]byte) (map[string]matrix, error) {
	var model struct {
		Manifest []struct {
			Paths   []string `json:"paths"`
			Weights []struct {
				Name  string `json:"name"`
				Kind  string `json:"dtype"`
				Shape []int  `json:"shape"`
			} `json:"weights"`
		} `json:"weightsManifest"`
	}
	if err := json.Unmarshal(files["model.json"], &model); err != nil {
		return nil, err
	}
	tensors := map[string]matrix{}
	for _, group := range model.Manifest {
		var data []byte
		for _, path := range group.Paths {
			data = append(data, files[path]...)
		}
		for _, w := range group.Weights {
			count, columns := 1, 1
			for _, n := range w.Shape {
				count, columns = count*n, n
			}
			size := count * map[string]int{"float32": 4, "int32": 4, "bool": 1}[w.Kind]
			if size > len(data) {
				return nil, fmt.Errorf("the tensor %s is cut short", w.Name)
			}
			if w.Kind == "float32" {
				numbers := make([]float32, count)
				for i := range numbers {
					numbers[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
				}
				tensors[w.Name] = matrix{numbers, columns}
			}
			data = data[size:]
		}
	}
	return tensors, nil
}

// cut returns the ids of the pieces of a word of ASCII letters and digits: the most likely ones.
func (e *encoder) cut(word string) (ids []int) {
	const unknown = -10 // the score of a character that no piece has
	text := "\u2581" + word
	best, back := make([]float64, len(text)+1), make([]struct{ from, id int }, len(text)+1)
	for i := range best[1:] {
		best[i+1] = math.Inf(-1)
	}
	for start := range text {
		for end := start + 1; end <= min(len(text), start+e.longest); end++ {
			if p, ok := e.pieces[text[start:end]]; ok && best[start]+p.score >= best[end] {
				best[end], back[end].from, back[end].id = best[start]+p.score, start, p.id
			}
		}
		_, size := utf8.DecodeRuneInString(text[start:])
		if _, ok := e.pieces[text[start:start+size]]; !ok && best[start]+unknown > best[start+size] {
			best[start+size], back[start+size].from, back[start+size].id = best[start]+unknown, start, 0
		}
	}
	for end := len(text); end > 0; end = back[end].from {
		ids = append([]int{back[end].id}, ids...)
	}
	return ids
}

// embed returns a row for each word: the word as the encoder sees it alone.
func (e *encoder) embed(words []string) matrix {
	byLength := map[int][]int{}
	cuts := make([][]int, len(words))
	longest := 0
	for i, word := range words {
		cuts[i] = e.cut(word)
		byLength[len(cuts[i])] = append(byLength[len(cuts[i])], i)
		longest = max(longest, len(cuts[i]))
	}
	all := newMatrix(len(words), e.out.kernel.columns)
	for length := 1; length <= longest; length++ {
		const together = 2048 // pieces
		for rest := byLength[length]; len(rest) > 0; {
			batch := rest[:min(len(rest), max(1, together/length))]
			rest = rest[len(batch):]
			rows := newMatrix(0, e.embedding.columns)
			for _, i := range batch {
				for at, id := range cuts[i] {
					rows.data = append(rows.data, e.place(id, at)...)
				}
			}
			for i, row := range e.forward(rows, length).all() {
				copy(all.row(batch[i]), row)
			}
		}
	}
	return all
}

// place returns the vector of a piece at a place of a text.
func (e *encoder) place(id, at int) []float32 {
	v := append([]float32(nil), e.embedding.row(id)...)
	half := len(e.steps)
	for i := range v {
		v[i] *= 2
	}
	for i, step := range e.steps {
		angle := float64(float32(at) * step)
		v[i] += float32(math.Sin(angle))
		v[half+i] += float32(math.Cos(angle))
	}
	return v
}

// forward returns a vector of the length one for each text, given by the rows of its pieces.
func (e *encoder) forward(x matrix, length int) matrix {
	for _, l := range e.layers {
		attended := l.joint.of(attend(l.attention.of(l.before.of(x)), length))
		if l.widen != nil {
			x = l.widen.of(x)
		}
		x.add(attended)
		hidden := l.up.of(l.between.of(x))
		for i, v := range hidden.data {
			hidden.data[i] = max(v, 0)
		}
		x.add(l.down.of(hidden))
	}
	means := newMatrix(x.rows()/length, x.columns)
	for i, row := range x.all() {
		axpy(1/float32(length), row, means.row(i/length))
	}
	out := e.out.of(means)
	for i, v := range out.data {
		out.data[i] = float32(math.Tanh(float64(v)))
	}
	out.normalizeRows()
	return out
}

// attend returns what each piece takes from the pieces of its text.
func attend(rows matrix, length int) matrix {
	width := rows.columns / 3
	size := width / heads
	out := newMatrix(rows.rows(), width)
	shares := make([]float64, length)
	for first := 0; first < rows.rows(); first += length {
		for head := range heads {
			for i := range length {
				query := rows.row(first + i)[head*size : (head+1)*size]
				most := math.Inf(-1)
				for j := range length {
					shares[j] = float64(dot(query, rows.row(first + j)[width+head*size:width+(head+1)*size])) / math.Sqrt(float64(size))
					most = max(most, shares[j])
				}
				sum := 0.0
				for j := range shares {
					shares[j] = math.Exp(shares[j] - most)
					sum += shares[j]
				}
				for j := range length {
					axpy(float32(shares[j]/sum), rows.row(first + j)[2*width+head*size:2*width+(head+1)*size], out.row(first + i)[head*size:(head+1)*size])
				}
			}
		}
	}
	return out
}

// of returns the rows multiplied by the kernel, with the bias.
func (d dense) of(rows matrix) matrix {
	out := multiply(rows, d.kernel)
	for _, row := range out.all() {
		axpy(1, d.bias, row)
	}
	return out
}

// of returns the rows with the mean 0 and the deviation 1, scaled and moved.
func (n normalization) of(rows matrix) matrix {
	out := newMatrix(rows.rows(), rows.columns)
	for i, row := range rows.all() {
		mean, square := 0.0, 0.0
		for _, v := range row {
			mean += float64(v)
		}
		mean /= float64(len(row))
		for _, v := range row {
			square += (float64(v) - mean) * (float64(v) - mean)
		}
		const least = 1e-6
		scale := 1 / math.Sqrt(square/float64(len(row))+least)
		for k, v := range row {
			out.row(i)[k] = float32((float64(v)-mean)*scale)*n.scale[k] + n.bias[k]
		}
	}
	return out
}
