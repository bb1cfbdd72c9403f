package main

import (
	"maps"
	"regexp"
	"strings"
	"testing"
	"time"
)

// stand are what pages show in place of what a run gives: ids, mostly.
type stand map[string]string

// changing are what differs from run to run. Where a page shows one, a run may give any
// other of its kind; an id that the page shows again is the same one again, and another
// is another.
var changing = []struct {
	name, pattern string
}{
	{"key", `\b(?:same|replaced|conflict|link|summarise|fading|expired|broken|secret)-[0-9a-f]{10}\b`},
	{"id", `\b[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\b|\b[0-9a-f]{8}\b`},
	{"time", `\b\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d+)?Z| \d\d:\d\d)?\b`},
	{"cursor", `\(cursor [0-9A-Za-z_-]{8,}\)`},
	{"stamp", `\b\d{8}T\d{9}Z\b`},
	{"address", `\b127\.0\.0\.1:\d+\b`},
	{"size", `\b\d+ kB\b`},
	{"duration", `\b\d+(?:\.\d+)? m?s\b`},
	{"version", `\bhence (?:devel|v?\d+\.\d+\.\d+)\S*(?: \([0-9a-f]{12}\))?`},
	{"go", `\bgo1\.\d+(?:\.\d+)?(?: [a-z]+/[a-z0-9]+)?\b`},
	{"engine", `\bSQLite 3\.\d+\.\d+\b`},
}

// anyChanging matches one of them; the number of its group is one more than its place.
var anyChanging = func() *regexp.Regexp {
	all := []string{}
	for _, c := range changing {
		all = append(all, "("+c.pattern+")")
	}
	return regexp.MustCompile(strings.Join(all, "|"))
}()

// gives reports whether a run gave what a page shows. An ellipsis stands for anything on
// its line, and alone for any number of lines. What stands for what is added to s.
func (s stand) gives(shown, got string) bool {
	added := stand{}
	if !added.lines(splitLines(shown), splitLines(got), s) {
		return false
	}
	maps.Copy(s, added)
	return true
}

func splitLines(text string) []string {
	lines := strings.Split(strings.TrimRight(text, "\n "), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return lines
}

func (s stand) lines(shown, got []string, known stand) bool {
	for len(shown) > 0 {
		if strings.TrimSpace(shown[0]) == "…" {
			for skipped := range len(got) + 1 {
				attempt := maps.Clone(s)
				if attempt.lines(shown[1:], got[skipped:], known) {
					maps.Copy(s, attempt)
					return true
				}
			}
			return false
		}
		if len(got) == 0 || !s.line(shown[0], got[0], known) {
			return false
		}
		shown, got = shown[1:], got[1:]
	}
	return len(got) == 0
}

func (s stand) line(shown, got string, known stand) bool {
	if shown == got && anyChanging.FindStringIndex(shown) == nil {
		return true
	}
	pattern, kinds, values := linePattern(shown)
	match := pattern.FindStringSubmatch(got)
	if match == nil {
		return false
	}
	for i, value := range values {
		is := match[i+1]
		switch kinds[i] {
		case "id", "key":
			for _, all := range []stand{s, known} {
				for before, was := range all {
					if (before == value) != (was == is) {
						return false
					}
				}
			}
			s[value] = is
		case "time":
			if is != value && !isToday(is) {
				return false
			}
		}
	}
	return true
}

// linePattern returns what a line of a page matches, and the changing parts of it.
func linePattern(shown string) (pattern *regexp.Regexp, kinds, values []string) {
	var text strings.Builder
	text.WriteString("^")
	fixed := func(part string) {
		for i, piece := range strings.Split(part, "…") {
			if i > 0 {
				text.WriteString(".*?")
			}
			text.WriteString(regexp.QuoteMeta(piece))
		}
	}
	at := 0
	for _, m := range anyChanging.FindAllStringSubmatchIndex(shown, -1) {
		fixed(shown[at:m[0]])
		at = m[1]
		for i, c := range changing {
			if m[2*(i+1)] >= 0 {
				text.WriteString("(" + c.pattern + ")")
				kinds, values = append(kinds, c.name), append(values, shown[m[0]:m[1]])
				break
			}
		}
	}
	fixed(shown[at:])
	return regexp.MustCompile(text.String() + "$"), kinds, values
}

// isToday also takes yesterday, for a test about midnight.
func isToday(stamp string) bool {
	for _, ago := range []int{0, -1} {
		if strings.HasPrefix(stamp, time.Now().UTC().AddDate(0, 0, ago).Format(time.DateOnly)) {
			return true
		}
	}
	return false
}

// fill puts what a run gave into a command that a page shows.
func (s stand) fill(command string) string {
	return anyChanging.ReplaceAllStringFunc(command, func(shown string) string {
		if is, ok := s[shown]; ok {
			return is
		}
		return shown
	})
}

// show puts what a page shows into what a run gave, and remembers what the page does not
// show yet.
func (s stand) show(output string) string {
	shown := stand{}
	for value, is := range s {
		shown[is] = value
	}
	output = shown.fill(output)
	s.gives(output, output)
	return output
}

func TestWhatAPageShowsIsWhatARunGives(t *testing.T) {
	today := time.Now().UTC().Format(time.DateOnly)
	for name, c := range map[string]struct {
		shown, got string
		same       bool
	}{
		"Equal":             {"imported\n", "imported", true},
		"OtherWords":        {"imported 1 note", "imported 2 notes", false},
		"OtherID":           {"stored A  01234567", "stored A  89abcdef", true},
		"AnIDTwice":         {"01234567 01234567", "89abcdef 89abcdef", true},
		"AnIDThatDiffers":   {"01234567 01234567", "89abcdef 01234567", false},
		"OneIDShownAsTwo":   {"01234567 76543210", "89abcdef 89abcdef", false},
		"NoID":              {"stored A  01234567", "stored A  nothing", false},
		"Today":             {"since 2020-01-01", "since " + today, true},
		"AnotherDay":        {"since 2020-01-01", "since 2020-01-02", false},
		"TheSameDay":        {"2020-01-01 Outage", "2020-01-01 Outage", true},
		"Ellipsis":          {"hash … of A", "hash 12 34 of A", true},
		"EllipsisNotEnough": {"hash … of A", "hash 12 34 of B", false},
		"LinesLeftOut":      {"first\n…\nlast", "first\n2\n3\nlast", true},
		"LinesNotAll":       {"first\n…\nlast", "first\n2\n3", false},
		"OneLineMore":       {"first", "first\nsecond", false},
		"Port":              {"at http://127.0.0.1:41873/", "at http://127.0.0.1:8/", true},
	} {
		t.Run(name, func(t *testing.T) {
			if got := (stand{}).gives(c.shown, c.got); got != c.same {
				t.Errorf("%v, want %v", got, c.same)
			}
		})
	}
	s := stand{}
	if !s.gives("kept 01234567, same-0123456789", "kept 89abcdef, same-abcdefabcd") {
		t.Fatal("another id is not taken")
	}
	if got, want := s.fill("hence get 01234567 76543210 same-0123456789"), "hence get 89abcdef 76543210 same-abcdefabcd"; got != want {
		t.Errorf("filled %q, want %q", got, want)
	}
	if got, want := s.show("kept 89abcdef and 11111111"), "kept 01234567 and 11111111"; got != want {
		t.Errorf("shows %q, want %q", got, want)
	}
}
