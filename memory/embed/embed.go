// Package embed turns texts into vectors, so that texts of like meaning lie
// near each other. An embedder is named by a short text, its name, which is
// also what the store keeps beside the vectors that it made:
//
//	none                    no vectors
//	builtin                 hashed words and pieces of words, needs nothing
//	static:<folder>         a Model2Vec model in files
//	ollama:<model>          a model behind an Ollama server
//	openai:<url>,<model>    a model behind an OpenAI-compatible server
package embed

import (
	"context"
	"math"
	"strings"

	"hence/internal/fault"
)

// Embedder makes vectors. Its methods may be called from many goroutines.
type Embedder interface {
	// Name is the text that Open makes this embedder of.
	Name() string
	// Embed returns a vector of length one for each text, all of the same
	// number of dimensions; the vector of a text that says nothing is zero.
	// It fails with unavailable when a server does not answer, or answers
	// what is no such list of vectors.
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

// Learner is an embedder that is to see the texts of a store before it makes
// vectors of them. What it has learned is kept with the vectors, and Open
// takes it back.
type Learner interface {
	Embedder
	Learn(text string)
	Learned() []byte
}

// Open makes an embedder of its name and what it learned before, if anything.
// It fails with invalid_argument for a name that is none, and with not_found
// for a folder without a model.
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

// normalize gives a vector the length one, unless it is zero.
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
