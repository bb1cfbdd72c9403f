package recall

import (
	"context"

	"hence/internal/db"
)

// behind is the share of its score that a turn of an imported conversation keeps, so
// that it is ranked behind what says the same and was stored on purpose. A conversation
// lends to its turns: a turn with the two words of a question scored 3.1 times as much
// as a longer memory with both (TestTurnsAreRankedBehindWhatWasStored).
const behind = 0.25

// markTurns marks the candidates that were said in a conversation, unless the question
// says which kinds it wants.
func (p *pool) markTurns(ctx context.Context, r *db.Reader, f filter) error {
	if len(f.kinds) > 0 {
		return nil
	}
	any, _, err := db.One[bool](ctx, r, `
select exists (
  select 1
  from memory_counts
  where kind = 'turn'
    and ?1 in ('', namespace)
)`, f.namespace)
	if err != nil || !any {
		return err
	}
	keys := keysOf(p.passers())
	said, err := db.Select(ctx, r, db.Value[int64], `
select
  m.key
from json_each(?1) c
cross join memories m on m.key = c.value
where m.kind = 'turn'
  or m.kind = 'session' and m.origin = 'import'`, db.List(keys))
	for _, key := range said {
		p.at[key].said = true
	}
	return err
}
