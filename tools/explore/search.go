package explore

import (
	"context"

	"hence/internal/db"
	"hence/memory/recall"
	"hence/memory/recall/answer"
)

// SearchResult is the result of a search, with the matches in each snippet, and the time of the
// last change of each memory.
type SearchResult struct {
	recall.SearchResult
	Pieces  [][]answer.Piece `json:"pieces"`
	Changed []string         `json:"changed"` // "" if the memory was purged after the search
}

// Search searches as memory_search does. It adds the matches in each snippet and the times
// of the memories.
func (q reader) Search(ctx context.Context, a recall.SearchArgs) (SearchResult, error) {
	result, err := recall.Searcher(q).Search(ctx, a)
	detailed := SearchResult{result, [][]answer.Piece{}, []string{}}
	if err != nil {
		return detailed, err
	}
	ids := []string{}
	for _, f := range result.Results {
		detailed.Pieces = append(detailed.Pieces, f.Pieces())
		ids = append(ids, f.ID)
	}
	times := map[string]string{}
	err = db.Fill(ctx, q.DB, times, `
select
  m.id,
  m.updated_at
from json_each(?) i
join memories m on m.id = i.value`, db.List(ids))
	for _, id := range ids {
		detailed.Changed = append(detailed.Changed, times[id])
	}
	return detailed, err
}
