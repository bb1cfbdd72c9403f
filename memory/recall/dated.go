package recall

import (
	"cmp"
	"context"
	"encoding/json"
	"time"

	"hence/memory/recall/spoken"

	"hence/internal/db"
)

// dated is what the row of a memory says of its times.
type dated struct {
	memory             int64
	created            string
	validFrom, validTo string // "": none
	title              string
	properties         string
}

// dateWeighs is what a time that the question speaks of weighs, as a share of the best
// score by words. It is less than a word of the question usually does, because a
// question such as "what did we decide in March" is about the decision.
const dateWeighs = 0.25

// date prefers the candidates that were made, held or are dated at the times that the
// question speaks of. A time counts as one more word of the question: it adds no
// candidate and takes none away.
func (p *pool) date(ctx context.Context, r *db.Reader, asked []spoken.Period) error {
	if len(asked) == 0 || len(p.all) == 0 {
		return nil
	}
	rows, err := db.Select(ctx, r, db.Fields(func(d *dated) []any {
		return []any{&d.memory, &d.created, &d.validFrom, &d.validTo, &d.title, &d.properties}
	}), `
select
  m.key,
  m.created_at,
  coalesce(m.valid_from, ''),
  coalesce(m.valid_to, ''),
  m.title,
  m.properties
from json_each(?) c
cross join memories m on m.key = c.value`, db.List(p.keys()))
	if err != nil {
		return err
	}
	best := 0.0
	for _, c := range p.all {
		best = max(best, c.score)
	}
	if best <= 0 {
		best = 1
	}
	for _, d := range rows {
		c := p.at[d.memory]
		for _, period := range asked {
			if fit := period.Share * d.fits(period); fit*dateWeighs*best > c.words[len(p.clues)+1] {
				c.words[len(p.clues)+1], c.time = fit*dateWeighs*best, period.Name
			}
		}
	}
	return nil
}

// fits returns how well a memory fits a period, from 0 to 1: 1 if it was made then or
// names a date then, else how much of the time that it held lies in the period.
func (d dated) fits(p spoken.Period) float64 {
	if p.Has(d.created) {
		return 1
	}
	for _, date := range append(spoken.Dates(d.title), datesOf(d.properties)...) {
		if date.From <= p.To && p.From <= date.To {
			return 1
		}
	}
	if d.validFrom == "" && d.validTo == "" {
		return 0
	}
	from, to := cmp.Or(d.validFrom, d.created), cmp.Or(d.validTo, db.Now())
	held, common := span(from, to), span(max(from, p.From), min(to, p.To))
	if held <= 0 || common <= 0 {
		return 0
	}
	return float64(common) / float64(held)
}

// span is the time between two stored times.
func span(from, to string) time.Duration {
	start, err := time.Parse(time.RFC3339, from)
	end, other := time.Parse(time.RFC3339, to)
	if err != nil || other != nil {
		return 0
	}
	return end.Sub(start)
}

// datesOf returns the dates that the values of properties begin with.
func datesOf(properties string) (all []spoken.Period) {
	values := map[string]any{}
	if json.Unmarshal([]byte(properties), &values) != nil {
		return nil
	}
	for _, value := range values {
		text, ok := value.(string)
		if at := spoken.ISODate.FindStringIndex(text); ok && at != nil && at[0] == 0 {
			all = append(all, spoken.Named(text[:at[1]], text[:at[1]], time.Time{})...)
		}
	}
	return all
}
