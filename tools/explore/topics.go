package explore

import (
	"cmp"
	"context"
	"slices"

	"hence/internal/args"
)

// TopicsArgs limit the number of topics.
type TopicsArgs struct {
	Limit int `json:"limit,omitempty" default:"6" min:"1" max:"50"`
}

// Topic is an area of the map of memories.
type Topic struct {
	Area  int      `json:"area" jsonschema:"its index in the map"`
	Names []string `json:"names" jsonschema:"the titles of its most linked memories, at most three"`
	Count int      `json:"count" jsonschema:"memories in it, but for what was superseded or forgotten"`
}

// Topics returns the largest areas of the map of memories, the largest first. It takes the
// outermost areas; if there is only one, the areas inside it, and so on. Loose areas are not
// topics.
func (q reader) Topics(ctx context.Context, a TopicsArgs) ([]Topic, error) {
	if err := args.Check("topics", &a); err != nil {
		return nil, err
	}
	m, err := q.atlas(ctx, "memories")
	if err != nil {
		return nil, err
	}
	topics := topicsIn(m.atlas, -1)
	for len(topics) == 1 {
		inside := topicsIn(m.atlas, topics[0].Area)
		if len(inside) == 0 {
			break
		}
		topics = inside
	}
	slices.SortStableFunc(topics, func(x, y Topic) int { return cmp.Compare(y.Count, x.Count) })
	return topics[:min(len(topics), a.Limit)], nil
}

// topicsIn returns the areas directly inside the area outer; for -1 the outermost ones. It
// leaves out loose areas and those without current memories.
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
