package explore

import (
	"cmp"
	"context"
	"slices"

	"hence/internal/args"
)

// TopicsArgs say how many topics are wanted.
type TopicsArgs struct {
	Limit int `json:"limit,omitempty" default:"6" min:"1" max:"50"`
}

// Topic is an area of the map of the memories.
type Topic struct {
	Area  int      `json:"area" jsonschema:"its index in the map"`
	Names []string `json:"names" jsonschema:"the titles of its most linked memories, at most three"`
	Count int      `json:"count" jsonschema:"memories in it, but for what was superseded or forgotten"`
}

// Topics returns the largest areas of the map, the largest first: its outermost ones, or
// where one holds everything those inside it. What hangs together with nothing is none.
func (q reader) Topics(ctx context.Context, a TopicsArgs) ([]Topic, error) {
	if err := args.Check("topics", &a); err != nil {
		return nil, err
	}
	made, err := q.atlas(ctx, "memories")
	if err != nil {
		return nil, err
	}
	topics := topicsIn(made.atlas, -1)
	for len(topics) == 1 {
		inside := topicsIn(made.atlas, topics[0].Area)
		if len(inside) == 0 {
			break
		}
		topics = inside
	}
	slices.SortStableFunc(topics, func(x, y Topic) int { return cmp.Compare(y.Count, x.Count) })
	return topics[:min(len(topics), a.Limit)], nil
}

// topicsIn are the areas directly inside of one, -1 for the outermost.
func topicsIn(m Atlas, outer int) []Topic {
	topics := []Topic{}
	for i, area := range m.Areas {
		if area.Parent != outer || area.Loose {
			continue
		}
		t := Topic{Area: i, Names: area.Names}
		for _, status := range m.Status[area.Start:area.End] {
			if status == 0 {
				t.Count++
			}
		}
		if t.Count > 0 {
			topics = append(topics, t)
		}
	}
	return topics
}
