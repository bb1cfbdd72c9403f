package vault

import (
	"context"
	"errors"
	"sync"
	"time"

	"hence/internal/db"
	"hence/internal/fault"
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

// reproject takes a file that was written into the store. The whole folder is
// looked at where this is the first write, and after an import that found
// something to change, so that the names are known. It is done even when the
// caller has gone meanwhile, and waits for an import that does not know of the
// lock (of an older Hence).
func (i Importer) reproject(ctx context.Context, operation string, s File) error {
	i.Progress, i.moved = nil, nil
	kept := db.Kept[projections](i.DB)
	return i.whenFree(ctx, operation, func(ctx context.Context) (err error) {
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

// reprojectMoved takes a file that was moved, and those whose links were
// written anew, into the store.
func (i Importer) reprojectMoved(ctx context.Context, operation string, v Vault, from, to string) error {
	i.Progress, i.moved = nil, map[string]string{to: from}
	return i.whenFree(ctx, operation, func(ctx context.Context) error {
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
