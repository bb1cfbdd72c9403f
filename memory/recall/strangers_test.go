package recall

import (
	"slices"
	"testing"
)

func TestPutStrangersBehind(t *testing.T) {
	for name, c := range map[string]struct {
		ranked []*candidate
		want   []string
	}{
		"WithoutStrangersTheOrderStays": {[]*candidate{{hit: hit{id: "text", score: 0.2}}, {hit: hit{id: "file", score: 0.9}}}, []string{"text", "file"}},
		"AStrangerIsBehindEquals":       {[]*candidate{{hit: hit{id: "web", score: 0.9}, trust: "web"}, {hit: hit{id: "own", score: 0.8}}}, []string{"own", "web"}},
		"AStrangerMayBeMuchNearer":      {[]*candidate{{hit: hit{id: "web", score: 0.9}, trust: "web"}, {hit: hit{id: "own", score: 0.4}}}, []string{"web", "own"}},
	} {
		t.Run(name, func(t *testing.T) {
			putStrangersBehind(c.ranked)
			got := []string{}
			for _, one := range c.ranked {
				got = append(got, one.id)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}
