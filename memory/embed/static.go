package embed

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"

	"golang.org/x/sync/errgroup"

	"hence/internal/fault"
)

// static is a model with one vector for each token; the vector of a text is the mean of its
// tokens' vectors. The format is that of Model2Vec (Tulkens and van Dongen, Model2Vec: fast
// state-of-the-art static embeddings, 2024): a folder with model.safetensors and
// tokenizer.json. Vectors have the length one regardless of config.json, because only
// angles are compared.
type static struct {
	name      string
	tokenizer *tokenizer
	table     [][]float32 // vectors by token id
	weights   []float32   // by token id; nil: all equal
}

const maxTokens = 512 // of a text, as in Model2Vec

// openStatic reads the model in a folder.
func openStatic(folder string) (*static, error) {
	m := &static{name: "static:" + folder}
	var err error
	if m.tokenizer, err = readTokenizer(filepath.Join(folder, "tokenizer.json")); err != nil {
		return nil, nameFolder(folder, err)
	}
	tensors, err := readTensors(filepath.Join(folder, "model.safetensors"))
	if err != nil {
		return nil, nameFolder(folder, err)
	}
	if err := m.setTable(tensors); err != nil {
		return nil, nameFolder(folder, err)
	}
	return m, nil
}

// nameFolder adds the model's folder to an error.
func nameFolder(folder string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fault.Wrap(fault.NotFound, err, "embedder static:%s: the folder has no such model; it needs model.safetensors and tokenizer.json", folder)
	}
	return fault.Wrap(fault.InvalidArgument, err, "embedder static:%s: the model cannot be read; get model.safetensors and tokenizer.json again, or choose another model", folder)
}

// setTable fills the table of vectors and the weights from the tensors. A model with a reduced
// vocabulary maps tokens to rows, and may have a weight for each token.
func (m *static) setTable(tensors map[string]tensor) error {
	table, ok := tensors["embeddings"]
	if !ok || len(table.shape) != 2 || table.shape[1] == 0 {
		return errors.New("there is no tensor embeddings with rows and columns")
	}
	numbers, err := table.floats()
	if err != nil {
		return err
	}
	columns := table.shape[1]
	for i := range table.shape[0] {
		m.table = append(m.table, numbers[i*columns:(i+1)*columns])
	}
	if weights, ok := tensors["weights"]; ok {
		if m.weights, err = weights.floats(); err != nil {
			return err
		}
	}
	if mapping, ok := tensors["mapping"]; ok {
		places, err := mapping.ints()
		if err != nil {
			return err
		}
		mapped := make([][]float32, len(places))
		for token, row := range places {
			if row < 0 || row >= len(m.table) {
				return fmt.Errorf("model.safetensors is damaged: token %d maps to row %d of a table of %d rows", token, row, len(m.table))
			}
			mapped[token] = m.table[row]
		}
		m.table = mapped
	}
	if len(m.table) == 0 {
		return errors.New("the table has no rows")
	}
	tokens := 0
	for _, id := range m.tokenizer.ids {
		tokens = max(tokens, id+1)
	}
	if m.weights != nil && len(m.weights) < len(m.table) || len(m.table) < tokens {
		return errors.New("the tokenizer has more tokens than the table has rows")
	}
	return nil
}

func (m *static) Name() string { return m.name }

// Embed computes the vectors of texts on all processors.
func (m *static) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, text := range texts {
		group.Go(func() error {
			if err := ctx.Err(); err != nil {
				return fault.Wrap(fault.Unavailable, err, "embed: stopped before it was done")
			}
			vectors[i] = m.embed(text)
			return nil
		})
	}
	return vectors, group.Wait()
}

// embed returns the vector of one text.
func (m *static) embed(text string) []float32 {
	mean := make([]float32, len(m.table[0]))
	for _, token := range m.tokenizer.tokens(cutText(text, maxText), maxTokens) {
		weight := float32(1)
		if m.weights != nil {
			weight = m.weights[token]
		}
		for i, x := range m.table[token] {
			mean[i] += weight * x
		}
	}
	normalize(mean)
	return mean
}

// tensor is one array of a safetensors file.
type tensor struct {
	kind  string // the dtype, such as F32
	shape []int  // the sizes of its dimensions
	data  []byte // the numbers, little-endian
}

const maxHeader = 100 << 20 // bytes, the limit of the format

// readTensors reads a safetensors file, and returns its tensors by name. The file holds the
// length of the header in 8 bytes, the header in JSON, and the numbers, little-endian
// (https://huggingface.co/docs/safetensors).
func readTensors(path string) (map[string]tensor, error) {
	file, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if len(file) < 8 {
		return nil, errors.New("model.safetensors is cut short")
	}
	length := binary.LittleEndian.Uint64(file)
	if length > maxHeader || length > uint64(len(file)-8) {
		return nil, errors.New("model.safetensors is cut short")
	}
	header, data := file[8:8+length], file[8+length:]
	var entries map[string]json.RawMessage
	if err := json.Unmarshal(header, &entries); err != nil {
		return nil, fmt.Errorf("the header of model.safetensors: %w", err)
	}
	tensors := map[string]tensor{}
	for name, entry := range entries {
		if name == "__metadata__" {
			continue
		}
		var e struct {
			Kind    string    `json:"dtype"`
			Shape   []int     `json:"shape"`
			Offsets [2]uint64 `json:"data_offsets"`
		}
		if err := json.Unmarshal(entry, &e); err != nil {
			return nil, fmt.Errorf("the tensor %s: %w", name, err)
		}
		if e.Offsets[0] > e.Offsets[1] || e.Offsets[1] > uint64(len(data)) {
			return nil, fmt.Errorf("the tensor %s lies outside the file", name)
		}
		t := tensor{e.Kind, e.Shape, data[e.Offsets[0]:e.Offsets[1]]}
		if err := t.check(); err != nil {
			return nil, fmt.Errorf("the tensor %s: %w", name, err)
		}
		tensors[name] = t
	}
	return tensors, nil
}

// widths holds the size in bytes of a number by its dtype.
var widths = map[string]int{"F64": 8, "F32": 4, "F16": 2, "I64": 8, "I32": 4}

// check returns an error if the shape of a tensor does not match its data.
func (t tensor) check() error {
	count := 1
	for _, n := range t.shape {
		if n < 0 || n > 0 && count > math.MaxInt32/n {
			return errors.New("its shape is out of bounds")
		}
		count *= n
	}
	if width, ok := widths[t.kind]; ok && count*width != len(t.data) {
		return errors.New("its shape does not fit its length")
	}
	return nil
}

// floats returns the numbers of a tensor of floats, row by row.
func (t tensor) floats() ([]float32, error) {
	width := widths[t.kind]
	if width == 0 || t.kind[0] != 'F' {
		return nil, fmt.Errorf("numbers of dtype %s are not supported here; use F64, F32 or F16", t.kind)
	}
	all := make([]float32, len(t.data)/width)
	for i := range all {
		switch bytes := t.data[i*width:]; t.kind {
		case "F64":
			all[i] = float32(math.Float64frombits(binary.LittleEndian.Uint64(bytes)))
		case "F32":
			all[i] = math.Float32frombits(binary.LittleEndian.Uint32(bytes))
		case "F16":
			all[i] = half(binary.LittleEndian.Uint16(bytes))
		}
	}
	return all, nil
}

// ints returns the numbers of a tensor of integers.
func (t tensor) ints() ([]int, error) {
	width := widths[t.kind]
	if width == 0 || t.kind[0] != 'I' {
		return nil, fmt.Errorf("numbers of dtype %s are not supported here; use I64 or I32", t.kind)
	}
	all := make([]int, len(t.data)/width)
	for i := range all {
		switch bytes := t.data[i*width:]; t.kind {
		case "I64":
			all[i] = int(int64(binary.LittleEndian.Uint64(bytes)))
		case "I32":
			all[i] = int(int32(binary.LittleEndian.Uint32(bytes)))
		}
	}
	return all, nil
}

// half converts a 16-bit float (IEEE 754 binary16).
func half(h uint16) float32 {
	sign, exponent, fraction := uint32(h>>15)<<31, uint32(h>>10)&0x1f, uint32(h)&0x3ff
	switch exponent {
	case 0:
		small := float32(math.Ldexp(float64(fraction), -24))
		return math.Float32frombits(math.Float32bits(small) | sign)
	case 0x1f:
		return math.Float32frombits(sign | 0xff<<23 | fraction<<13)
	}
	return math.Float32frombits(sign | (exponent+112)<<23 | fraction<<13)
}
