package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"hence/internal/db"
	"hence/internal/ref"
	"hence/memory"
)

// noteSecrets lists likely secrets in texts. They are not problems of the store: notes are
// the person's files, and an import of Hence's own lines keeps secrets unchanged.
func noteSecrets(ctx context.Context, d Doctor) (notes []string, err error) {
	var places []memory.SecretPlace
	var total int
	err = d.DB.Read(ctx, func(r *db.Reader) error {
		places, total, err = memory.Secrets(ctx, r, "", 0, maxProblems-1)
		return errors.Join(err, ref.Mark(ctx, r, &places))
	})
	for _, p := range places {
		notes = append(notes, fmt.Sprintf("%s, line %d: %s", cmp.Or(p.URI, "memory "+ref.ShortID(p.ID)+" ("+p.Title+ref.Named{Trust: p.Trust}.Mark()+")"), p.Line, p.Text))
	}
	if total > len(places) {
		notes = append(notes, fmt.Sprintf("and %d more places that look like secrets; hence check lists those of a vault", total-len(places)))
	}
	return notes, err
}
