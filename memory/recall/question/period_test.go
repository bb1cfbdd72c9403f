package question

import (
	"strings"
	"testing"
	"time"
)

func TestPeriodsOf(t *testing.T) {
	sunday := time.Date(2026, 11, 22, 5, 0, 0, 0, time.UTC)
	for text, want := range map[string]string{
		"what did we decide in March":                    "2026-03",
		"What did we decide in december?":                "2025-12",
		"what is due on 2026-03-11, or in 2026-04":       "2026-03-11 2026-04",
		"2026-03-11 に何を決めたか":                             "2026-03-11",
		"在2026-03决定了什么":                                  "2026-03",
		"what happened yesterday":                        "2026-11-21",
		"What did I do last week?":                       "2026-11-09 – 2026-11-15",
		"this month":                                     "2026-11",
		"last month":                                     "2026-10",
		"last year":                                      "2025",
		"Which plan held in March 2026, and who made it": "2026-03",
		"March 2025":                                     "2025-03",
		"they may march on":                              "",
		"may I":                                          "",
		"before March 2026":                              "",
		"after 2026-03-11 was fixed":                     "",
		"2026-13-01":                                     "",
		"2026-02-30":                                     "",
		"decide":                                         "",
		"":                                               "",
	} {
		names := []string{}
		for _, p := range periodsOf(text, sunday) {
			names = append(names, p.Name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%q names %q, want %q", text, got, want)
		}
	}
}
