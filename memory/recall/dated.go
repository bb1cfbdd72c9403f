package recall

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"time"

	"hence/memory/recall/lexicon"
	"hence/memory/recall/spoken"

	"hence/internal/db"
)

// memoryTimes is what the row of a memory says of its times.
type memoryTimes struct {
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
func (p *pool) date(ctx context.Context, r *db.Reader) error {
	if len(p.spokenOf) == 0 || len(p.all) == 0 {
		return nil
	}
	rows, err := db.Select(ctx, r, db.Fields(func(d *memoryTimes) []any {
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
	fit := map[*candidate]float64{}
	for _, d := range rows {
		c := p.at[d.memory]
		for _, period := range p.spokenOf {
			if fits := period.Share * d.fits(period); fits > fit[c] {
				fit[c], c.time = fits, period.Name
			}
		}
	}
	if err := p.lowerMonths(ctx, r); err != nil {
		return err
	}
	weighs := dateWeighs * p.best()
	for c, fits := range fit {
		c.words[len(p.clues)+1] = fits * weighs
	}
	return nil
}

// otherSense is what is left of the weight of a word which the question has as the name of
// a month, in a short text that has it as another word and does not fit the time: "in
// March" does not ask who may march.
const otherSense = 0.25

func (p *pool) lowerMonths(ctx context.Context, r *db.Reader) error {
	for _, period := range p.spokenOf {
		word := slices.IndexFunc(p.clues, func(c clue) bool {
			return c.isTerm && period.Month != "" && c.matches[0].text == lexicon.Quote([]string{period.Month})[0]
		})
		if word < 0 || period.Share < 1 { // once for all years
			continue
		}
		having := []int64{}
		for _, c := range p.all {
			if c.words[word] > 0 && c.time == "" {
				having = append(having, c.memory)
			}
		}
		texts := map[int64]string{}
		err := db.Fill(ctx, r, texts, `
select
  m.key,
  m.title || '; ' || m.content
from json_each(?1) c
cross join memories m on m.key = c.value
where octet_length(m.content) <= ?2`, db.List(having), emphasized)
		if err != nil {
			return err
		}
		for key, text := range texts {
			if !spoken.SpeaksOf(text, period.Month) {
				p.at[key].words[word] *= otherSense
			}
		}
	}
	return nil
}

// fits returns how well a memory fits a period, from 0 to 1: 1 if it was made then or
// names a date then, else how much of the time that it held lies in the period.
func (d memoryTimes) fits(p spoken.Period) float64 {
	if p.From <= d.created && d.created <= p.To {
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
			all = append(all, spoken.PeriodsOf(text[:at[1]], text[:at[1]], time.Time{})...)
		}
	}
	return all
}
