package explore

import (
	"context"

	"hence/memory/recall"
	"hence/memory/recall/answer"
)

// SearchResult is the result of a search, with the matches in each snippet, and the time of the
// last change of each memory.
type SearchResult struct {
	recall.SearchResult
	Pieces  [][]answer.Piece `json:"pieces"`
	Changed []string         `json:"changed"`
}

// Search searches as memory_search does. It adds the matches in each snippet and the times
// of the memories.
func (q reader) Search(ctx context.Context, a recall.SearchArgs) (SearchResult, error) {
	result, err := recall.Searcher(q).Search(ctx, a)
	detailed := SearchResult{result, [][]answer.Piece{}, []string{}}
	if err != nil {
		return detailed, err
	}
	for _, f := range result.Results {
		detailed.Pieces, detailed.Changed = append(detailed.Pieces, f.Pieces()), append(detailed.Changed, f.UpdatedAt)
	}
	return detailed, nil
}
