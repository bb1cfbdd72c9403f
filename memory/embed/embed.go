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
	"encoding/json"
	"io"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"

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

const lookTime = 500 * time.Millisecond // for the list of a server's models

// Found returns the names of the embedders of this machine: the table in this program, then the
// models for embeddings of a running Ollama server, in its order.
func Found(ctx context.Context) []string {
	found := []string{Builtin}
	for _, m := range ollamaModels(ctx) {
		if m.embeds() {
			found = append(found, "ollama:"+strings.TrimSuffix(m.Name, ":latest"))
		}
	}
	return found
}

// ollamaModel is a model in Ollama's answer to /api/tags.
type ollamaModel struct {
	Name    string
	Details struct{ Family string }
}

// embeds reports whether a model is one for embeddings, as far as its name and its family tell: the
// list does not.
func (m ollamaModel) embeds() bool {
	told := strings.ToLower(m.Name + " " + m.Details.Family)
	return slices.ContainsFunc([]string{"embed", "bert", "minilm", "bge-"}, func(part string) bool { return strings.Contains(told, part) })
}

// ollamaModels returns the models of the Ollama server, none if it does not answer at once.
func ollamaModels(ctx context.Context) []ollamaModel {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	var listed struct{ Models []ollamaModel }
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, ollamaBase()+"/api/tags", nil)
	if err != nil {
		return nil
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil
	}
	defer response.Body.Close()
	if json.NewDecoder(io.LimitReader(response.Body, maxAnswer)).Decode(&listed) != nil {
		return nil
	}
	return listed.Models
}
