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
	d := dbtest.New(t)
	notes := map[string]string{}
	group := func(folder, title, text string, size int) {
		for i := range size {
			name := fmt.Sprintf(title, i)
			hub := fmt.Sprintf(title, 0)
			notes[folder+name+".md"] = fmt.Sprintf("%s\n\n[[%s]] [[%s]]", text, hub, fmt.Sprintf(title, 1))
		}
	}
	group("sea/boats/", "Keel %d", "x", 14)
	group("land/boats/", "Shed %d", "x", 13)
	group("", "Ticket refund %d", "x", 12)
	group("", "Bell %d", "#sound", 11)
	group("", "Harbour pilot %d", "x", 10)
	group("", "Pilot harbour %d", "x", 9)
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
	if want := "boats/|land/boats/|refund, Ticket|#sound|Harbour, pilot|Pilot harbour 0"; strings.Join(got, "|") != want {
		t.Errorf("the areas are named %q, want %q", strings.Join(got, "|"), want)
	}
}
