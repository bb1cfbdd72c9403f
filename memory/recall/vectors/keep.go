package vectors

import (
	"context"
	"errors"
	"time"

	"hence/internal/db"
)

// longestRest is the longest pause after an error: a model's server may be away for
// days, and is then not asked every few seconds.
const longestRest = 5 * time.Minute

// KeepEmbedded makes the vectors of what is stored while the program runs, and of an
// embedder that is chosen while it runs, until ctx ends. It looks whether texts wait
// when wake tells of a change, and at the interval every for changes of other
// processes. After an error it rests, longer each time, and passes the error to failed
// unless it was the last one too.
func (s Store) KeepEmbedded(ctx context.Context, every time.Duration, wake <-chan struct{}, failed func(error)) {
	rest, said := every, ""
	for {
		err := s.EmbedWaiting(ctx, nil)
		if ctx.Err() != nil {
			return
		}
		woken := wake
		if err == nil {
			rest, said = every, ""
		} else {
			woken, rest = nil, min(2*rest, longestRest)
			if err.Error() != said {
				said = err.Error()
				failed(err)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-woken:
		case <-time.After(rest):
		}
	}
}

// EmbedWaiting makes the vectors of the texts that wait for one, if there is an
// embedder and no other process is at it. progress is as in EmbedRun.
func (s Store) EmbedWaiting(ctx context.Context, progress func(done, of int)) error {
	var m *Model
	err := s.DB.Read(ctx, func(r *db.Reader) error {
		all, err := modelsOf(ctx, r)
		if err != nil || len(all) == 0 {
			return err
		}
		last := all[len(all)-1]
		waits, _, err := db.One[bool](ctx, r, `
select exists (
  select 1
  from vectors_waiting w
  cross join sections s on s.key = w.section
  cross join memories m on m.key = s.memory and m.status <> 'forgotten'
  where w.embedder = ?
)`, last.Key)
		if waits || last.building {
			m = &last
		}
		return err
	})
	if err != nil || m == nil {
		return err
	}
	b := s.builderOf(*m)
	b.progress = progress
	if err := b.run(ctx); !errors.Is(err, errBusy) {
		return err
	}
	return nil
}
