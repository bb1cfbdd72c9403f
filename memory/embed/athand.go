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

// Choice is an embedder that this machine has.
type Choice struct {
	Embedder string `json:"embedder" jsonschema:"its name, for Open"`
	Where    string `json:"where" jsonschema:"the server or folder it was found in"`
	Unsure   bool   `json:"unsure,omitempty" jsonschema:"the server does not say whether this model makes vectors"`
}

// Places are where AtHand looks.
type Places struct {
	Ollama  string   // address of an Ollama server
	Servers []string // addresses of servers that may be OpenAI-compatible, each with its /v1
	Folders []string // patterns of folders, as for filepath.Glob
}

// localPorts are those on which servers of models listen unless they are told
// otherwise: LM Studio, llama.cpp and LocalAI, vLLM, Infinity, Jan, GPT4All, KoboldCpp.
var localPorts = []int{1234, 8080, 8000, 7997, 1337, 4891, 5001}

// LocalPlaces are the usual places on this machine: the ports of servers, the cache of
// Hugging Face, and the folder models of the home folder.
func LocalPlaces() Places {
	p := Places{Ollama: ollamaBase()}
	for _, port := range localPorts {
		p.Servers = append(p.Servers, "http://localhost:"+strconv.Itoa(port)+"/v1")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return p // without a home folder there is none to look in
	}
	cache := cmp.Or(os.Getenv("HF_HOME"), filepath.Join(home, ".cache", "huggingface"))
	cache = cmp.Or(os.Getenv("HF_HUB_CACHE"), filepath.Join(cache, "hub"))
	p.Folders = []string{
		filepath.Join(home, "models", "*"),
		filepath.Join(cache, "models--*", "snapshots", "*"),
	}
	return p
}

const (
	probeWait  = 500 * time.Millisecond // for all answers of a server together
	maxModels  = 100                    // of one server
	maxListing = 1 << 20                // bytes of an answer
)

// AtHand looks for embedders in some places. It takes half a second at most where
// nothing answers; what does not answer, or answers something else, is not at hand.
func AtHand(ctx context.Context, p Places) []Choice {
	choices := make([][]Choice, len(p.Servers)+2)
	var looks sync.WaitGroup
	looks.Go(func() { choices[0] = ollamaModels(ctx, p.Ollama) })
	for i, base := range p.Servers {
		looks.Go(func() { choices[1+i] = openAIModels(ctx, base) })
	}
	looks.Go(func() { choices[len(choices)-1] = modelFolders(p.Folders) })
	looks.Wait()
	return slices.Concat(choices...)
}

// ollamaModels asks an Ollama server for its models, and each of them for what it can
// do.
func ollamaModels(ctx context.Context, base string) (choices []Choice) {
	ctx, stop := context.WithTimeout(ctx, probeWait)
	defer stop()
	var listed struct {
		Models []struct {
			Name string `json:"name"`
		} `json:"models"`
	}
	if base == "" || probe(ctx, http.MethodGet, base+"/api/tags", nil, &listed) != nil {
		return nil
	}
	for _, m := range listed.Models[:min(len(listed.Models), maxModels)] {
		var shown struct {
			Capabilities []string `json:"capabilities"`
		}
		err := probe(ctx, http.MethodPost, base+"/api/show", map[string]string{"model": m.Name}, &shown)
		says := err == nil && len(shown.Capabilities) > 0 // servers before 2025 do not
		if says && !slices.Contains(shown.Capabilities, "embedding") {
			continue
		}
		name := strings.TrimSuffix(m.Name, ":latest")
		choices = append(choices, Choice{Embedder: "ollama:" + name, Where: base, Unsure: !says && !embeds.MatchString(name)})
	}
	return sure(choices)
}

// openAIModels asks a server for its models. It is not given the key for another one.
func openAIModels(ctx context.Context, base string) (choices []Choice) {
	ctx, stop := context.WithTimeout(ctx, probeWait)
	defer stop()
	var listed struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if probe(ctx, http.MethodGet, base+"/models", nil, &listed) != nil {
		return nil
	}
	for _, m := range listed.Data[:min(len(listed.Data), maxModels)] {
		if m.ID != "" {
			choices = append(choices, Choice{Embedder: "openai:" + base + "," + m.ID, Where: base, Unsure: !embeds.MatchString(m.ID)})
		}
	}
	return sure(choices)
}

// embeds matches names of models that make vectors.
var embeds = regexp.MustCompile(`(?i)embed|minilm|mpnet|bge|gte-|e5-|arctic|potion`)

// sure leaves out the models that one is not sure of, if there are others.
func sure(choices []Choice) []Choice {
	known := slices.DeleteFunc(slices.Clone(choices), func(c Choice) bool { return c.Unsure })
	if len(known) > 0 {
		return known
	}
	return choices
}

// probe sends a request and reads its answer in JSON.
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

// modelFolders returns the folders that hold a model in files.
func modelFolders(patterns []string) (choices []Choice) {
	for _, pattern := range patterns {
		folders, _ := filepath.Glob(pattern) // an error: a home folder with a bracket in its name
		for _, folder := range folders {
			if holdsModel(folder) {
				choices = append(choices, Choice{Embedder: "static:" + folder, Where: folder})
			}
		}
	}
	return choices
}

// holdsModel reports whether a folder has a tokenizer that is read, and a table of
// vectors. It reads the header of the table only.
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
