package explore

import (
	"cmp"
	"context"
	"slices"

	"hence/internal/args"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/internal/secret"
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

var errOldAtlas = fault.New(fault.Conflict, "the store has changed since the atlas was requested; request the atlas again")

// atlasOfVersion returns the map of a version that the caller has. It fails with conflict if
// the map has changed since.
func (q reader) atlasOfVersion(ctx context.Context, scope, version string) (*cachedAtlas, error) {
	m, err := q.atlas(ctx, cmp.Or(scope, "memories"))
	if err == nil && m.atlas.Version != version {
		err = errOldAtlas
	}
	return m, err
}

// AtlasNamesArgs choose dots of a map.
type AtlasNamesArgs struct {
	Of      string `json:"of,omitempty" enum:"memories,code" default:"memories"`
	Version string `json:"version"`
	Dots    []int  `json:"dots" jsonschema:"at most 500"`
}

// AtlasNamesResult lists the memories of the requested dots, in their order.
type AtlasNamesResult struct {
	Memories []ref.Far `json:"memories"`
}

const maxNamed = 500 // dots in a call

// AtlasNames returns the memories of some dots of a map. It fails with too_large for more than
// maxNamed dots, with invalid_argument for an unknown dot, and with conflict if the map has
// changed since it was requested.
func (q reader) AtlasNames(ctx context.Context, a AtlasNamesArgs) (result AtlasNamesResult, err error) {
	if len(a.Dots) > maxNamed {
		return result, fault.New(fault.TooLarge, "atlas_names: there are %d dots, and at most %d are allowed; send fewer", len(a.Dots), maxNamed)
	}
	m, err := q.atlasOfVersion(ctx, a.Of, a.Version)
	if err != nil {
		return result, err
	}
	keys := []int64{}
	for _, dot := range a.Dots {
		if dot < 0 || dot >= len(m.keys) {
			return result, fault.New(fault.InvalidArgument, "atlas_names: there is no dot %d; the atlas has %d", dot, len(m.keys))
		}
		keys = append(keys, m.keys[dot])
	}
	result.Memories = []ref.Far{}
	err = q.DB.Read(ctx, func(r *db.Reader) error {
		ends, err := ref.Ends(ctx, r, keys)
		for _, key := range keys {
			if f, ok := ends[key]; ok {
				f.Title = secret.Mask(f.Title)
				result.Memories = append(result.Memories, f)
			}
		}
		return err
	})
	if err == nil && len(result.Memories) != len(keys) {
		err = errOldAtlas
	}
	return result, err
}
