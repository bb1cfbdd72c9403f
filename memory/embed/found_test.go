package embed

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFound(t *testing.T) {
	for _, c := range []struct {
		name, answer string
		want         []string
	}{
		{"ByName", `{"models":[{"name":"nomic-embed-text:latest"},{"name":"llama3:8b","details":{"family":"llama"}},{"name":"qwen3-embedding:0.6b"}]}`, []string{Builtin, "ollama:nomic-embed-text", "ollama:qwen3-embedding:0.6b"}},
		{"ByFamily", `{"models":[{"name":"arctic","details":{"family":"bert"}}]}`, []string{Builtin, "ollama:arctic"}},
		{"None", `{"models":[]}`, []string{Builtin}},
		{"OtherServer", `<html>`, []string{Builtin}},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/api/tags" {
					t.Errorf("asked %s", r.URL.Path)
				}
				_, _ = w.Write([]byte(c.answer))
			}))
			defer server.Close()
			t.Setenv("OLLAMA_HOST", server.URL)
			if diff := cmp.Diff(c.want, Found(t.Context())); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	t.Setenv("OLLAMA_HOST", "127.0.0.1:1")
	if diff := cmp.Diff([]string{Builtin}, Found(t.Context())); diff != "" {
		t.Errorf("without a server (-want +got):\n%s", diff)
	}
}
