package recall

import (
	"context"
	"time"

	"hence/internal/db"
)

// KeepEmbedded makes the vectors of what is stored while the program runs,
// and of an embedder that is chosen meanwhile, until ctx ends. It looks every
// so often whether anything has changed. What goes wrong it tells failed, and
// tries again at the next look.
func (s Searcher) KeepEmbedded(ctx context.Context, every time.Duration, failed func(error)) {
	done := ""
	for {
		now, chosen, err := s.changes(ctx)
		if err == nil && chosen && now != done {
			_, err = s.EmbedRun(ctx, nil)
		}
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			failed(err)
		default:
			done = now
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(every):
		}
	}
}

// changes is a text that differs whenever something has been stored, or an
// embedder chosen, since; it reports whether one is chosen.
func (s Searcher) changes(ctx context.Context) (now string, chosen bool, err error) {
	err = s.DB.Read(ctx, func(r *db.Reader) error {
		if now, _, err = db.One[string](ctx, r, `
select
  coalesce((select max(seq) from journal), 0)
  || ' ' || coalesce((select group_concat(key || name || state) from embedders), '')`); err != nil {
			return err
		}
		chosen, _, err = db.One[bool](ctx, r, `select exists (select 1 from embedders)`)
		return err
	})
	return now, chosen, err
}
