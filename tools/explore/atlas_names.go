package explore

import (
	"cmp"
	"context"

	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/internal/secret"
)

var errOtherAtlas = fault.New(fault.Conflict, "the store has changed since the picture was made; ask for the picture again")

// atlasOf returns the map that a caller has by its version. It fails with conflict where
// the store has changed since that was made.
func (q reader) atlasOf(ctx context.Context, of, version string) (*madeAtlas, error) {
	made, err := q.atlas(ctx, cmp.Or(of, "memories"))
	if err == nil && made.atlas.Version != version {
		err = errOtherAtlas
	}
	return made, err
}

// AtlasNamesArgs name dots of a map.
type AtlasNamesArgs struct {
	Of      string `json:"of,omitempty" enum:"memories,code" default:"memories"`
	Version string `json:"version"`
	Dots    []int  `json:"dots" jsonschema:"at most 500"`
}

// AtlasNamesResult is the memories of dots, in their order.
type AtlasNamesResult struct {
	Memories []ref.Far `json:"memories"`
}

const maxNamed = 500 // dots in a call

// AtlasNames returns the memories that some dots of a map are. It fails with conflict
// where the store has changed since the map was made.
func (q reader) AtlasNames(ctx context.Context, a AtlasNamesArgs) (result AtlasNamesResult, err error) {
	if len(a.Dots) > maxNamed {
		return result, fault.New(fault.TooLarge, "atlas_names: there are %d dots, and at most %d are allowed", len(a.Dots), maxNamed)
	}
	made, err := q.atlasOf(ctx, a.Of, a.Version)
	if err != nil {
		return result, err
	}
	keys := []int64{}
	for _, dot := range a.Dots {
		if dot < 0 || dot >= len(made.keys) {
			return result, fault.New(fault.InvalidArgument, "atlas_names: there is no dot %d", dot)
		}
		keys = append(keys, made.keys[dot])
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
		err = errOtherAtlas
	}
	return result, err
}
