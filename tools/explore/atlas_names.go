package explore

import (
	"cmp"
	"context"

	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/internal/secret"
)

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
