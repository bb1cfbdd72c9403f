package explore

import "context"

// AtlasEdgesArgs choose a map.
type AtlasEdgesArgs struct {
	Of      string `json:"of,omitempty" enum:"memories,code" default:"memories"`
	Version string `json:"version"`
}

// AtlasEdges are the edges of a map, including those that are over. The columns of type []byte
// have a value for each edge, little-endian, as in Atlas.
type AtlasEdges struct {
	From   []byte   `json:"from"`   // uint32: a dot
	To     []byte   `json:"to"`     // uint32: a dot
	Type   []byte   `json:"type"`   // uint8: index in types of the map
	Stored []byte   `json:"stored"` // uint32: minutes since 1970
	Spans  [][3]int `json:"spans"`  // edges with other times: edge, true from, true until, in minutes since 1970; 0: not set
}

// AtlasEdges returns the edges of a map. They are many, so the page requests them only when it
// shows another time than now, or zooms in far enough to draw them. It fails with conflict if
// the map has changed since it was requested.
func (q reader) AtlasEdges(ctx context.Context, a AtlasEdgesArgs) (AtlasEdges, error) {
	m, err := q.atlasOfVersion(ctx, a.Of, a.Version)
	if err != nil {
		return AtlasEdges{}, err
	}
	return m.edges, nil
}

// selectAtlasEdges selects all edges but mentions, and whether each is over. As in edges.Succeeds, an edge of type
// supersedes is true from the time from which its successor is true.
const selectAtlasEdges = `
select
  pack(
    e.from_key,
    e.to_key,
    instr(?2, '|' || e.kind || '|'),
    unixepoch(e.created_at) / 60,
    coalesce(
      unixepoch(
        case
          when e.valid_from is not null then e.valid_from
          when e.kind = 'supersedes' then (
            select coalesce(n.valid_from, n.created_at)
            from memories n
            where n.key = e.from_key
          )
        end
      ) / 60,
      0
    ),
    coalesce(unixepoch(e.valid_to) / 60, 0),
    coalesce(e.valid_to <= ?3, 0)
  )
from edges e
where e.kind <> 'mentions'
  and (?1 = '' or exists (select 1 from memories m where m.key = e.from_key and m.namespace = ?1))`
