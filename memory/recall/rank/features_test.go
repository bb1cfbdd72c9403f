package rank

import (
	"slices"
	"testing"
)

func TestPutStrangersBehind(t *testing.T) {
	for name, c := range map[string]struct {
		ranked []*Candidate
		want   []string
	}{
		"WithoutStrangersTheOrderStays": {[]*Candidate{{ID: "text", Score: 0.2}, {ID: "file", Score: 0.9}}, []string{"text", "file"}},
		"AStrangerIsBehindEquals":       {[]*Candidate{{ID: "web", Score: 0.9, Trust: "web"}, {ID: "own", Score: 0.8}}, []string{"own", "web"}},
		"AStrangerMayBeMuchNearer":      {[]*Candidate{{ID: "web", Score: 0.9, Trust: "web"}, {ID: "own", Score: 0.4}}, []string{"web", "own"}},
	} {
		t.Run(name, func(t *testing.T) {
			putStrangersBehind(c.ranked)
			got := []string{}
			for _, one := range c.ranked {
				got = append(got, one.ID)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}
