package main

import (
	"fmt"
	"slices"
	"testing"
)

func TestACellSaysAllOnlyOfAll(t *testing.T) {
	for _, tc := range []struct {
		score *Score
		want  string
	}{
		{nil, "–"}, {&Score{}, "–"}, {&Score{Right: 5, Asked: 5}, "100 %"}, {&Score{Right: 0, Asked: 5}, "0 %"},
		{&Score{Right: 9_999, Asked: 10_000}, "99.99 %"}, {&Score{Right: 1, Asked: 10_000}, "0.01 %"}, {&Score{Right: 2, Asked: 3}, "66.7 %"},
		{&Score{Right: 3, Asked: 3, Calls: 3}, "100 %"}, {&Score{Right: 3, Asked: 3, Calls: 12}, "100 % in 4.0 calls"},
	} {
		question := questions[5].question
		if got := (Column{Scores: map[string]*Score{question: tc.score}}).cell(question); got != tc.want {
			t.Errorf("%+v is %q, want %q", tc.score, got, tc.want)
		}
	}
}

func TestSeedsAreNumbersAndRanges(t *testing.T) {
	for text, want := range map[string]string{
		"3": "[3]", "1-4": "[1 2 3 4]", "9,2-3": "[9 2 3]", "": "error", "4-1": "error", "x": "error", "1-": "error", "-3": "error", "1-99999999": "error",
	} {
		got, err := parseSeeds(text)
		if said := fmt.Sprint(got); (err != nil) != (want == "error") || err == nil && said != want {
			t.Errorf("%q: %s, %v, want %s", text, said, err, want)
		}
	}
}

func TestOneColumnIsMeasuredAgain(t *testing.T) {
	old := Report{Seeds: "1-10", Others: 5, Systems: []Column{{Name: "a", Seconds: 1}, {Name: "b", Seconds: 2}}}
	for name, tc := range map[string]struct {
		again Report
		want  string
	}{
		"its column is in its place":  {Report{Date: "today", Seeds: "1-10", Others: 5, Systems: []Column{{Name: "b", Seconds: 3}}}, "today a 1 b 3"},
		"other seeds":                 {Report{Seeds: "1-9", Others: 5, Systems: []Column{{Name: "b"}}}, "error"},
		"another number of others":    {Report{Seeds: "1-10", Others: 6, Systems: []Column{{Name: "b"}}}, "error"},
		"a system that was not asked": {Report{Seeds: "1-10", Others: 5, Systems: []Column{{Name: "c"}}}, "error"},
	} {
		old := old
		old.Systems = slices.Clone(old.Systems)
		got, err := tc.again.over(old)
		said := got.Date
		for _, c := range got.Systems {
			said += fmt.Sprint(" ", c.Name, " ", c.Seconds)
		}
		if err != nil {
			said = "error"
		}
		if said != tc.want {
			t.Errorf("%s: %q, want %q", name, said, tc.want)
		}
	}
}
