package embed

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Choice is an embedder that is available on this machine.
type Choice struct {
	Embedder string `json:"embedder" jsonschema:"its name, for Open"`
	Where    string `json:"where" jsonschema:"the server or folder it was found in"`
	Unsure   bool   `json:"unsure,omitempty" jsonschema:"the server does not say whether this model makes vectors"`
}

// Places lists where AtHand searches.
type Places struct {
	Ollama  string   // address of an Ollama server
	Servers []string // base URLs of servers that may be OpenAI-compatible, each with its /v1
	Folders []string // patterns of model folders for filepath.Glob
}

// localPorts are the default ports of model servers: LM Studio, llama.cpp and LocalAI,
// vLLM, Infinity, Jan, GPT4All, KoboldCpp.
var localPorts = []int{1234, 8080, 8000, 7997, 1337, 4891, 5001}

// LocalPlaces returns the usual places on this machine: the default ports of model servers,
// the cache of Hugging Face, and the folder models of the home folder.
func LocalPlaces() Places {
	p := Places{Ollama: ollamaBase()}
	for _, port := range localPorts {
		p.Servers = append(p.Servers, "http://localhost:"+strconv.Itoa(port)+"/v1")
	}
	cache := os.Getenv("HF_HOME")
	if home, err := os.UserHomeDir(); err == nil { // only the default folders need a home folder
		p.Folders = append(p.Folders, filepath.Join(home, "models", "*"))
		cache = cmp.Or(cache, filepath.Join(home, ".cache", "huggingface"))
	}
	hub := os.Getenv("HF_HUB_CACHE")
	if hub == "" && cache != "" {
		hub = filepath.Join(cache, "hub")
	}
	if hub != "" {
		p.Folders = append(p.Folders, filepath.Join(hub, "models--*", "snapshots", "*"))
	}
	return p
}

const (
	probeWait  = 500 * time.Millisecond // for all requests to a server together
	maxModels  = 100                    // of one server
	maxListing = 1 << 20                // bytes of a response, or of a model's header
)

// AtHand returns the embedders available in some places. It waits at most half a second for
// servers, and skips those that do not answer, or not in the expected form.
func AtHand(ctx context.Context, p Places) []Choice {
	choices := make([][]Choice, len(p.Servers)+2)
	var searches sync.WaitGroup
	searches.Go(func() { choices[0] = ollamaModels(ctx, p.Ollama) })
	for i, base := range p.Servers {
		searches.Go(func() { choices[1+i] = openAIModels(ctx, base) })
	}
	searches.Go(func() { choices[len(choices)-1] = modelFolders(p.Folders) })
	searches.Wait()
	return slices.Concat(choices...)
}

// ollamaModels asks an Ollama server for its models and their capabilities, and returns
// those that make vectors.
func ollamaModels(ctx context.Context, base string) (choices []Choice) {
	ctx, stop := context.WithTimeout(ctx, probeWait)
	defer stop()
	var list struct {
		Models []struct {
			Name string `json:"name"`
		} `json:"models"`
	}
	if base == "" || probe(ctx, http.MethodGet, base+"/api/tags", nil, &list) != nil {
		return nil
	}
	for _, m := range list.Models[:min(len(list.Models), maxModels)] {
		var details struct {
			Capabilities []string `json:"capabilities"`
		}
		err := probe(ctx, http.MethodPost, base+"/api/show", map[string]string{"model": m.Name}, &details)
		isKnown := err == nil && len(details.Capabilities) > 0 // servers before 2025 do not list them
		if isKnown && !slices.Contains(details.Capabilities, "embedding") {
			continue
		}
		name := strings.TrimSuffix(m.Name, ":latest")
		choices = append(choices, Choice{Embedder: "ollama:" + name, Where: base, Unsure: !isKnown && !embeddingModels.MatchString(name)})
	}
	return preferSure(choices)
}

// openAIModels asks an OpenAI-compatible server for its models. It sends no key, because
// the key may be for another server.
func openAIModels(ctx context.Context, base string) (choices []Choice) {
	ctx, stop := context.WithTimeout(ctx, probeWait)
	defer stop()
	var list struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if probe(ctx, http.MethodGet, base+"/models", nil, &list) != nil {
		return nil
	}
	for _, m := range list.Data[:min(len(list.Data), maxModels)] {
		if m.ID != "" {
			choices = append(choices, Choice{Embedder: "openai:" + base + "," + m.ID, Where: base, Unsure: !embeddingModels.MatchString(m.ID)})
		}
	}
	return preferSure(choices)
}

// embeddingModels matches the names of models that make vectors.
var embeddingModels = regexp.MustCompile(`(?i)embed|minilm|mpnet|bge|gte-|e5-|arctic|potion`)

// preferSure returns the choices without the unsure ones, unless all are unsure.
func preferSure(choices []Choice) []Choice {
	certain := slices.DeleteFunc(slices.Clone(choices), func(c Choice) bool { return c.Unsure })
	if len(certain) > 0 {
		return certain
	}
	return choices
}

// probe sends a request with a JSON body and decodes the JSON response into answer.
func probe(ctx context.Context, method, url string, body, answer any) error {
	raw, err := json.Marshal(body)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(raw))
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return errors.New(response.Status)
	}
	return json.NewDecoder(io.LimitReader(response.Body, maxListing)).Decode(answer)
}

// modelFolders returns the folders that match the patterns and hold a static model.
func modelFolders(patterns []string) (choices []Choice) {
	for _, pattern := range patterns {
		folders, _ := filepath.Glob(pattern) // fails if the home folder has a bracket in its name
		for _, folder := range folders {
			if holdsModel(folder) {
				choices = append(choices, Choice{Embedder: "static:" + folder, Where: folder})
			}
		}
	}
	return choices
}

// holdsModel reports whether a folder has a supported tokenizer and a table of vectors. It
// reads only the header of the table.
func holdsModel(folder string) bool {
	f, err := os.Open(filepath.Join(folder, "model.safetensors"))
	if err != nil {
		return false
	}
	defer f.Close()
	var length uint64
	if binary.Read(f, binary.LittleEndian, &length) != nil || length > maxListing {
		return false
	}
	header := make([]byte, length)
	if _, err := io.ReadFull(f, header); err != nil {
		return false
	}
	var entries map[string]json.RawMessage
	if json.Unmarshal(header, &entries) != nil || entries["embeddings"] == nil {
		return false
	}
	_, err = readTokenizer(filepath.Join(folder, "tokenizer.json"))
	return err == nil
}
