package embed

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"hence/internal/fault"
)

// input returns the texts of a request.
func input(r *http.Request) []string {
	var asked struct {
		Input []string `json:"input"`
	}
	_ = json.NewDecoder(r.Body).Decode(&asked)
	return asked.Input
}

// lengths answers with a vector for each text that encodes its length.
func lengths(w http.ResponseWriter, texts []string) {
	vectors := [][]float32{}
	for _, text := range texts {
		vectors = append(vectors, []float32{3 * float32(len(text)), 4 * float32(len(text))})
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"embeddings": vectors})
}

// served returns an embedder for a server with this handler.
func served(t *testing.T, handler http.HandlerFunc) *remote {
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	t.Setenv("OLLAMA_HOST", server.URL)
	e, err := Open("ollama:m")
	if err != nil {
		t.Fatal(err)
	}
	r := e.(*remote)
	r.pause = time.Millisecond
	return r
}

func TestOllama_Batches(t *testing.T) {
	requests := []int{}
	e := served(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/api/embed" {
			t.Errorf("asked %s", r.URL.Path)
		}
		texts := input(r)
		requests = append(requests, len(texts))
		lengths(w, texts)
	})
	vectors, err := e.Embed(t.Context(), strings.Split(strings.Repeat("x ", 2*batchSize+1), " "))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int{batchSize, batchSize, 2}, requests); diff != "" {
		t.Errorf("texts a request (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]float32{0.6, 0.8}, vectors[0]); diff != "" {
		t.Errorf("the vector is not of length one (-want +got):\n%s", diff)
	}
}

func TestOpenAI_OrderAndKey(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "open sesame")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/embeddings" || r.Header.Get("Authorization") != "Bearer open sesame" {
			t.Errorf("asked %s with %q", r.URL.Path, r.Header.Get("Authorization"))
		}
		_, _ = w.Write([]byte(`{"data": [{"index": 1, "embedding": [0, 2]}, {"index": 0, "embedding": [5, 0]}]}`))
	}))
	defer server.Close()
	e, err := Open("openai:" + server.URL + "/v1,m")
	if err != nil {
		t.Fatal(err)
	}
	got, err := e.Embed(t.Context(), []string{"a", "b"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][]float32{{1, 0}, {0, 1}}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestRemote_TriesAgain(t *testing.T) {
	var asked atomic.Int32
	e := served(t, func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1) < attempts {
			http.Error(w, "starting", http.StatusServiceUnavailable)
			return
		}
		lengths(w, input(r))
	})
	if _, err := e.Embed(t.Context(), []string{"a"}); err != nil || asked.Load() != attempts {
		t.Errorf("%d requests, %v; want %d and no error", asked.Load(), err, attempts)
	}
}

func TestRemote_Unavailable(t *testing.T) {
	for name, c := range map[string]struct {
		answer   func(w http.ResponseWriter, r *http.Request)
		requests int32
	}{
		"Failing":         {func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "x", http.StatusInternalServerError) }, attempts},
		"Overrun":         {func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "x", http.StatusTooManyRequests) }, attempts},
		"NoSuchModel":     {func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "x", http.StatusNotFound) }, 1},
		"WrongKey":        {func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "x", http.StatusUnauthorized) }, 1},
		"NoJSON":          {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) }, 1},
		"TooFew":          {func(w http.ResponseWriter, _ *http.Request) { lengths(w, []string{"a"}) }, 1},
		"WrongDimensions": {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"embeddings": [[1, 2], [1]]}`)) }, 1},
		"Empty":           {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"embeddings": [[], []]}`)) }, 1},
	} {
		t.Run(name, func(t *testing.T) {
			var asked atomic.Int32
			e := served(t, func(w http.ResponseWriter, r *http.Request) {
				asked.Add(1)
				c.answer(w, r)
			})
			_, err := e.Embed(t.Context(), []string{"a", "b"})
			if fault.CodeOf(err) != fault.Unavailable || !strings.Contains(err.Error(), "ollama:m") {
				t.Errorf("Embed: %v, want unavailable with the embedder's name", err)
			}
			if asked.Load() != c.requests {
				t.Errorf("%d requests, want %d", asked.Load(), c.requests)
			}
		})
	}
}

// An error has one line, whatever the server or a proxy before it sends.
func TestRemote_SaysWhyItFailed(t *testing.T) {
	for answer, want := range map[string]string{
		`<!DOCTYPE html>` + "\n<html><body>\n<h1>It broke</h1></body></html>": "status 500: Internal Server Error",
		"":                           "status 500: Internal Server Error",
		`{"error": "out of memory"}`: "status 500: out of memory",
		`{"error": {"message": "the model\nis loading", "type": "server_error"}}`: "status 500: the model is loading",
		"no  such\nthing": "status 500: no such thing",
	} {
		e := served(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusInternalServerError)
			_, _ = w.Write([]byte(answer))
		})
		if _, err := e.Embed(t.Context(), []string{"a"}); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%q: %v, want …%s", answer, err, want)
		}
	}
}

func TestRemote_Slow(t *testing.T) {
	e := served(t, func(_ http.ResponseWriter, r *http.Request) {
		input(r)
		<-r.Context().Done()
	})
	e.client.Timeout = 20 * time.Millisecond
	if _, err := e.Embed(t.Context(), []string{"a"}); fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("Embed: %v, want unavailable", err)
	}
}

// A server that refuses long texts gets them shortened, and the others unchanged.
func TestRemote_TooLong(t *testing.T) {
	const most = 3000
	e := served(t, func(w http.ResponseWriter, r *http.Request) {
		texts := input(r)
		for _, text := range texts {
			if len(text) > most {
				http.Error(w, "input is too long", http.StatusBadRequest)
				return
			}
			if !utf8.ValidString(text) {
				t.Errorf("a text is cut inside a character")
			}
		}
		vectors := [][]float32{}
		for _, text := range texts {
			vectors = append(vectors, []float32{float32(len(text)), 1000})
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"embeddings": vectors})
	})
	vectors, err := e.Embed(t.Context(), []string{"short", strings.Repeat("ø", maxText)})
	if err != nil {
		t.Fatal(err)
	}
	if ratio := vectors[0][0] / vectors[0][1]; ratio < 0.0049 || ratio > 0.0051 {
		t.Errorf("the short text was sent with %v bytes, want 5", 1000*ratio)
	}
	if bytes := 1000 * vectors[1][0] / vectors[1][1]; bytes < most/2 || bytes > most {
		t.Errorf("the long text was sent with %v bytes, want %d at most and half that at least", bytes, most)
	}
}
