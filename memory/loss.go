package memory

import (
	"context"
	"fmt"

	"hence/edges"
	"hence/edges/belief"
	"hence/internal/db"
	"hence/internal/ref"
)

// maxLoss is how many memories are listed as having lost what they rest on.
const maxLoss = 10

// Loss is what goes with a memory that is removed for good.
type Loss struct {
	RestedOnIt      []belief.Resting `json:"rested_on_it,omitempty"`       // and do so no more
	RestedOnItCount int              `json:"rested_on_it_count,omitempty"` // where more did than are listed
	CurrentAgain    []ref.Named      `json:"current_again,omitempty"`      // which it had replaced
}

// foresee returns what goes with a memory if it is removed for good, and warns if the
// memory is of a file.
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

// warnOfFile warns that a memory is of a file that is still there, so that the memory
// comes back with it.
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
