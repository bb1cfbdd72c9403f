// Package embedtest serves embedders for tests and benchmarks.
package embedtest

import (
	"encoding/json"
	"hash/fnv"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"hence/internal/script"
)

// Server starts a server that answers with the vectors of embed, or with an error while serves
// returns false. It returns the embedder's name.
func Server(t testing.TB, serves func() bool, embed func(text string) []float32) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			Input []string `json:"input"`
		}
		_ = json.NewDecoder(r.Body).Decode(&asked)
		if !serves() {
			http.Error(w, "no such model", http.StatusNotFound)
			return
		}
		data := []map[string]any{}
		for i, text := range asked.Input {
			data = append(data, map[string]any{"index": i, "embedding": embed(text)})
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"data": data})
	}))
	t.Cleanup(server.Close)
	return "openai:" + server.URL + ",m"
}

// Random starts a server that gives each word a random vector, always the same: a model that knows no
// meaning. The vector of a text is their sum.
func Random(t testing.TB) string {
	const dimensions = 128
	var mu sync.Mutex
	known := map[string][]float32{}
	vectorOf := func(word string) []float32 {
		mu.Lock()
		defer mu.Unlock()
		if v, ok := known[word]; ok {
			return v
		}
		seed := fnv.New64a()
		_, _ = seed.Write([]byte(word))
		random, v := rand.New(rand.NewPCG(seed.Sum64(), 1)), make([]float32, dimensions)
		for i := range v {
			v[i] = float32(random.NormFloat64())
		}
		known[word] = v
		return v
	}
	return Server(t, func() bool { return true }, func(text string) []float32 {
		sum := make([]float32, dimensions)
		for word := range script.Runs(strings.ToLower(text)) {
			for i, x := range vectorOf(word) {
				sum[i] += x
			}
		}
		return sum
	})
}
