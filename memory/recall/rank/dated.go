package rank

import (
	"context"

	"hence/internal/db"
)

// dateWeight is the score of a memory that fits a time in the question, as a share of the best
// score by words. It is less than that of most words, because a question such as "what did we
// decide in March" is about the decision.
const dateWeight = 0.25

// addDateScores raises the scores of candidates that were created, began to hold or ended in a
// period that the question names, or have its name in their title or properties. It counts as
// one more word of the question: it adds no candidate and removes none.
func (p *pool) addDateScores(ctx context.Context, r *db.Reader) error {
	if len(p.periods) == 0 || len(p.all) == 0 {
		return nil
	}
	named := map[int64]string{}
	err := db.Fill(ctx, r, named, `
select
  m.key,
  p.value ->> 'name'
from json_each(?1) c
cross join memories m on m.key = c.value
cross join json_each(?2) p
where m.created_at between p.value ->> 'from' and p.value ->> 'to'
  or m.valid_from between p.value ->> 'from' and p.value ->> 'to'
  or m.valid_to between p.value ->> 'from' and p.value ->> 'to'
  or instr(m.title || ' ' || m.properties, p.value ->> 'name') > 0`, db.List(p.keys()), db.List(p.periods))
	weight := dateWeight * p.bestScore()
	for key, name := range named {
		c := p.byMemory[key]
		c.Time, c.words[len(p.clues)+1] = name, weight
	}
	return err
}
