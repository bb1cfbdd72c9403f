package rank

import (
	"context"

	"hence/internal/db"
	"hence/memory/recall/question"
)

// turnShare is the share of its score that a turn of a conversation, or an imported session,
// keeps, so that it ranks behind a memory that says the same and was stored on purpose. A
// conversation lends to its turns: a turn with the two words of a question scored 3.1 times
// as much as a longer memory with both (TestTurnsAreRankedBehindWhatWasStored).
const turnShare = 0.25

// markTurns marks the candidates that are turns of a conversation or imported sessions, unless
// the question asks for kinds.
func (p *pool) markTurns(ctx context.Context, r *db.Reader, f question.Filter) error {
	if len(f.Kinds) > 0 {
		return nil
	}
	hasTurns, _, err := db.One[bool](ctx, r, `
select exists (
  select 1
  from memory_counts
  where kind = 'turn'
    and ?1 in ('', namespace)
)`, f.Namespace)
	if err != nil || !hasTurns {
		return err
	}
	keys := KeysOf(p.passers())
	turns, err := db.Select(ctx, r, db.Value[int64], `
select
  m.key
from json_each(?1) c
cross join memories m on m.key = c.value
where m.kind = 'turn'
  or m.kind = 'session' and m.origin = 'import'`, db.List(keys))
	for _, key := range turns {
		p.byMemory[key].isConversation = true
	}
	return err
}
