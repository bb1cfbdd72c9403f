package exchange

import (
	"cmp"
	"context"
	"errors"
	"io"

	"golang.org/x/sync/errgroup"

	"hence/internal/db"
)

// inventory holds the fingerprints of a store's lines, so that lines that are equal in two
// stores are neither written nor read.
type inventory struct {
	key    db.FingerprintKey
	lines  db.Numbers
	counts Exported
}

// inventory returns the inventory of the lines of the store that a merge considers.
func (s Store) inventory(ctx context.Context, key db.FingerprintKey) (i inventory, err error) {
	err = s.DB.ForLong(ctx, func(d *db.DB) error {
		return d.Read(ctx, func(r *db.Reader) error {
			i, err = readInventory(ctx, r, s.Caller.Namespace, key)
			return err
		})
	})
	return i, err
}

func readInventory(ctx context.Context, r *db.Reader, namespace string, key db.FingerprintKey) (i inventory, err error) {
	i.key = key
	all := []db.Packed{}
	for _, sort := range sorts {
		lines, _, err := db.One[db.Packed](ctx, r, "select pack(fingerprint(?2, "+sort.fields+"))"+sort.from+"\n  and "+sort.carried, namespace, []byte(key))
		if err != nil {
			return i, err
		}
		all = append(all, lines)
		*sort.number(&i.counts) += lines.Len(1)
	}
	i.lines = db.NumbersOf(all...)
	return i, nil
}

// MergeStore merges another store into this one, as Merge does with its export. It compares
// the fingerprints of both, and reads only the lines that differ.
func (s Store) MergeStore(ctx context.Context, other Store, a ImportArgs) (done Merged, err error) {
	key := db.NewFingerprintKey()
	var own, theirs inventory
	work, both := errgroup.WithContext(ctx)
	work.Go(func() (err error) {
		own, err = s.inventory(both, key)
		return err
	})
	work.Go(func() (err error) {
		theirs, err = other.inventory(both, key)
		return err
	})
	if err := work.Wait(); err != nil {
		return done, err
	}
	var sent Exported
	a.Few = true
	err = Pipe(func(out io.Writer) (err error) {
		sent, err = other.export(ctx, out, &own)
		return err
	}, func(in io.Reader) (err error) {
		done, err = s.Merge(ctx, in, a)
		return err
	})
	done.Memories.Present += theirs.counts.Memories - sent.Memories
	done.Edges.Present += theirs.counts.Edges - sent.Edges
	done.inventory = &theirs
	return done, err
}

// Pipe runs write and read concurrently: read reads the output of write.
func Pipe(write func(out io.Writer) error, read func(in io.Reader) error) error {
	in, out := io.Pipe()
	written := make(chan error, 1)
	go func() {
		err := write(out)
		written <- err
		_ = out.CloseWithError(err)
	}()
	err := read(in)
	_ = in.CloseWithError(cmp.Or(err, io.ErrClosedPipe))
	if wrote := <-written; wrote != nil && !errors.Is(wrote, io.ErrClosedPipe) {
		return wrote
	}
	return err
}
