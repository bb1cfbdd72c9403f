package vectors

import (
	"context"
	"errors"
	"time"

	"hence/internal/db"
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
		waits, err := model.waits(ctx, r)
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

// EmbedBefore makes vectors before a search by a model that is built in, as far as a person does not
// notice: of a batch of sections, such as those that the sqlite3 shell has written. A search says how many
// still wait then.
func (s Store) EmbedBefore(ctx context.Context, m Model) error {
	if !m.isBuiltin() || s.DB.ReadOnly() {
		return nil
	}
	waits, err := m.waits(ctx, s.DB)
	if err == nil && waits {
		_, err = s.builderOf(m).batch(ctx)
	}
	return err
}

// waits reports whether a section waits for a vector of the model.
func (m Model) waits(ctx context.Context, from db.Source) (bool, error) {
	waits, _, err := db.One[bool](ctx, from, `select exists (select 1 `+waiting+`)`, m.Key)
	return waits, err
}
