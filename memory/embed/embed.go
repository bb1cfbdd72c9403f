// Package embed turns texts into vectors, so that texts with similar meaning are near
// each other. An embedder has a short name, which the store keeps with its vectors:
//
//	none                    no vectors
//	builtin                 hashed words and pieces of words; needs no model
//	static:<folder>         a Model2Vec model in files
//	ollama:<model>          a model behind an Ollama server
//	openai:<url>,<model>    a model behind an OpenAI-compatible server
//
// The builtin embedder knows pieces of words, so that it helps with misspelt words
// only: for words that memories have, the full-text index knows more.
package embed

import (
	"context"
	"math"
	"strings"

	"hence/internal/fault"
)

// Embedder makes vectors. Its methods may be called from many goroutines.
type Embedder interface {
	// Name is the text from which Open makes this embedder.
	Name() string
	// Embed returns a vector for each text, all of the same number of dimensions. A
	// vector has the length one, or zero for a text without words. It fails with
	// unavailable if a server does not answer, or not with such vectors.
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

// Learner is an embedder that reads the texts of a store before it makes vectors of
// them. The store keeps what it learned with the vectors, for Open.
type Learner interface {
	Embedder
	Learn(text string)
	Learned() []byte
}

// Open makes an embedder from its name and what it learned before, if anything. It
// fails with invalid_argument for an unknown name, and with not_found for a folder
// without a model.
func Open(name string, learned []byte) (Embedder, error) {
	kind, rest, _ := strings.Cut(name, ":")
	switch {
	case name == "none":
		return none{}, nil
	case name == "builtin":
		return newBuiltin(learned)
	case kind == "static" && rest != "":
		return openStatic(rest)
	case kind == "ollama" && rest != "":
		return newOllama(rest), nil
	case kind == "openai" && rest != "":
		return newOpenAI(rest)
	}
	return nil, fault.New(fault.InvalidArgument,
		"no embedder is called %q; the embedders are none, builtin, static:<folder>, ollama:<model> and openai:<url>,<model>", name)
}

type none struct{}

func (none) Name() string { return "none" }

func (none) Embed(context.Context, []string) ([][]float32, error) {
	return nil, fault.New(fault.Unavailable, "there is no embedder; hence embed set chooses one")
}

// normalize scales a vector to the length one, unless it is zero.
func normalize(v []float32) {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 {
		return
	}
	scale := float32(1 / math.Sqrt(sum))
	for i := range v {
		v[i] *= scale
	}
}
