package recall_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"hence/internal/ref"
	"hence/memory/exchange/lines"
	"hence/memory/recall"
)

// memoryLine and edgeLine are lines of the exchange format, as the importer of transcripts
// writes them.
type memoryLine struct {
	Type       string         `json:"type"`
	ID         string         `json:"id"`
	Namespace  string         `json:"namespace"`
	Kind       string         `json:"kind"`
	Title      string         `json:"title,omitempty"`
	Content    string         `json:"content"`
	Properties map[string]any `json:"properties,omitempty"`
	Origin     string         `json:"origin"`
	Actor      string         `json:"actor"`
	CreatedAt  string         `json:"created_at"`
}

type edgeLine struct {
	Type     string `json:"type"`
	From     string `json:"from"`
	To       string `json:"to"`
	EdgeType string `json:"edge_type"`
}

// importLines stores lines.
func importLines(b *testing.B, s recall.Searcher, all []any) {
	var text bytes.Buffer
	out := json.NewEncoder(&text)
	for _, line := range all {
		if err := out.Encode(line); err != nil {
			b.Fatal(err)
		}
	}
	if _, err := lines.Import(b.Context(), ref.View(s), bytes.NewReader(text.Bytes()), lines.ImportArgs{Name: "the benchmark"}); err != nil {
		b.Fatal(err)
	}
}

// searchIDs returns the ids of the results.
func searchIDs(b *testing.B, s recall.Searcher, a recall.SearchArgs) []string {
	got, err := s.Search(b.Context(), a)
	if err != nil {
		b.Fatal(err)
	}
	ids := []string{}
	for _, one := range got.Results {
		ids = append(ids, one.ID)
	}
	return ids
}
