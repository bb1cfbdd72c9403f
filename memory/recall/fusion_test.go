package recall_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"hence/memory"
	"hence/memory/embed"
	"hence/memory/recall"
)

// Meaning fills what words leave uncovered, and displaces nothing that they cover.
func TestSearch_MeaningFillsWhatWordsLeave(t *testing.T) {
	for name, c := range map[string]struct {
		query  string
		stored []string // beside v0, an automobile, and v1, a motorway
		want   string   // titles; those of v0 and v1 are near in meaning
	}{
		"WordsAnswer":              {"ferry to Bergen", []string{"The ferry to Bergen.", "The ferry from Bergen is late.", "A ferry: all of them go to Bergen, in time."}, "s0 s1 s2"},
		"FourWordsAnswer":          {"new ferry line car Bergen summer timetable", []string{"The new ferry line, Bergen.", "A new boat.", "A line."}, "s0 s2 s1"},
		"FewResultsAreFollowed":    {"my car", []string{"A car park.", "Soup."}, "s0 v0 v1 s1"},
		"NoMemoryHasAWord":         {"cars: the car", []string{"Soup."}, "v0 v1 s0"},
		"AccidentalWordsTakeTurns": {"car rules overnight storage", []string{"Rules of soup.", "Rules of dinner and soup.", "Rules for the soup of the day, and dinner."}, "s0 v0 s1 v1 s2"},
		"PartlyCovered":            {"ferry to Bergen by night, with a car", []string{"The ferry to Bergen by night.", "A ferry.", "A night."}, "s0 s1 s2 v0 v1"},
	} {
		t.Run(name, func(t *testing.T) {
			all := []memory.StoreArgs{item("v0", "An automobile stood there."), item("v1", "On the motorway.")}
			for i, text := range c.stored {
				all = append(all, item(fmt.Sprint("s", i), text))
			}
			s, m := storeItems(t, all...), newMeanings(t)
			setEmbedder(t, s, m.name)
			got := search(t, s, recall.SearchArgs{Query: c.query})
			if found := strings.Join(titles(got), " "); found != c.want {
				t.Errorf("%q: %q, want %q", c.query, found, c.want)
				for _, one := range got.Results {
					t.Logf("%s %.3f %+v", one.Title, one.Score, one.Why)
				}
			}
		})
	}
}

// An exclusion that leaves nothing by words is dropped, though something is near in meaning.
func TestSearch_MeaningDoesNotHideAnExclusion(t *testing.T) {
	s, m := storeVehicles(t), newMeanings(t)
	setEmbedder(t, s, m.name)
	for query, want := range map[string]string{"soup -cold": "m2", "motorway -automobile": ""} {
		got := search(t, s, recall.SearchArgs{Query: query})
		if strings.Join(titles(got), " ") != want {
			t.Errorf("%q: %q, %q; want %q", query, titles(got), got.Warnings, want)
		}
	}
}

// A search that finds nothing by words says so.
func TestSearch_MeaningAloneIsSaid(t *testing.T) {
	s, m := storeVehicles(t), newMeanings(t)
	setEmbedder(t, s, m.name)
	for query, want := range map[string]bool{"motorway": true, "soup": false} {
		got := search(t, s, recall.SearchArgs{Query: query})
		if isSaid := strings.Contains(strings.Join(got.Warnings, " "), "near in meaning"); isSaid != want {
			t.Errorf("%q: %q with %q", query, titles(got), got.Warnings)
		}
	}
}

// A question that nothing is about finds nothing, with the table of the program too.
func TestSearch_NothingNearIsNothing(t *testing.T) {
	s := storeItems(t, item("ferry", "The ferry leaves the harbour at noon."), item("soup", "The soup was cold, and the bread old."))
	setEmbedder(t, s, embed.Builtin)
	for query, want := range map[string]string{"boats": "ferry", "sailing times": "ferry", "meal": "soup", "algebra": "", "wrought iron": "",
		`"sailing times"`: "", "sailingTimes": "", "sailing_times": "", "sailing.times": "", `"sailing" times`: "ferry"} {
		if got := search(t, s, recall.SearchArgs{Query: query}); strings.Join(titles(got), " ") != want {
			t.Errorf("%q: %q, want %q", query, titles(got), want)
			for _, one := range search(t, s, recall.SearchArgs{Query: query, Mode: "semantic"}).Results {
				t.Logf("%s %.3f", one.Title, one.Score)
			}
		}
	}
}

// A word is not answered by another word of its stem: memories of products do not hide the one that is about productivity.
func TestSearch_AnotherWordOfTheStemDoesNotAnswer(t *testing.T) {
	s := storeItems(t, item("flow", "Deep concentration: the flow state comes after an hour without interruption."), item("soup", "The soup was cold."),
		item("p1", "The product sells well in the old shop."), item("p2", "Two products were sent back by the customer."), item("p3", "A product of the dairy."), item("p4", "Each product has a label, and a price."))
	setEmbedder(t, s, embed.Builtin)
	for query, want := range map[string]bool{"productivity": true, "product": false} {
		got := search(t, s, recall.SearchArgs{Query: query})
		if slices.Contains(titles(got), "flow") != want {
			t.Errorf("%q: %q, with flow %v", query, titles(got), want)
		}
	}
}
