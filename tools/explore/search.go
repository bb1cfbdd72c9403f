package explore

import (
	"context"

	"hence/memory/recall"
)

// SearchResult is the result of a search that says of each snippet, in pieces,
// what matched.
type SearchResult struct {
	recall.SearchResult
	Pieces [][]recall.Piece `json:"pieces"`
}

// Search searches as memory_search does.
func (q reader) Search(ctx context.Context, a recall.SearchArgs) (SearchResult, error) {
	result, err := recall.Searcher(q).Search(ctx, a)
	said := SearchResult{result, [][]recall.Piece{}}
	for _, f := range result.Results {
		said.Pieces = append(said.Pieces, f.Pieces())
	}
	return said, err
}
