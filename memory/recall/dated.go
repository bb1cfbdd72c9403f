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

// memoryTimes are the columns of a memory that may have its times.
type memoryTimes struct {
	memory             int64
	created            string
	validFrom, validTo string // "": none
	title              string
	properties         string
}

// dateWeight is the score of a memory that fits a time in the question, as a share of the best
// score by words. It is less than that of most words, because a question such as "what did we
// decide in March" is about the decision.
const dateWeight = 0.25

// addDateScores raises the scores of candidates that were created, were valid or are dated in
// the periods that the question mentions. A period counts as one more word of the question: it
// adds no candidate and removes none.
func (p *pool) addDateScores(ctx context.Context, r *db.Reader) error {
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
	best := map[*candidate]float64{}
	for _, d := range rows {
		c := p.byMemory[d.memory]
		for _, period := range p.spokenOf {
			if fit := period.Share * d.fits(period); fit > best[c] {
				best[c], c.time = fit, period.Name
			}
		}
	}
	if err := p.lowerMonths(ctx, r); err != nil {
		return err
	}
	weight := dateWeight * p.bestScore()
	for c, fit := range best {
		c.words[len(p.clues)+1] = fit * weight
	}
	return nil
}

// otherSenseWeight is the share of its score that a memory keeps for a word which is the name
// of a month in the question and another word in the memory: "in March" does not ask who may
// march. It applies to short texts that do not fit the period.
const otherSenseWeight = 0.25

// lowerMonths lowers the scores of candidates for names of months that are other words there.
func (p *pool) lowerMonths(ctx context.Context, r *db.Reader) error {
	for _, period := range p.spokenOf {
		word := slices.IndexFunc(p.clues, func(c clue) bool {
			return c.isTerm && period.Month != "" && c.matches[0].text == lexicon.Quote([]string{period.Month})[0]
		})
		if word < 0 || period.Share < 1 { // a month without a year has a period for each year: do it once
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
where octet_length(m.content) <= ?2`, db.List(having), maxEmphasizedBytes)
		if err != nil {
			return err
		}
		for key, text := range texts {
			if !spoken.SpeaksOf(text, period.Month) {
				p.byMemory[key].words[word] *= otherSenseWeight
			}
		}
	}
	return nil
}

// fits returns how well a memory fits a period, from 0 to 1: 1 if it was created in it, or has
// a date in it in its title or properties; else the share of its validity that is in the
// period.
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
	heldTime, inPeriod := durationBetween(from, to), durationBetween(max(from, p.From), min(to, p.To))
	if heldTime <= 0 || inPeriod <= 0 {
		return 0
	}
	return float64(inPeriod) / float64(heldTime)
}

// durationBetween returns the time between two stored times, 0 if one cannot be parsed.
func durationBetween(from, to string) time.Duration {
	start, startErr := time.Parse(time.RFC3339, from)
	end, endErr := time.Parse(time.RFC3339, to)
	if startErr != nil || endErr != nil {
		return 0
	}
	return end.Sub(start)
}

// datesOf returns the dates with which the values of properties begin.
func datesOf(properties string) (all []spoken.Period) {
	values := map[string]any{}
	if json.Unmarshal([]byte(properties), &values) != nil {
		return nil
	}
	for _, value := range values {
		text, ok := value.(string)
		if match := spoken.ISODate.FindStringIndex(text); ok && match != nil && match[0] == 0 {
			all = append(all, spoken.PeriodsOf(text[:match[1]], text[:match[1]], time.Time{})...)
		}
	}
	return all
}
