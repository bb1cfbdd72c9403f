package memory

import (
	"context"
	"fmt"

	"hence/edges"
	"hence/edges/belief"
	"hence/internal/db"
	"hence/internal/ref"
)

// maxLoss is the most memories that Loss lists as having rested on the removed one.
const maxLoss = 10

// Loss lists what else changes when a memory is removed for good.
type Loss struct {
	RestedOnIt      []belief.Resting `json:"rested_on_it,omitempty"`       // memories that rested on it
	RestedOnItCount int              `json:"rested_on_it_count,omitempty"` // all of them, if RestedOnIt does not list all
	CurrentAgain    []ref.Named      `json:"current_again,omitempty"`      // memories that it had superseded
}

// foresee returns the loss if a memory is purged, and a warning if the memory is of a file.
func (s Store) foresee(ctx context.Context, m ref.Memory, purge bool) (l Loss, warnings []string, err error) {
	err = s.DB.Read(ctx, func(r *db.Reader) error {
		if warnings, err = warnOfFile(ctx, r, m, purge); err != nil || !purge {
			return err
		}
		rested, n, err := belief.RestingOn(ctx, r, []string{m.ID}, maxLoss)
		if err != nil {
			return err
		}
		if l.RestedOnIt = rested; n > len(rested) {
			l.RestedOnItCount = n
		}
		l.CurrentAgain, err = edges.ReadReplaced(ctx, r, m.Key)
		return err
	})
	return l, warnings, err
}

// warnOfFile returns a warning if a memory is of a file that still exists, because an import
// brings such a memory back.
func warnOfFile(ctx context.Context, r *db.Reader, m ref.Memory, purge bool) ([]string, error) {
	isOfFile, _, err := db.One[bool](ctx, r, `
select exists (select 1 from files where memory = ?1) or exists (select 1 from symbols where memory = ?1)`, m.Key)
	if err != nil || !isOfFile {
		return nil, err
	}
	when := "when it is edited"
	if purge {
		when = "with the next import, under a new id and without the edges that were made to it"
	}
	return []string{fmt.Sprintf("%s is still there, and the memory comes back %s; to be rid of it, delete or move the file", m.URI, when)}, nil
}
