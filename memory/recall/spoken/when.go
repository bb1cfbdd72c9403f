// Package spoken reads the times that a text speaks of, such as dates and yesterday.
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

// Period is a time that a text speaks of: [from, to], as stored times.
type Period struct {
	Name     string // 2026, 2026-03 or 2026-03-11, or the first and the last day
	From, To string
	Share    float64 // how likely it is meant: 1, or less for an earlier year
	Month    string  // the word for it, if it is another word as well: march, may
}

// Periods returns the times that a question speaks of: dates such as 2026-03-11 and
// 2026-03 in any language; in English also days and months by their names, years after
// a preposition, and words such as yesterday, last week and three days ago. A name
// without a year is the last one before now, or less likely one of the years before.
// Times that follow before or after are left out, because they are not meant.
func Periods(text string, now time.Time) []Period {
	now = now.UTC()
	all := []Period{}
	for _, at := range ISODate.FindAllStringIndex(text, -1) {
		before := wordsIn(text[:at[0]])
		if isNumber := strings.ContainsAny(text[max(0, at[0]-1):at[0]], "-/.") || strings.HasPrefix(text[at[1]:], "-"); isNumber ||
			len(before) > 0 && otherSide[before[len(before)-1]] {
			continue
		}
		all = append(all, PeriodsOf(text[at[0]:at[1]], text[at[0]:at[1]], now)...)
	}
	r := timeReader{words: wordsIn(ISODate.ReplaceAllString(text, " ; ")), now: now}
	for r.at < len(r.words) {
		all = append(all, r.next()...)
	}
	return all
}

// Dates returns the days and months that a text such as a title names in full.
func Dates(text string) []Period {
	return slices.DeleteFunc(Periods(text, time.Time{}), func(p Period) bool { return p.Share < 1 || len(p.Name) < len("2026-03") })
}

// ISODate is a date or month. Marks around it make it a part of another number.
var ISODate = regexp.MustCompile(`\b[12][0-9]{3}-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12][0-9]|3[01]))?\b`)

// PeriodsOf returns the period that a text means as an argument, with its name.
func PeriodsOf(name, text string, now time.Time) []Period {
	from, to, ok := db.Period(text, now)
	if !ok {
		return nil
	}
	return []Period{{Name: name, From: from, To: to, Share: 1}}
}

// wholeDays returns a period of whole days, both included.
func wholeDays(first, last time.Time) []Period {
	p := Period{Name: first.Format(time.DateOnly), From: db.Time(first), To: db.Time(last.AddDate(0, 0, 1).Add(-time.Millisecond)), Share: 1}
	if !first.Equal(last) {
		p.Name += " – " + last.Format(time.DateOnly)
	}
	return []Period{p}
}

// wordsIn returns the words of a text in small letters. A mark that ends a sentence or
// a part of it is a word, so that no date runs across it; a comma is not, because of
// "May 8, 2023".
func wordsIn(text string) []string {
	return strings.FieldsFunc(ends.Replace(strings.ToLower(text)), func(r rune) bool {
		return r != ';' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}

var ends = strings.NewReplacer(";", " ; ", ".", " ; ", "?", " ; ", "!", " ; ", ":", " ; ", "(", " ; ", ")", " ; ")

// timeReader reads the times in the words of a text.
type timeReader struct {
	words []string
	at    int
	now   time.Time // the zero time: only complete dates are meant
}

func (r *timeReader) word(i int) string {
	if i < 0 || i >= len(r.words) {
		return ""
	}
	return r.words[i]
}

// next reads a time at the next word, if there is one, and goes on.
func (r *timeReader) next() []Period {
	start := r.at
	r.at++
	for _, read := range []func(int) ([]Period, int){r.monthAt, r.yearAt, r.agoAt, r.relativeAt} {
		if periods, words := read(start); words > 0 {
			r.at = start + words
			if otherSide[r.word(start-1)] {
				return nil
			}
			return periods
		}
	}
	return nil
}

// otherSide are the words by which a time is not meant, but what is beyond it.
var otherSide = map[string]bool{"before": true, "after": true, "until": true, "till": true}

var months = map[string]time.Month{}

// alsoWords are the names of months that are other words as well.
var alsoWords = map[string]bool{"may": true, "march": true, "mar": true, "dec": true, "jan": true, "sep": true, "jun": true}

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

// beforeMonth are words after which a month is meant by a name that is another word
// as well.
var beforeMonth = map[string]bool{
	"in": true, "on": true, "of": true, "during": true, "since": true, "by": true, "from": true, "last": true, "this": true,
	"early": true, "late": true, "mid": true, "through": true, "around": true, "before": true, "after": true, "until": true, "till": true,
}

// monthAt reads "March", "March 2026", "March 11", "March 11th, 2026", "11 March 2026"
// and "the 11th of March".
func (r *timeReader) monthAt(i int) ([]Period, int) {
	day, at := dayOf(r.word(i)), i
	if day > 0 {
		if at++; r.word(at) == "of" {
			at++
		}
	}
	month, ok := months[r.word(at)]
	if !ok {
		return nil, 0
	}
	name := r.word(at)
	at++
	if day == 0 && r.word(at) != "" {
		if day = dayOf(r.word(at)); day > 0 {
			at++
		}
	}
	year := yearOf(r.word(at))
	if year > 0 {
		at++
	}
	if year == 0 && day == 0 && alsoWords[name] && !beforeMonth[r.word(i-1)] {
		return nil, 0
	}
	periods := r.monthOr(year, month, day)
	if alsoWords[name] {
		for i := range periods {
			periods[i].Month = name
		}
	}
	return periods, at - i
}

// SpeaksOf reports whether a text has a word as the name of a month: "In March we will
// march" does.
func SpeaksOf(text, month string) bool {
	r := timeReader{words: wordsIn(text)}
	for i, word := range r.words {
		if word != month {
			continue
		}
		for start := max(0, i-2); start <= i; start++ { // "the 11th of March"
			if _, n := r.monthAt(start); start+n > i {
				return true
			}
		}
	}
	return false
}

// monthOr returns a month, or a day of it; of the years before if the year is 0.
func (r *timeReader) monthOr(year int, month time.Month, day int) []Period {
	form := "2006-01"
	if day > 0 {
		form = time.DateOnly
	}
	in := func(year int) []Period {
		t := time.Date(year, month, max(day, 1), 0, 0, 0, 0, time.UTC)
		if t.Month() != month {
			return nil
		}
		return PeriodsOf(t.Format(form), t.Format(form), r.now)
	}
	if year > 0 {
		return in(year)
	}
	if r.now.IsZero() {
		return nil
	}
	last := r.now.Year()
	if time.Date(last, month, max(day, 1), 0, 0, 0, 0, time.UTC).After(r.now) {
		last--
	}
	all := []Period{}
	for back := range mostYears {
		for _, p := range in(last - back) {
			p.Share = 1 / float64(1+back)
			all = append(all, p)
		}
	}
	return all
}

// mostYears is how many years back a day or month without a year is looked for.
const mostYears = 10

// yearAt reads "in 2026".
func (r *timeReader) yearAt(i int) ([]Period, int) {
	if yearOf(r.word(i)) == 0 || !beforeMonth[r.word(i-1)] {
		return nil, 0
	}
	return PeriodsOf(r.word(i), r.word(i), r.now), 1
}

// agoAt reads "three days ago" as that day or the days around it, and "last 3 weeks"
// as all of them.
func (r *timeReader) agoAt(i int) ([]Period, int) {
	recent := r.word(i) == "last" || r.word(i) == "past"
	at := i
	if recent {
		at++
	}
	n, unit := numberOf(r.word(at)), strings.TrimSuffix(r.word(at+1), "s")
	days, ok := daysOf[unit]
	if r.now.IsZero() || n == 0 || !ok || recent == (r.word(at+2) == "ago") {
		return nil, 0
	}
	today := time.Date(r.now.Year(), r.now.Month(), r.now.Day(), 0, 0, 0, 0, time.UTC)
	if recent {
		return wholeDays(today.AddDate(0, 0, -n*days), today), at + 2 - i
	}
	// A week ago is that day give or take three, a year ago half a year.
	then, around := today.AddDate(0, 0, -n*days), days/2
	return wholeDays(then.AddDate(0, 0, -around), then.AddDate(0, 0, around)), 3
}

var daysOf = map[string]int{"day": 1, "week": 7, "month": 30, "year": 365}

// relativeAt reads "yesterday", "last week", "this month", "last Monday".
func (r *timeReader) relativeAt(i int) ([]Period, int) {
	if r.now.IsZero() {
		return nil, 0
	}
	first, second := r.word(i), r.word(i+1)
	switch first {
	case "yesterday", "today":
		return r.relative(first), 1
	case "last", "this", "past", "previous":
		word := cmp.Or(map[string]string{"past": "last", "previous": "last"}[first], first)
		if second == "week" || second == "month" || second == "year" {
			return r.relative(word + " " + second), 2
		}
	}
	if day, ok := weekdays[second]; ok && (first == "last" || first == "on" || first == "this") {
		back := (int(r.now.Weekday())-int(day)+6)%7 + 1
		then := time.Date(r.now.Year(), r.now.Month(), r.now.Day()-back, 0, 0, 0, 0, time.UTC)
		return wholeDays(then, then), 2
	}
	return nil, 0
}

// relative names the period that words mean by its days.
func (r *timeReader) relative(words string) []Period {
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

// dayOf reads a day of a month, such as 8 or 8th; 0 for anything else.
func dayOf(word string) int {
	for _, ending := range []string{"st", "nd", "rd", "th"} {
		word = strings.TrimSuffix(word, ending)
	}
	if n, err := strconv.Atoi(word); err == nil && len(word) <= 2 && n >= 1 && n <= 31 {
		return n
	}
	return 0
}

// yearOf reads a year of four digits; 0 for anything else.
func yearOf(word string) int {
	if n, err := strconv.Atoi(word); err == nil && len(word) == 4 && n >= 1000 && n < 3000 {
		return n
	}
	return 0
}

// numberOf reads a small number; 0 for anything else.
func numberOf(word string) int {
	if n := slices.Index(numerals, word); n >= 0 {
		return max(n, 1)
	}
	if n, err := strconv.Atoi(word); err == nil && n > 0 && n < 1000 {
		return n
	}
	return 0
}

var numerals = []string{"a", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"}
