// Package embed turns texts into vectors (embeddings), so that texts with similar meaning
// are near each other. An embedder has a name, which the store keeps with its vectors:
//
//	none                    no vectors
//	builtin:en-1            a table of the meanings of English words, in this program
//	ollama:<model>          a model behind an Ollama server
//	openai:<url>,<model>    a model behind an OpenAI-compatible server
package embed

import (
	"context"
	"math"
	"strings"

	"hence/internal/fault"
)

// Embedder computes vectors. Its methods may be called from many goroutines.
type Embedder interface {
	// Name returns the name with which Open returns this embedder.
	Name() string
	// Embed returns a vector for each text, all with the same number of dimensions. A
	// vector has the length one, or zero for a text without words. It fails with
	// unavailable if a server does not answer, or not with such vectors.
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

// Open returns the embedder with a name, and fails with invalid_argument for an unknown one.
func Open(name string) (Embedder, error) {
	kind, rest, _ := strings.Cut(name, ":")
	switch {
	case name == "none":
		return none{}, nil
	case name == Builtin:
		return readTable(english)
	case kind == "ollama" && rest != "":
		return newRemote("ollama:"+rest, ollamaBase()+"/api/embed", "", rest, decodeOllama), nil
	case kind == "openai" && rest != "":
		return newOpenAI(rest)
	}
	return nil, fault.New(fault.InvalidArgument,
		"no embedder is called %q; the embedders are none, builtin:en-1, ollama:<model> and openai:<url>,<model>", name)
}

// none is the embedder of a store without vectors.
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
