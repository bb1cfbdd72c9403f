package briefing_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hence/memory/briefing"
)

// A late briefing has the first lists, not ranked by About, and names the lists for which
// there was no time.
func TestBriefLeavesOutWhatIsLate(t *testing.T) {
	d := newDay(t)
	whole := brief(t, d, alpha, briefing.Args{Others: true})
	late := brief(t, d, alpha, briefing.Args{About: "paint", By: time.Now().Add(-time.Second), Others: true})
	if diff := cmp.Diff([]any{whole.Rules, whole.LeftOff, whole.Holds}, []any{late.Rules, late.LeftOff, late.Holds}); diff != "" {
		t.Errorf("the lists that come first (-whole +late):\n%s", diff)
	}
	if n := len(late.ToSettle) + len(late.Changed.Entries); n > 0 {
		t.Errorf("%d entries of late lists", n)
	}
	want := "Not shown: what is to be settled, for which there was no time (graph_overview {}); what has changed, for which there was no time (memory_list {})\n"
	if text := late.Text(); !strings.HasSuffix(text, want) {
		t.Errorf("it ends with %q", text[max(0, len(text)-len(want)):])
	}
	inTime := brief(t, d, alpha, briefing.Args{About: "paint", By: time.Now().Add(time.Hour)})
	if diff := cmp.Diff(brief(t, d, alpha, briefing.Args{About: "paint"}), inTime); diff != "" {
		t.Errorf("in time (-without a limit +with one):\n%s", diff)
	}
}
