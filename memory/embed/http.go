package embed

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"hence/internal/fault"
	"hence/internal/prose"
)

// remote is an embedder that sends texts to a model server.
type remote struct {
	name   string
	url    string
	key    string // bearer token; may be empty
	model  string
	client *http.Client
	pause  time.Duration                            // before the second attempt; twice that before the third
	decode func(answer []byte) ([][]float32, error) // decodes the body of a response
}

const (
	batchSize = 32       // texts of one request
	attempts  = 3        // for one request
	timeLimit = 60       // seconds for one attempt
	maxText   = 16 << 10 // bytes of a text; the rest is cut
	minCut    = 256      // bytes; a refused text of this length is not cut further
	maxAnswer = 64 << 20 // bytes of a response
)

// ollamaBase returns the base URL of the Ollama server, from OLLAMA_HOST or by default on
// this machine.
func ollamaBase() string {
	base := cmp.Or(os.Getenv("OLLAMA_HOST"), "http://localhost:11434")
	if !strings.Contains(base, "://") {
		if _, _, err := net.SplitHostPort(base); err != nil {
			base = net.JoinHostPort(base, "11434")
		}
		base = "http://" + base
	}
	return strings.TrimRight(base, "/")
}

// newOpenAI returns the embedder for "<url>,<model>".
func newOpenAI(rest string) (*remote, error) {
	url, model, ok := strings.Cut(rest, ",")
	if !ok || model == "" || !strings.HasPrefix(url, "http://") && !strings.HasPrefix(url, "https://") {
		return nil, fault.New(fault.InvalidArgument, "embedder openai:%s: write openai:<url>,<model>, such as openai:http://localhost:8080/v1,bge-m3", rest)
	}
	return newRemote("openai:"+rest, strings.TrimRight(url, "/")+"/embeddings", os.Getenv("OPENAI_API_KEY"), model, decodeOpenAI), nil
}

func newRemote(name, url, key, model string, decode func([]byte) ([][]float32, error)) *remote {
	return &remote{
		name: name, url: url, key: key, model: model, decode: decode,
		client: &http.Client{Timeout: timeLimit * time.Second}, pause: time.Second,
	}
}

func (r *remote) Name() string { return r.name }

// Embed returns the vectors of texts from the server, requested in batches.
func (r *remote) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	vectors := [][]float32{}
	for batch := range slices.Chunk(texts, batchSize) {
		some, err := r.embed(ctx, batch)
		if err != nil {
			return nil, err
		}
		vectors = append(vectors, some...)
	}
	for _, v := range vectors {
		if len(v) != len(vectors[0]) {
			return nil, fault.New(fault.Unavailable, "embedder %s: the server answers with vectors of %d and of %d dimensions", r.name, len(vectors[0]), len(v))
		}
	}
	return vectors, nil
}

// embed returns the vectors of one batch of texts. If the server refuses the batch, embed
// sends the texts one by one, and a refused text again, cut to half its length.
func (r *remote) embed(ctx context.Context, texts []string) ([][]float32, error) {
	cut := make([]string, len(texts))
	for i, text := range texts {
		cut[i] = cutText(text, maxText)
	}
	vectors, err := r.request(ctx, cut)
	var refused *refusal
	switch {
	case !errors.As(err, &refused):
		return vectors, err
	case len(cut) > 1:
		for _, text := range cut {
			one, err := r.embed(ctx, []string{text})
			if err != nil {
				return nil, err
			}
			vectors = append(vectors, one...)
		}
		return vectors, nil
	case len(cut[0]) > minCut:
		return r.embed(ctx, []string{cutText(cut[0], len(cut[0])/2)})
	}
	return nil, fault.Wrap(fault.Unavailable, err, "embedder %s: the server refuses a text", r.name)
}

// cutText returns at most the first n bytes of a text, without a partial character at the end.
func cutText(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// refusal is the error of a response that calls the request wrong, so that a retry of the
// same request does not help.
type refusal struct {
	status int
	text   string
}

func (e *refusal) Error() string { return fmt.Sprintf("status %d: %s", e.status, e.text) }

// request sends texts in one request, with retries, and returns their vectors.
func (r *remote) request(ctx context.Context, texts []string) ([][]float32, error) {
	var err error
	for attempt := range attempts {
		if attempt > 0 {
			select {
			case <-ctx.Done():
				return nil, fault.Wrap(fault.Unavailable, ctx.Err(), "embedder %s: stopped", r.name)
			case <-time.After(r.pause << (attempt - 1)):
			}
		}
		var answer []byte
		if answer, err = r.post(ctx, texts); err == nil {
			return r.read(answer, len(texts))
		}
		_, isRefused := errors.AsType[*refusal](err)
		if _, isPermanent := errors.AsType[*fault.Error](err); isRefused || isPermanent {
			return nil, err
		}
		if connection, ok := errors.AsType[*net.OpError](err); ok && connection.Op == "dial" {
			break // no server listens on that address
		}
	}
	return nil, fault.Wrap(fault.Unavailable, err, "embedder %s: %s does not answer; start it, or choose another embedder with hence embed set", r.name, r.url)
}

// post sends one request and returns the body of a successful response.
func (r *remote) post(ctx context.Context, texts []string) ([]byte, error) {
	body, err := json.Marshal(map[string]any{"model": r.model, "input": texts})
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, r.url, bytes.NewReader(body))
	if err != nil {
		return nil, &refusal{0, err.Error()}
	}
	request.Header.Set("Content-Type", "application/json")
	if r.key != "" {
		request.Header.Set("Authorization", "Bearer "+r.key)
	}
	response, err := r.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return nil, err
	}
	switch s := response.StatusCode; {
	case s == http.StatusOK:
		return answer, nil
	case s == http.StatusBadRequest || s == http.StatusRequestEntityTooLarge || s == http.StatusUnprocessableEntity:
		return nil, &refusal{s, reason(s, answer)}
	case s == http.StatusUnauthorized || s == http.StatusForbidden || s == http.StatusNotFound:
		// Neither a retry nor a shorter text helps.
		return nil, fault.New(fault.Unavailable, "embedder %s: status %d: %s", r.name, s, reason(s, answer))
	default:
		return nil, fmt.Errorf("status %d: %s", s, reason(s, answer))
	}
}

// reason returns the error message in a response on one line: the message of an error
// object of Ollama or OpenAI, or the body, or the name of the status if the body is empty or
// HTML.
func reason(status int, answer []byte) string {
	text := string(answer)
	var ollama struct{ Error string }
	var openAI struct{ Error struct{ Message string } }
	switch {
	case json.Unmarshal(answer, &ollama) == nil && ollama.Error != "":
		text = ollama.Error
	case json.Unmarshal(answer, &openAI) == nil && openAI.Error.Message != "":
		text = openAI.Error.Message
	}
	text = prose.OneLine(text)
	if text == "" || strings.HasPrefix(text, "<") {
		return http.StatusText(status)
	}
	return cutText(text, 200)
}

// read decodes the body of a response into the wanted number of normalized vectors.
func (r *remote) read(answer []byte, wanted int) ([][]float32, error) {
	vectors, err := r.decode(answer)
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, err, "embedder %s: the server's answer does not hold vectors", r.name)
	}
	if len(vectors) != wanted {
		return nil, fault.New(fault.Unavailable, "embedder %s: the server answers %d texts with %d vectors", r.name, wanted, len(vectors))
	}
	for _, v := range vectors {
		if len(v) == 0 {
			return nil, fault.New(fault.Unavailable, "embedder %s: the server answers with an empty vector", r.name)
		}
		normalize(v)
	}
	return vectors, nil
}

// decodeOllama returns the vectors in a response of Ollama.
func decodeOllama(answer []byte) ([][]float32, error) {
	var a struct {
		Embeddings [][]float32 `json:"embeddings"`
	}
	err := json.Unmarshal(answer, &a)
	return a.Embeddings, err
}

// decodeOpenAI returns the vectors in a response of an OpenAI-compatible server, in the
// order of the texts.
func decodeOpenAI(answer []byte) ([][]float32, error) {
	var a struct {
		Data []struct {
			Index     int       `json:"index"`
			Embedding []float32 `json:"embedding"`
		} `json:"data"`
	}
	if err := json.Unmarshal(answer, &a); err != nil {
		return nil, err
	}
	vectors := make([][]float32, len(a.Data))
	for _, item := range a.Data {
		if item.Index < 0 || item.Index >= len(vectors) || vectors[item.Index] != nil {
			return nil, fmt.Errorf("the index %d is out of range or repeated", item.Index)
		}
		vectors[item.Index] = item.Embedding
	}
	return vectors, nil
}
