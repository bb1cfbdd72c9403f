// Package spoken finds the times that a text mentions, such as dates and "yesterday".
package spoken

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"hence/internal/db"
)

// Period is a period that a text mentions. From and To are stored times, both included.
type Period struct {
	Name     string // 2026, 2026-03, 2026-03-11, or the first and the last day
	From, To string
	Share    float64 // likelihood that the text means it: 1, or less for an earlier year
	Month    string  // the month's name in the text if it is also an ordinary word: march, may
}

// Periods returns the periods that a question mentions: dates such as 2026-03-11 and
// 2026-03 in any language; in English also weekdays and months by name, years after a
// preposition, and words such as yesterday, last week and three days ago. A month or day
// without a year yields its latest occurrence before now and, with a smaller share each,
// those of the years before. Times after "before", "after" or "until" are left out, because
// the question is about another time.
func Periods(text string, now time.Time) []Period {
	now = now.UTC()
	all := []Period{}
	for _, match := range ISODate.FindAllStringIndex(text, -1) {
		wordsBefore := wordsIn(text[:match[0]])
		if isNumber := strings.ContainsAny(text[max(0, match[0]-1):match[0]], "-/.") || strings.HasPrefix(text[match[1]:], "-"); isNumber ||
			len(wordsBefore) > 0 && excludingWords[wordsBefore[len(wordsBefore)-1]] {
			continue
		}
		all = append(all, PeriodsOf(text[match[0]:match[1]], text[match[0]:match[1]], now)...)
	}
	r := timeReader{words: wordsIn(ISODate.ReplaceAllString(text, " ; ")), now: now}
	for r.next < len(r.words) {
		all = append(all, r.readNext()...)
	}
	return all
}

// Dates returns the days and months that a text, such as a title, gives with their year.
func Dates(text string) []Period {
	return slices.DeleteFunc(Periods(text, time.Time{}), func(p Period) bool { return p.Share < 1 || len(p.Name) < len("2026-03") })
}

// ISODate matches a date such as 2026-03-11 or a month such as 2026-03. It does not check
// that the digits are not part of a longer number such as 1-2026-03; Periods does.
var ISODate = regexp.MustCompile(`\b[12][0-9]{3}-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12][0-9]|3[01]))?\b`)

// PeriodsOf returns the period that text stands for, under the given name: text is a time
// as the arguments of commands accept it. It returns nil if text is not one.
func PeriodsOf(name, text string, now time.Time) []Period {
	from, to, ok := db.Period(text, now)
	if !ok {
		return nil
	}
	return []Period{{Name: name, From: from, To: to, Share: 1}}
}

// wholeDays returns the period from the first to the last day, both included.
func wholeDays(first, last time.Time) []Period {
	p := Period{Name: first.Format(time.DateOnly), From: db.Time(first), To: db.Time(last.AddDate(0, 0, 1).Add(-time.Millisecond)), Share: 1}
	if !first.Equal(last) {
		p.Name += " – " + last.Format(time.DateOnly)
	}
	return []Period{p}
}

// wordsIn returns the words of a text in lower case. A mark that ends a sentence or clause
// becomes the word ";", so that no date extends across it. A comma does not, because of
// "May 8, 2023".
func wordsIn(text string) []string {
	return strings.FieldsFunc(sentenceMarks.Replace(strings.ToLower(text)), func(r rune) bool {
		return r != ';' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}

var sentenceMarks = strings.NewReplacer(";", " ; ", ".", " ; ", "?", " ; ", "!", " ; ", ":", " ; ", "(", " ; ", ")", " ; ")

// timeReader reads times from the words of a text, from index next on.
type timeReader struct {
	words []string
	next  int
	now   time.Time // zero: only dates with a year are read
}

// word returns the word at index i, "" if there is none.
func (r *timeReader) word(i int) string {
	if i < 0 || i >= len(r.words) {
		return ""
	}
	return r.words[i]
}

// readNext returns the periods of the time that begins at the next word, if one does, and
// advances past it.
func (r *timeReader) readNext() []Period {
	start := r.next
	r.next++
	for _, read := range []func(int) ([]Period, int){r.readMonth, r.readYear, r.readDaysAgo, r.readRelative} {
		if periods, words := read(start); words > 0 {
			r.next = start + words
			if excludingWords[r.word(start-1)] {
				return nil
			}
			return periods
		}
	}
	return nil
}

// excludingWords are the words after which a time is not the one in question but its bound.
var excludingWords = map[string]bool{"before": true, "after": true, "until": true, "till": true}

var months = map[string]time.Month{}

// ambiguousMonths are the names of months that are also ordinary words or names.
var ambiguousMonths = map[string]bool{"may": true, "march": true, "mar": true, "dec": true, "jan": true, "sep": true, "jun": true}

var weekdays = map[string]time.Weekday{}

func init() {
	for m := time.January; m <= time.December; m++ {
		name := strings.ToLower(m.String())
		months[name], months[name[:3]] = m, m
	}
	months["sept"] = time.September
	for d := time.Sunday; d <= time.Saturday; d++ {
		weekdays[strings.ToLower(d.String())] = d
	}
}

// timePrepositions are the words after which an ambiguous name is a month, and a number of
// four digits a year.
var timePrepositions = map[string]bool{
	"in": true, "on": true, "of": true, "during": true, "since": true, "by": true, "from": true, "last": true, "this": true,
	"early": true, "late": true, "mid": true, "through": true, "around": true, "before": true, "after": true, "until": true, "till": true,
}

// readMonth reads "March", "March 2026", "March 11", "March 11th, 2026", "11 March 2026"
// and "11th of March" at index start. Like the other readers it returns the periods and the
// number of words read, 0 if there is no such time.
func (r *timeReader) readMonth(start int) ([]Period, int) {
	day, next := parseDay(r.word(start)), start
	if day > 0 {
		if next++; r.word(next) == "of" {
			next++
		}
	}
	month, ok := months[r.word(next)]
	if !ok {
		return nil, 0
	}
	name := r.word(next)
	next++
	if day == 0 && r.word(next) != "" {
		if day = parseDay(r.word(next)); day > 0 {
			next++
		}
	}
	year := parseYear(r.word(next))
	if year > 0 {
		next++
	}
	if year == 0 && day == 0 && ambiguousMonths[name] && !timePrepositions[r.word(start-1)] {
		return nil, 0
	}
	periods := r.monthPeriods(year, month, day)
	if ambiguousMonths[name] {
		for start := range periods {
			periods[start].Month = name
		}
	}
	return periods, next - start
}

// SpeaksOf reports whether a text uses a word as the name of a month: "In March we will
// march" does.
func SpeaksOf(text, month string) bool {
	r := timeReader{words: wordsIn(text)}
	for i, word := range r.words {
		if word != month {
			continue
		}
		for start := max(0, i-2); start <= i; start++ { // "the 11th of March"
			if _, n := r.readMonth(start); start+n > i {
				return true
			}
		}
	}
	return false
}

// monthPeriods returns the period of a month, or of a day of it if day is not 0. If year is 0
// it returns that of each of the last years, the latest first.
func (r *timeReader) monthPeriods(year int, month time.Month, day int) []Period {
	layout := "2006-01"
	if day > 0 {
		layout = time.DateOnly
	}
	periodIn := func(year int) []Period {
		t := time.Date(year, month, max(day, 1), 0, 0, 0, 0, time.UTC)
		if t.Month() != month {
			return nil
		}
		return PeriodsOf(t.Format(layout), t.Format(layout), r.now)
	}
	if year > 0 {
		return periodIn(year)
	}
	if r.now.IsZero() {
		return nil
	}
	latestYear := r.now.Year()
	if time.Date(latestYear, month, max(day, 1), 0, 0, 0, 0, time.UTC).After(r.now) {
		latestYear--
	}
	all := []Period{}
	for yearsBack := range maxYearsBack {
		for _, p := range periodIn(latestYear - yearsBack) {
			p.Share = 1 / float64(1+yearsBack)
			all = append(all, p)
		}
	}
	return all
}

// maxYearsBack is how many years a day or month without a year may be in.
const maxYearsBack = 10

// readYear reads "2026" if a preposition precedes it: "in 2026".
func (r *timeReader) readYear(start int) ([]Period, int) {
	if parseYear(r.word(start)) == 0 || !timePrepositions[r.word(start-1)] {
		return nil, 0
	}
	return PeriodsOf(r.word(start), r.word(start), r.now), 1
}

// readDaysAgo reads "three days ago" as that day, "three weeks ago" as that day and the days
// around it, and "last 3 weeks" as all their days until today.
func (r *timeReader) readDaysAgo(start int) ([]Period, int) {
	isRecent := r.word(start) == "last" || r.word(start) == "past"
	numberIndex := start
	if isRecent {
		numberIndex++
	}
	count, unit := parseNumber(r.word(numberIndex)), strings.TrimSuffix(r.word(numberIndex+1), "s")
	days, ok := unitDays[unit]
	if r.now.IsZero() || count == 0 || !ok || isRecent == (r.word(numberIndex+2) == "ago") {
		return nil, 0
	}
	today := time.Date(r.now.Year(), r.now.Month(), r.now.Day(), 0, 0, 0, 0, time.UTC)
	if isRecent {
		return wholeDays(today.AddDate(0, 0, -count*days), today), numberIndex + 2 - start
	}
	// "A week ago" is imprecise by three days, "a year ago" by half a year.
	day, margin := today.AddDate(0, 0, -count*days), days/2
	return wholeDays(day.AddDate(0, 0, -margin), day.AddDate(0, 0, margin)), 3
}

// unitDays are the days of each unit of time, about.
var unitDays = map[string]int{"day": 1, "week": 7, "month": 30, "year": 365}

// readRelative reads "yesterday", "last week", "this month" and "last Monday".
func (r *timeReader) readRelative(start int) ([]Period, int) {
	if r.now.IsZero() {
		return nil, 0
	}
	first, second := r.word(start), r.word(start+1)
	switch first {
	case "yesterday", "today":
		return r.relativePeriod(first), 1
	case "last", "this", "past", "previous":
		word := cmp.Or(map[string]string{"past": "last", "previous": "last"}[first], first)
		if second == "week" || second == "month" || second == "year" {
			return r.relativePeriod(word + " " + second), 2
		}
	}
	if weekday, ok := weekdays[second]; ok && (first == "last" || first == "on" || first == "this") {
		daysBack := (int(r.now.Weekday())-int(weekday)+6)%7 + 1
		day := time.Date(r.now.Year(), r.now.Month(), r.now.Day()-daysBack, 0, 0, 0, 0, time.UTC)
		return wholeDays(day, day), 2
	}
	return nil, 0
}

// relativePeriod returns the period of words such as "last week", named by its days, month
// or year.
func (r *timeReader) relativePeriod(words string) []Period {
	periods := PeriodsOf("", words, r.now)
	for i, p := range periods {
		first, last := p.From[:len(time.DateOnly)], p.To[:len(time.DateOnly)]
		switch periods[i].Name = first + " – " + last; {
		case first == last:
			periods[i].Name = first
		case strings.HasSuffix(words, "month"):
			periods[i].Name = first[:len("2006-01")]
		case strings.HasSuffix(words, "year"):
			periods[i].Name = first[:len("2006")]
		}
	}
	return periods
}

// parseDay returns a day of a month, written as 8 or 8th; 0 for anything else.
func parseDay(word string) int {
	for _, ending := range []string{"st", "nd", "rd", "th"} {
		word = strings.TrimSuffix(word, ending)
	}
	if n, err := strconv.Atoi(word); err == nil && len(word) <= 2 && n >= 1 && n <= 31 {
		return n
	}
	return 0
}

// parseYear returns a year from 1000 to 2999; 0 for anything else.
func parseYear(word string) int {
	if n, err := strconv.Atoi(word); err == nil && len(word) == 4 && n >= 1000 && n < 3000 {
		return n
	}
	return 0
}

// parseNumber returns a number from 1 to 999, in digits or as a word up to twelve, where "a"
// is 1; 0 for anything else.
func parseNumber(word string) int {
	if n := slices.Index(numerals, word); n >= 0 {
		return max(n, 1)
	}
	if n, err := strconv.Atoi(word); err == nil && n > 0 && n < 1000 {
		return n
	}
	return 0
}

var numerals = []string{"a", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"}
