package embed

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// ollama starts an Ollama server with models and the capabilities of each; nil: it does not
// list them.
func ollama(t *testing.T, models map[string][]string, order ...string) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/api/tags":
			list := []map[string]string{}
			for _, name := range order {
				list = append(list, map[string]string{"name": name})
			}
			_ = json.NewEncoder(w).Encode(map[string]any{"models": list})
		case "/api/show":
			var asked struct{ Model string }
			_ = json.NewDecoder(r.Body).Decode(&asked)
			_ = json.NewEncoder(w).Encode(map[string]any{"capabilities": models[asked.Model]})
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// openAI starts a server that answers every request with a text.
func openAI(t *testing.T, answer string) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" {
			t.Error("the key for one server was sent to another")
		}
		fmt.Fprint(w, answer)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/v1"
}

func TestAtHand(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "open sesame")
	speaking := ollama(t, map[string][]string{"nomic-embed-text:latest": {"embedding"}, "llama3:8b": {"completion"}}, "llama3:8b", "nomic-embed-text:latest")
	silent := ollama(t, nil, "llama3:8b", "bge-m3:567m")
	chats := openAI(t, `{"data": [{"id": "qwen3"}]}`)
	both := openAI(t, `{"data": [{"id": "qwen3"}, {"id": "text-embedding-nomic"}]}`)
	page := openAI(t, `<html>`)
	for _, c := range []struct {
		name   string
		places Places
		want   []Choice
	}{
		{"Nowhere", Places{}, nil},
		{"NobodyAnswers", Places{Ollama: "http://127.0.0.1:1", Servers: []string{"http://127.0.0.1:1/v1"}}, nil},
		{"OllamaSaysWhatEmbeds", Places{Ollama: speaking}, []Choice{{Embedder: "ollama:nomic-embed-text", Where: speaking}}},
		{"OllamaDoesNotSay", Places{Ollama: silent}, []Choice{{Embedder: "ollama:bge-m3:567m", Where: silent}}},
		{"ServerOfOtherModels", Places{Servers: []string{chats}}, []Choice{{Embedder: "openai:" + chats + ",qwen3", Where: chats, Unsure: true}}},
		{"Server", Places{Servers: []string{page, both}}, []Choice{{Embedder: "openai:" + both + ",text-embedding-nomic", Where: both}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, AtHand(t.Context(), c.places)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestAtHand_FoldersWithAModel(t *testing.T) {
	home := t.TempDir()
	table := safetensors(`{"embeddings":{"dtype":"F32","shape":[3,2],"data_offsets":[0,24]}}`, 6)
	for path, content := range map[string]string{
		"models/good/model.safetensors":            string(table),
		"models/good/tokenizer.json":               tokenizerJSON,
		"models/other tokenizer/tokenizer.json":    `{"model": {"type": "BPE"}}`,
		"models/other tokenizer/model.safetensors": string(table),
		"models/transformer/model.safetensors":     string(safetensors(`{"encoder.layer.0":{"dtype":"F32","shape":[3,2],"data_offsets":[0,24]}}`, 6)),
		"models/transformer/tokenizer.json":        tokenizerJSON,
		"models/cut short/model.safetensors":       string(table[:5]),
		"models/cut short/tokenizer.json":          tokenizerJSON,
	} {
		path = filepath.Join(home, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("HOME", home)
	t.Setenv("HF_HOME", "")
	t.Setenv("HF_HUB_CACHE", "")
	folder := filepath.Join(home, "models", "good")
	got := AtHand(t.Context(), Places{Folders: LocalPlaces().Folders})
	if diff := cmp.Diff([]Choice{{Embedder: "static:" + folder, Where: folder}}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if e, err := Open(got[0].Embedder); err != nil || e.Name() != got[0].Embedder {
		t.Errorf("Open: %v", err)
	}
}

func TestLocalPlaces_Folders(t *testing.T) {
	for _, c := range []struct {
		name, home, hfHome, hubCache string
		want                         []string
	}{
		{"Home", "/home/a", "", "", []string{"/home/a/models/*", "/home/a/.cache/huggingface/hub/models--*/snapshots/*"}},
		{"HomeAndHFHome", "/home/a", "/hf", "", []string{"/home/a/models/*", "/hf/hub/models--*/snapshots/*"}},
		{"HomeAndHubCache", "/home/a", "/hf", "/hub", []string{"/home/a/models/*", "/hub/models--*/snapshots/*"}},
		{"NoHome", "", "", "", nil},
		{"NoHomeButHFHome", "", "/hf", "", []string{"/hf/hub/models--*/snapshots/*"}},
		{"NoHomeButHubCache", "", "", "/hub", []string{"/hub/models--*/snapshots/*"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("HOME", c.home)
			t.Setenv("USERPROFILE", c.home) // the same on Windows
			t.Setenv("HF_HOME", c.hfHome)
			t.Setenv("HF_HUB_CACHE", c.hubCache)
			got := []string{}
			for _, folder := range LocalPlaces().Folders {
				got = append(got, filepath.ToSlash(folder))
			}
			if diff := cmp.Diff(c.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestOllamaBase(t *testing.T) {
	for host, want := range map[string]string{
		"":                       "http://localhost:11434",
		"gpu":                    "http://gpu:11434",
		"gpu:80":                 "http://gpu:80",
		"https://gpu.example/a/": "https://gpu.example/a",
	} {
		t.Setenv("OLLAMA_HOST", host)
		if got := ollamaBase(); got != want {
			t.Errorf("OLLAMA_HOST=%q: %s, want %s", host, got, want)
		}
	}
}
