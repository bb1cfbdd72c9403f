package question

import (
	"regexp"
	"time"

	"hence/internal/db"
)

// Period is a time that a question names. From and To are stored times, both included.
type Period struct {
	Name string `json:"name"` // 2026, 2026-03, 2026-03-11, or the first and the last day
	From string `json:"from"`
	To   string `json:"to"`
}

const datePattern = `\b[12][0-9]{3}-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12][0-9]|3[01]))?\b`

// isoDate matches a date such as 2026-03-11 or a month such as 2026-03.
var isoDate = regexp.MustCompile(datePattern)

// timeNames matches the times of a question, with the word before which makes one a bound.
var timeNames = regexp.MustCompile(`(?i)(\b(?:before|after|until) )?(?:(` + datePattern + `|\b(?:today|yesterday|(?:this|last) (?:week|month|year))\b)|` +
	`(\bin )?\b(january|february|march|april|may|june|july|august|september|october|november|december)(?: ([12][0-9]{3}))?\b)`)

// periodsOf returns the periods that a question names: 2026-03-11, 2026-03, and in English the last
// such month for "in March", "March 2026", yesterday, last week and the like. A time after
// "before", "after" or "until" is left out, because the question is about another time.
func periodsOf(text string, now time.Time) (all []Period) {
	for _, match := range timeNames.FindAllStringSubmatch(text, -1) {
		bound, said, in, month, year := match[1], match[2], match[3], match[4], match[5]
		if bound != "" || month != "" && in+year == "" {
			continue
		}
		if parsed, err := time.Parse("January", month); err == nil {
			latest := time.Date(now.Year(), parsed.Month(), 1, 0, 0, 0, 0, time.UTC)
			if latest.After(now) {
				latest = latest.AddDate(-1, 0, 0)
			}
			if said = latest.Format("2006-01"); year != "" {
				said = year + latest.Format("-01")
			}
		}
		from, to, ok := db.Period(said, now)
		if !ok {
			continue
		}
		one := Period{db.Day(from) + " – " + db.Day(to), from, to}
		for _, layout := range []string{"2006", "2006-01", time.DateOnly} {
			if start, end, _ := db.Period(from[:len(layout)], now); start == from && end == to {
				one.Name = from[:len(layout)]
			}
		}
		all = append(all, one)
	}
	return all
}
