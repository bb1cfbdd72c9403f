package embed

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"
)

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
	for _, part := range []string{"embed", "bert", "minilm", "bge-"} {
		if strings.Contains(strings.ToLower(m.Name+" "+m.Details.Family), part) {
			return true
		}
	}
	return false
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
