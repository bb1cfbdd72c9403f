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

// states keep the directories of the vaults that a process writes to, so that not
// all names are read for each file.
type states struct {
	mutex sync.Mutex
	of    map[string]*state // by the vault's name
}

// take returns what is known of a vault, and forgets it: after a failure it
// would be of no use.
func (k *states) take(name string) *state {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	s := k.of[name]
	delete(k.of, name)
	return s
}

func (k *states) put(name string, s *state) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	if k.of == nil {
		k.of = map[string]*state{}
	}
	k.of[name] = s
}

// Project takes a file that was written into the store, as part of a batch, or of
// a batch of its own where that is the zero one. The caller holds the vault. The
// whole folder is scanned on the first write, and after an import by another
// process, so that all names are known. It goes on when ctx is done, and waits for
// an import that does not know of the lock (of an older Hence). It fails with
// unavailable where the store cannot be written.
func (m Mirror) Project(ctx context.Context, batch memory.Batch, v Vault, s Source, path string) error {
	m.Progress, m.batch = nil, batch
	m.emptied = batch.Undoes != 0 // an undo may have removed the last file
	kept := db.Keep[states](m.DB)
	return m.whenFree(ctx, batch.Operation, func(ctx context.Context) (err error) {
		known := kept.take(v.Name)
		if known == nil {
			_, known, err = m.importAll(ctx, v.args())
		} else {
			known.source = s
			_, known, err = m.importPaths(ctx, v.args(), known, sightings{paths: map[string]bool{path: true}})
		}
		if err == nil {
			kept.put(v.Name, known)
		}
		return err
	})
}

// ProjectMove is Project for a file that was moved, and the files that were written
// because of it.
func (m Mirror) ProjectMove(ctx context.Context, batch memory.Batch, v Vault, from, to string) error {
	m.Progress, m.moved, m.batch = nil, map[string]string{to: from}, batch
	return m.whenFree(ctx, batch.Operation, func(ctx context.Context) error {
		_, _, err := m.importAll(ctx, v.args())
		return err
	})
}

// How long, and how often, a projection is tried again while another import is
// under way.
const (
	importWait  = 30 * time.Second
	importRetry = 100 * time.Millisecond
)

// whenFree projects, again and again while another import is under way.
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
