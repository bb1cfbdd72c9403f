package explore

import (
	"context"

	"hence/internal/db"
	"hence/memory/recall"
)

// SearchResult is the result of a search, with the matches in each snippet, and when
// each memory was stored or changed last.
type SearchResult struct {
	recall.SearchResult
	Pieces  [][]recall.Piece `json:"pieces"`
	Changed []string         `json:"changed"` // "" for what has been purged since
}

// Search is memory_search, with the matches in each snippet and the times of the
// memories.
func (q reader) Search(ctx context.Context, a recall.SearchArgs) (SearchResult, error) {
	result, err := recall.Searcher(q).Search(ctx, a)
	marked := SearchResult{result, [][]recall.Piece{}, []string{}}
	if err != nil {
		return marked, err
	}
	ids := []string{}
	for _, f := range result.Results {
		marked.Pieces = append(marked.Pieces, f.Pieces())
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
		marked.Changed = append(marked.Changed, times[id])
	}
	return marked, err
}
