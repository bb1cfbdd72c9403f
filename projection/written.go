package projection

import (
	"context"
	"errors"
	"sync"
	"time"

	"hence/internal/db"
	"hence/internal/fault"
	"hence/memory"
)

// states keeps the state of each vault that a process writes to, so that a write does not
// read all names again.
type states struct {
	mutex  sync.Mutex
	byName map[string]*state // vault's name → state
}

// take returns the state of a vault, or nil, and removes it, because it must not be used
// again after a failure.
func (k *states) take(name string) *state {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	s := k.byName[name]
	delete(k.byName, name)
	return s
}

func (k *states) put(name string, s *state) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	if k.byName == nil {
		k.byName = map[string]*state{}
	}
	k.byName[name] = s
}

// Project imports a file that Hence has written, as part of a batch; for the zero batch, in
// a batch of its own. The caller holds the vault's lock. On the first write, and after an
// import by another process, it scans the whole folder, so that all names are known. It
// continues when ctx is done, and waits for an import by an older Hence, which does not
// use the lock. It fails with unavailable if the store cannot be written.
func (m Mirror) Project(ctx context.Context, batch memory.Batch, v Vault, s Source, path string) error {
	m.Progress, m.batch = nil, batch
	m.emptied = batch.Undoes != 0 // an undo may have removed the last file
	cache := db.Keep[states](m.DB)
	return m.whenFree(ctx, batch.Operation, func(ctx context.Context) (err error) {
		known := cache.take(v.Name)
		if known == nil {
			_, known, err = m.importAll(ctx, v.args())
		} else {
			known.source = s
			_, known, err = m.importPaths(ctx, v.args(), known, sightings{paths: map[string]bool{path: true}})
		}
		if err == nil {
			cache.put(v.Name, known)
		}
		return err
	})
}

// ProjectMove imports a file that Hence has moved, and the files written because of that,
// as Project does.
func (m Mirror) ProjectMove(ctx context.Context, batch memory.Batch, v Vault, from, to string) error {
	m.Progress, m.moved, m.batch = nil, map[string]string{to: from}, batch
	return m.whenFree(ctx, batch.Operation, func(ctx context.Context) error {
		_, _, err := m.importAll(ctx, v.args())
		return err
	})
}

// importWait is how long whenFree tries again while another import is under way, and
// importRetry the pause in between.
const (
	importWait  = 30 * time.Second
	importRetry = 100 * time.Millisecond
)

// whenFree calls project until it does not fail because of another import, but for
// importWait at most. It ignores the end of ctx.
func (m Mirror) whenFree(ctx context.Context, operation string, project func(ctx context.Context) error) error {
	ctx = context.WithoutCancel(ctx)
	until := time.Now().Add(importWait)
	for {
		err := project(ctx)
		switch {
		case err == nil:
			return nil
		case !errors.Is(err, errAnotherImport) || time.Now().After(until):
			return fault.Wrap(fault.Unavailable, err, "%s: the file is written, and the store does not know yet; import the vault", operation)
		}
		time.Sleep(importRetry)
	}
}
