package show

import (
	"strings"
	"testing"

	"hence/edges"
	"hence/edges/belief"
	"hence/memory/recall"
)

// A total that is a lower bound is shown as one.
func TestFound_TotalIsALowerBound(t *testing.T) {
	for want, r := range map[string]recall.SearchResult{
		`10 of at least 1000 memories for "links"`: {Query: "links", TotalCount: 1000, ReturnedCount: 10},
		`10 of 1000 memories for "links"`:          {Query: "links", TotalCount: 1000, ReturnedCount: 10, TotalIsExact: true},
	} {
		if got, _, _ := strings.Cut(Text(Found(r)), "\n"); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestArrow_PointsTheWayTheEdgeIsStored(t *testing.T) {
	for _, test := range []struct {
		kind           edges.Kind
		rel, direction string
		ended          string
		want           string
	}{
		{edges.Causes, "", "out", "", "—causes→"},
		{edges.Causes, "", "in", "", "←causes—"},
		{edges.Contradicts, "", "out", "", "—contradicts—"},
		{edges.Contradicts, "", "in", "", "—contradicts—"},
		{edges.RefersTo, "owner", "in", "", "←refers-to (owner)—"},
		{edges.Causes, "caused_by", "in", "", "←causes—"},
		{edges.PartOf, "up", "out", "", "—part-of→"},
		{edges.Supports, "causes", "out", "", "—supports (causes)→"},
		{edges.Supports, "", "in", "2026-03-01T00:00:00.000Z", "←supports, over since 2026-03-01—"},
	} {
		link := Link{test.kind, test.rel, test.direction, test.ended}
		if got := link.Arrow(); got != test.want {
			t.Errorf("%+v is drawn as %s, want %s", link, got, test.want)
		}
	}
}

func TestReasonText_SaysEachReason(t *testing.T) {
	for reason, want := range map[string]string{
		"superseded": "was superseded", "forgotten": "was forgotten", "contradicted": "is contradicted", "changed": "has changed",
	} {
		if got := belief.ReasonText(reason); got != want {
			t.Errorf("belief.ReasonText(%s) = %s, want %s", reason, got, want)
		}
	}
}
