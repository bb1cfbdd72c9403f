package recall

import (
	"context"
	"time"

	"hence/internal/db"
)

// KeepEmbedded makes the vectors of what is stored while the program runs, and of
// an embedder that is chosen while it runs, until ctx ends. It checks for changes
// at the interval every. It passes errors to failed, and tries again at the next
// check.
func (s Searcher) KeepEmbedded(ctx context.Context, every time.Duration, failed func(error)) {
	done := ""
	for {
		state := "" // differs whenever something was stored or an embedder chosen; "" without an embedder
		err := s.DB.Read(ctx, func(r *db.Reader) (err error) {
			state, _, err = db.One[string](ctx, r, `
select coalesce(
  (select group_concat(key || name || state) from embedders) || ' ' || coalesce((select max(seq) from journal), 0),
  ''
)`)
			return err
		})
		if err == nil && state != "" && state != done {
			_, err = s.EmbedRun(ctx, nil)
		}
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			failed(err)
		default:
			done = state
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(every):
		}
	}
}
