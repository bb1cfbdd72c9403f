package doctor

import (
	"cmp"
	"context"
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
		return err
	})
	for _, p := range places {
		notes = append(notes, fmt.Sprintf("%s, line %d: %s", cmp.Or(p.URI, "memory "+ref.ShortID(p.ID)+" ("+p.Title+")"), p.Line, p.Text))
	}
	if total > len(places) {
		notes = append(notes, fmt.Sprintf("and %d more places that look like secrets; hence check lists those of a vault", total-len(places)))
	}
	return notes, err
}
