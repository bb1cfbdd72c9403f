package vault

import (
	"context"
	"errors"
	"sync"
	"time"

	"hence/internal/db"
	"hence/internal/fault"
	"hence/memory"
)

// projections is what a process keeps in mind of the vaults that it writes to:
// who is called what, so that not all names are read for each note.
type projections struct {
	mutex sync.Mutex
	of    map[string]*state // by the vault's name
}

// take returns what is known of a vault, and forgets it: after a failure it
// would be of no use.
func (k *projections) take(name string) *state {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	s := k.of[name]
	delete(k.of, name)
	return s
}

func (k *projections) put(name string, s *state) {
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
func (i Importer) Project(ctx context.Context, batch memory.Batch, s File) error {
	i.Progress, i.moved, i.batch = nil, nil, batch
	i.emptied = batch.Undoes != 0 // an undo may have removed the last file
	kept := db.Kept[projections](i.DB)
	return i.whenFree(ctx, batch.Operation, func(ctx context.Context) (err error) {
		a, known := ImportArgs{Dir: s.Root, Name: s.Name}, kept.take(s.Name)
		if known == nil {
			_, known, err = i.importAll(ctx, a)
		} else {
			known.settings = s.settings
			_, known, err = i.importPaths(ctx, a, known, seen{paths: map[string]bool{s.Path: true}})
		}
		if err == nil {
			kept.put(s.Name, known)
		}
		return err
	})
}

// ProjectMove is Project for a file that was moved, and the files whose links were
// rewritten.
func (i Importer) ProjectMove(ctx context.Context, batch memory.Batch, v Vault, from, to string) error {
	i.Progress, i.moved, i.batch = nil, map[string]string{to: from}, batch
	return i.whenFree(ctx, batch.Operation, func(ctx context.Context) error {
		_, _, err := i.importAll(ctx, ImportArgs{Dir: v.Root, Name: v.Name})
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
func (i Importer) whenFree(ctx context.Context, operation string, project func(ctx context.Context) error) error {
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
