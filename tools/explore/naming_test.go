package explore

import (
	"fmt"
	"strings"
	"testing"

	"hence/internal/db/dbtest"
)

// An area has the name of the folder or tag that most of its members share, else two telling words,
// and no two have the same.
func TestAreasAreNamedByWhatTellsThemApart(t *testing.T) {
	expectNames(t, "sea/boats/|land/boats/|refund, Ticket|#sound|Harbour, pilot|Pilot harbour 0",
		group{"sea/boats/", "Keel %d", "x"}, group{"land/boats/", "Shed %d", "x"}, group{"", "Ticket refund %d", "x"},
		group{"", "Bell %d", "#sound"}, group{"", "Harbour pilot %d", "x"}, group{"", "Pilot harbour %d", "x"})
}

// A name whose words are all in another's, whatever their case, their number and the signs between them,
// is not enough.
func TestAreasHaveNoNamesThatAreNearlyTheSame(t *testing.T) {
	expectNames(t, "Booking/ Berth|booking-api/|#note Winch|Notes/ Sail|Ferry, Lamp|Rope, Lamps",
		group{"Booking/", "Berth %d", "x"}, group{"booking-api/", "Quay %d", "x"}, group{"", "Winch %d", "#note"},
		group{"Notes/", "Sail %d", "x"}, group{"", "Ferry Lamp %d", "x"}, group{"", "Lamps Rope %d", "x"})
	expectNames(t, "log/ Anchor|log/ Buoy|log/ Chart|Dory 0|Eel 0|Fog 0", group{"log/", "Anchor %d", "x"}, group{"log/", "Buoy %d", "x"}, group{"log/", "Chart %d", "x"},
		group{"", "Dory %d", "x"}, group{"", "Eel %d", "x"}, group{"", "Fog %d", "x"})
}

// Small words, and what all packages of source code have in their titles, tell no area from another.
func TestAreasAreNotNamedByWordsThatTellNothing(t *testing.T) {
	expectNames(t, "Harbour, pilot|crane, publish", group{"", "package Harbour with pilot %d", "x"}, group{"", "publish Winch into crane %d", "x"})
}

// group is a folder of notes that link to the first two of them.
type group struct{ folder, title, text string }

// expectNames checks the names of the areas of groups, of which each is larger than the next.
func expectNames(t *testing.T, want string, groups ...group) {
	t.Helper()
	d := dbtest.New(t)
	notes := map[string]string{}
	for n, g := range groups {
		for i := range 14 - n {
			notes[g.folder+fmt.Sprintf(g.title, i)+".md"] = fmt.Sprintf("%s\n\n[[%s]] [[%s]]", g.text, fmt.Sprintf(g.title, 0), fmt.Sprintf(g.title, 1))
		}
	}
	importNotes(t, d, "v", "", notes)
	m, err := reader{DB: d, Caller: person}.Atlas(t.Context(), AtlasArgs{})
	if err != nil {
		t.Fatal(err)
	}
	got := []string{}
	for _, area := range m.Areas {
		if area.Parent < 0 && !area.Loose {
			got = append(got, area.Name)
		}
	}
	if strings.Join(got, "|") != want {
		t.Errorf("the areas are named %q, want %q", strings.Join(got, "|"), want)
	}
}
