package vectors

import (
	"context"
	"errors"
	"time"

	"hence/internal/db"
	"hence/internal/fault"
)

// maxPause is the longest pause after an error. A model's server may be down for days, and
// is then not to be called every few seconds.
const maxPause = 5 * time.Minute

// KeepEmbedded makes missing vectors until ctx ends, also those of an embedder that is chosen
// in the meantime. It looks for waiting texts when wake receives, and at the interval every
// for the changes of other processes. After an error it doubles the pause, up to maxPause,
// and ignores wake. It passes an error to failed unless the previous one read the same.
func (s Store) KeepEmbedded(ctx context.Context, every time.Duration, wake <-chan struct{}, failed func(error)) {
	pause, lastError := every, ""
	for {
		err := s.EmbedWaiting(ctx, nil)
		if ctx.Err() != nil {
			return
		}
		wakeup := wake
		if err == nil {
			pause, lastError = every, ""
		} else {
			wakeup, pause = nil, min(2*pause, maxPause)
			if err.Error() != lastError {
				lastError = err.Error()
				failed(err)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-wakeup:
		case <-time.After(pause):
		}
	}
}

// EmbedWaiting makes the missing vectors, if there is an embedder and no other process is
// making them. progress is as in EmbedRun.
func (s Store) EmbedWaiting(ctx context.Context, progress func(done, total int)) error {
	var pending *Model
	err := s.DB.Read(ctx, func(r *db.Reader) error {
		all, err := modelsOf(ctx, r)
		if err != nil || len(all) == 0 {
			return err
		}
		model := all[len(all)-1]
		waits, _, err := db.One[bool](ctx, r, `select exists (select 1 `+waiting+`)`, model.Key)
		if waits || model.building {
			pending = &model
		}
		return err
	})
	if err != nil || pending == nil {
		return err
	}
	b := s.builderOf(*pending)
	b.progress = progress
	if err := b.run(ctx); !errors.Is(err, errBusy) {
		return err
	}
	return nil
}

// EmbedBefore makes vectors before a search of a namespace, or of the store if it is "", by a model that is
// built in, as far as a person does not notice: of a batch of sections, such as those that the sqlite3
// shell has written. A search says how many still wait then, be it that the store cannot be written right now.
func (s Store) EmbedBefore(ctx context.Context, m Model, namespace string) error {
	if !m.isBuiltin() || s.DB.ReadOnly() {
		return nil
	}
	b := s.builderOf(m)
	b.namespace = namespace
	bounded, stop := context.WithTimeout(ctx, unnoticed)
	defer stop()
	_, err := b.batch(bounded)
	if ctx.Err() == nil && (bounded.Err() != nil || fault.CodeOf(err) == fault.Unavailable) {
		return nil
	}
	return err
}

// unnoticed is how long a search waits for vectors, such as when another process is writing.
const unnoticed = 200 * time.Millisecond
