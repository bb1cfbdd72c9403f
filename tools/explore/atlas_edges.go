package explore

import (
	"context"
	"encoding/binary"

	"hence/internal/db"
)

// AtlasEdgesArgs name a map.
type AtlasEdgesArgs struct {
	Of      string `json:"of,omitempty" enum:"memories,code" default:"memories"`
	Version string `json:"version"`
}

// AtlasEdges are the edges of a map, those too that are over. The columns have a value
// for each, as those of Atlas have for each dot.
type AtlasEdges struct {
	From   []byte   `json:"from"`   // uint32: a dot
	To     []byte   `json:"to"`     // uint32: a dot
	Type   []byte   `json:"type"`   // uint8: an index of the types of the map
	Stored []byte   `json:"stored"` // uint32: minutes since 1970
	Spans  [][3]int `json:"spans"`  // edges with other times: index, held from, held to, in minutes; 0: open
}

// AtlasEdges returns the edges of a map, which are many: the page asks for them when it
// shows another time than now, or comes near enough to draw them. It fails with conflict
// where the store has changed since the map was made.
func (q reader) AtlasEdges(ctx context.Context, a AtlasEdgesArgs) (AtlasEdges, error) {
	made, err := q.atlasOf(ctx, a.Of, a.Version)
	if err != nil {
		return AtlasEdges{}, err
	}
	made.edgesRead.Lock()
	defer made.edgesRead.Unlock()
	if made.edges != nil {
		return *made.edges, nil
	}
	kinds := newKindPlaces()
	packed, _, err := db.One[[]byte](ctx, q.DB, selectAtlasEdges, q.Caller.Namespace, kinds.text)
	if err != nil {
		return AtlasEdges{}, err
	}
	all, dots, n := AtlasEdges{Spans: [][3]int{}}, db.IndexOf(made.keys), 0
	for row := range db.Packed(packed).Rows(6) {
		from, ok := dots.Place(row[0])
		to, known := dots.Place(row[1])
		if !ok || !known {
			continue
		}
		all.From = binary.LittleEndian.AppendUint32(all.From, uint32(from))
		all.To = binary.LittleEndian.AppendUint32(all.To, uint32(to))
		all.Type = append(all.Type, kinds.at[row[2]])
		all.Stored = binary.LittleEndian.AppendUint32(all.Stored, uint32(max(0, row[3])))
		if row[4] > 0 || row[5] > 0 {
			all.Spans = append(all.Spans, [3]int{n, int(max(0, row[4])), int(max(0, row[5]))})
		}
		n++
	}
	made.edges = &all
	return all, nil
}

// As edges.Succeeds has it, an edge that supersedes begins with its successor.
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
    coalesce(unixepoch(e.valid_to) / 60, 0)
  )
from edges e
where e.kind <> 'mentions'
  and (?1 = '' or exists (select 1 from memories m where m.key = e.from_key and m.namespace = ?1))`
