package embed

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
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
