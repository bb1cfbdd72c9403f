package explore

import (
	"context"

	"hence/memory/recall"
)

// SearchResult is the result of a search, with the matches in each snippet.
type SearchResult struct {
	recall.SearchResult
	Pieces [][]recall.Piece `json:"pieces"`
}

// Search is memory_search, with the matches in each snippet.
func (q reader) Search(ctx context.Context, a recall.SearchArgs) (SearchResult, error) {
	result, err := recall.Searcher(q).Search(ctx, a)
	marked := SearchResult{result, [][]recall.Piece{}}
	for _, f := range result.Results {
		marked.Pieces = append(marked.Pieces, f.Pieces())
	}
	return marked, err
}
