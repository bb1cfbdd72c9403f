package spoken

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// Sunday, 22 November 2026.
var sunday = time.Date(2026, 11, 22, 5, 0, 0, 0, time.UTC)

func TestPeriods(t *testing.T) {
	for text, want := range map[string]string{
		"what did we decide in March":              "2026-03",
		"what did we decide in December":           "2025-12",
		"what is due on 2026-03-11, or in 2026-04": "2026-03-11 2026-04",
		"2026-03-11 に何を決めたか":                       "2026-03-11",
		"在2026-03决定了什么":                            "2026-03",
		"what happened yesterday":                  "2026-11-21",
		"What did I do last week?":                 "2026-11-09 – 2026-11-15",
		"this month":                               "2026-11",
		"last month":                               "2026-10",
		"last year":                                "2025",
		"since the outage of 11 March 2026":        "2026-03-11",
		"May 8, 2023 or 8 May, 2023":               "2023-05-08 2023-05-08",
		"the 11th of March":                        "2026-03-11",
		"on March 11th we met":                     "2026-03-11",
		"in May 2023":                              "2023-05",
		"in 2024":                                  "2024",
		"three days ago":                           "2026-11-19",
		"two weeks ago":                            "2026-11-05 – 2026-11-11",
		"in the last 3 days":                       "2026-11-19 – 2026-11-22",
		"last Monday":                              "2026-11-16",
		"on Sunday":                                "2026-11-15",
		"they may march on":                        "",
		"may I":                                    "",
		"before March":                             "",
		"after 2026-03-11 was fixed":               "",
		"what we had before May 2023 and in June":  "2026-06",
		"port 2026 is open":                        "",
		"12-2026-03-11-9":                          "",
		"2026-13-01":                               "",
		"2026-02-30":                               "",
		"31 February 2026":                         "",
		"decide":                                   "",
		"":                                         "",
		"version 2026-03-111":                      "",
		"in march. 11 people came":                 "2026-03",
		"Which plan held in March 2026, and who made it": "2026-03",
	} {
		got := []string{}
		for _, p := range Periods(text, sunday) {
			if p.Share == 1 {
				got = append(got, p.Name)
			}
			if p.From > p.To || p.Share <= 0 || p.Share > 1 {
				t.Errorf("%q: %+v", text, p)
			}
		}
		if got := strings.Join(got, " "); got != want {
			t.Errorf("%q speaks of %q, want %q", text, got, want)
		}
	}
}

func TestDates_AreCompleteOnly(t *testing.T) {
	for text, want := range map[string]string{
		"2026-03-11 Review":          "[2026-03-11]",
		"Review of March":            "[]",
		"1:56 pm on 8 May, 2023":     "[2023-05-08]",
		"Plans for 2026":             "[]",
		"Notes of yesterday":         "[]",
		"March 2026":                 "[2026-03]",
		"Sprint 2026-03 – 2026-04":   "[2026-03 2026-04]",
		"double-sold car deck 02-14": "[]",
	} {
		got := []string{}
		for _, p := range Dates(text) {
			got = append(got, p.Name)
		}
		if fmt.Sprint(got) != want {
			t.Errorf("%q: %v, want %s", text, got, want)
		}
	}
}

func TestSpeaksOf(t *testing.T) {
	for text, want := range map[string]bool{
		"In March we will march.":      true,
		"The band will march.":         false,
		"On March 11 it rained":        true,
		"the 11th of march":            true,
		"2 March":                      true,
		"before March":                 true,
		"They may march on":            false,
		"The march. In May it is over": false,
		"":                             false,
	} {
		if got := SpeaksOf(text, "march"); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
