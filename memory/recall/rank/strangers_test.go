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
		"WithoutStrangersTheOrderStays": {[]*Candidate{{Hit: Hit{Id: "text", Score: 0.2}}, {Hit: Hit{Id: "file", Score: 0.9}}}, []string{"text", "file"}},
		"AStrangerIsBehindEquals":       {[]*Candidate{{Hit: Hit{Id: "web", Score: 0.9}, Trust: "web"}, {Hit: Hit{Id: "own", Score: 0.8}}}, []string{"own", "web"}},
		"AStrangerMayBeMuchNearer":      {[]*Candidate{{Hit: Hit{Id: "web", Score: 0.9}, Trust: "web"}, {Hit: Hit{Id: "own", Score: 0.4}}}, []string{"web", "own"}},
	} {
		t.Run(name, func(t *testing.T) {
			putStrangersBehind(c.ranked)
			got := []string{}
			for _, one := range c.ranked {
				got = append(got, one.Id)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}
