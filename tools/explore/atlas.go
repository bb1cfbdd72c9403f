package explore

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"

	"hence/edges"
	"hence/edges/walk/community"
	"hence/internal/db"
	"hence/internal/secret"
)

// AtlasArgs choose what is drawn.
type AtlasArgs struct {
	Of string `json:"of,omitempty" enum:"memories,code" default:"memories" jsonschema:"code: source code, instead of all else"`
}

// Atlas is a whole store as a picture: every memory is a dot, in the areas of a map. The
// columns have a value for each dot, little-endian, in base64.
type Atlas struct {
	Version string       `json:"version"` // changes with what is drawn
	Dots    int          `json:"dots"`
	X       []byte       `json:"x"`       // float32
	Y       []byte       `json:"y"`       // float32
	Degree  []byte       `json:"degree"`  // uint16: edges, at most 65,535
	Area    []byte       `json:"area"`    // uint32: its innermost area
	Kind    []byte       `json:"kind"`    // uint16: its index in kinds
	Folder  []byte       `json:"folder"`  // uint16: its index in folders
	Tag     []byte       `json:"tag"`     // uint16: the indices in tags of all its tags, one dot after another
	TagEnd  []byte       `json:"tag_end"` // uint32: where those of each dot end
	Status  []byte       `json:"status"`  // uint8: 0 current, 1 superseded, 2 forgotten (dotForgotten)
	Stored  []byte       `json:"stored"`  // uint32: minutes since 1970
	Spans   [][5]int     `json:"spans"`   // dots with other times: index, known to, held from, held to, in minutes; 0: open; last: 1 if it is over by now
	Areas   []AtlasArea  `json:"areas"`
	Ties    [][4]int     `json:"ties"` // edges between two areas side by side, of what is not over: area, area, index of the kind, number
	Kinds   []string     `json:"kinds"`
	Folders []string     `json:"folders"` // "" for what is in no folder
	Tags    []string     `json:"tags"`
	Types   []edges.Kind `json:"types"` // of edges
	Rest    int          `json:"rest"`  // memories that are not drawn, because there are too many
}

// AtlasArea is a group of memories as a disc. Its dots are those from start to before
// end.
type AtlasArea struct {
	Parent int      `json:"parent"` // index of the area that it is in, -1 for none
	Start  int      `json:"start"`
	End    int      `json:"end"`
	X      float32  `json:"x"`
	Y      float32  `json:"y"`
	R      float32  `json:"r"`
	Loose  bool     `json:"loose"` // what has no edges, or small groups put together
	Names  []string `json:"names"` // the titles of its most linked memories, at most three
}

const (
	maxDots   = 300_000
	areaNames = 3
	nameBytes = 160
	maxFolder = 60_000 // folders and tags that are told apart

	dotForgotten = 2
)

// atlases are the maps of a store that were made last, by what they show.
type atlases struct {
	mu   sync.Mutex
	made map[string]*madeAtlas
	uses int64
}

// madeAtlas is a map, and the store that it is of.
type madeAtlas struct {
	seq     int64 // last row of the journal
	schema  int64
	keys    []int64 // of the memories, in the order of the dots
	atlas   Atlas
	lastUse int64

	edgesRead sync.Mutex
	edges     *AtlasEdges // nil: nobody has asked for them
}

const maxAtlases = 6 // maps that are kept; one of 100,000 memories takes 5 MB

// Atlas returns the map of all that the caller reads. The same store gives the same map;
// it is made again when the journal has moved on. Guesses tie nothing together.
func (q reader) Atlas(ctx context.Context, a AtlasArgs) (Atlas, error) {
	made, err := q.atlas(ctx, cmp.Or(a.Of, "memories"))
	if err != nil {
		return Atlas{}, err
	}
	return made.atlas, nil
}

func (q reader) atlas(ctx context.Context, of string) (made *madeAtlas, err error) {
	kept := db.Keep[atlases](q.DB)
	kept.mu.Lock() // two that ask at once wait for one map
	defer kept.mu.Unlock()
	err = q.DB.Read(ctx, func(r *db.Reader) error {
		now, _, err := db.First(ctx, r, db.Fields(func(v *[2]int64) []any { return []any{&v[0], &v[1]} }), `
select
  coalesce((select max(seq) from journal), 0),
  (select schema_version from pragma_schema_version)`)
		if err != nil {
			return err
		}
		key := of + "\n" + q.Caller.Namespace
		if made = kept.made[key]; made == nil || made.seq != now[0] || made.schema != now[1] {
			if made, err = makeAtlas(ctx, r, of, q.Caller.Namespace); err != nil {
				return err
			}
			made.seq, made.schema = now[0], now[1]
		}
		kept.keep(key, made)
		return nil
	})
	return made, err
}

// keep keeps a map, and drops the one that nobody has asked for for longest.
func (k *atlases) keep(key string, made *madeAtlas) {
	if k.made == nil {
		k.made = map[string]*madeAtlas{}
	}
	k.uses++
	made.lastUse, k.made[key] = k.uses, made
	if len(k.made) > maxAtlases {
		delete(k.made, slices.MinFunc(slices.Collect(maps.Keys(k.made)), func(a, b string) int {
			return cmp.Compare(k.made[a].lastUse, k.made[b].lastUse)
		}))
	}
}

// dots are the memories of a map, column by column, and their edges.
type dots struct {
	keys          []int64
	status        []byte
	stored        []uint32
	kind, folder  []uint16
	tag           [][]uint16
	kinds         []string
	folders, tags []string
	at            db.Index // of a dot, by its memory's key
	edges         []community.Edge
	types         []uint8 // of the edges: an index of edges.Kinds()
	spans         [][5]int
	rest          int
}

// makeAtlas reads a store and makes its map.
func makeAtlas(ctx context.Context, r *db.Reader, of, namespace string) (*madeAtlas, error) {
	// All is read column by column: to read 100,000 rows one by one takes ten times as long.
	d := &dots{}
	if err := d.readMemories(ctx, r, of, namespace); err != nil {
		return nil, err
	}
	if err := d.readTimes(ctx, r, namespace); err != nil {
		return nil, err
	}
	if err := d.readEdges(ctx, r, namespace); err != nil {
		return nil, err
	}
	loose := make([]int32, len(d.keys)) // what has no edges lies with others of its kind and folder
	for i := range loose {
		loose[i] = int32(d.kind[i])<<16 | int32(d.folder[i])
	}
	m := community.Place(len(d.keys), d.edges, loose, d.stored)
	made := &madeAtlas{keys: make([]int64, len(d.keys))}
	for i, dot := range m.Order {
		made.keys[i] = d.keys[dot]
	}
	made.atlas = d.draw(m)
	var err error
	if made.atlas.Areas, err = nameAreas(ctx, r, m, made.keys); err != nil {
		return nil, err
	}
	made.atlas.Version = versionOf(made)
	return made, nil
}

// versionOf is made of what is drawn alone: a number of the journal would tell what
// others do.
func versionOf(m *madeAtlas) string {
	text := strings.Builder{}
	for _, column := range [][]byte{m.atlas.X, m.atlas.Y, m.atlas.Degree, m.atlas.Kind, m.atlas.Folder, m.atlas.Tag, m.atlas.TagEnd, m.atlas.Status, m.atlas.Stored} {
		text.Write(column)
	}
	fmt.Fprint(&text, m.atlas.Spans, m.atlas.Ties)
	for _, a := range m.atlas.Areas {
		text.WriteString(strings.Join(a.Names, "\n"))
	}
	return db.Hash(text.String())[:16]
}

// draw writes the columns of a map.
func (d *dots) draw(m community.Map) Atlas {
	n := len(m.Order)
	degree := make([]int, n)
	for _, e := range d.edges {
		degree[e.A]++
		degree[e.B]++
	}
	a := Atlas{Dots: n, Kinds: d.kinds, Folders: d.folders, Tags: d.tags, Types: edges.Kinds(), Rest: d.rest, Spans: [][5]int{}, Ties: [][4]int{}}
	place := make([]int, n)
	for i, dot := range m.Order {
		place[dot] = i
		a.X = binary.LittleEndian.AppendUint32(a.X, math.Float32bits(float32(m.X[i])))
		a.Y = binary.LittleEndian.AppendUint32(a.Y, math.Float32bits(float32(m.Y[i])))
		a.Degree = binary.LittleEndian.AppendUint16(a.Degree, uint16(min(degree[dot], math.MaxUint16)))
		a.Area = binary.LittleEndian.AppendUint32(a.Area, uint32(m.Leaves[i]))
		a.Kind = binary.LittleEndian.AppendUint16(a.Kind, d.kind[dot])
		a.Folder = binary.LittleEndian.AppendUint16(a.Folder, d.folder[dot])
		for _, tag := range d.tag[dot] {
			a.Tag = binary.LittleEndian.AppendUint16(a.Tag, tag)
		}
		a.TagEnd = binary.LittleEndian.AppendUint32(a.TagEnd, uint32(len(a.Tag)/2))
		a.Status = append(a.Status, d.status[dot])
		a.Stored = binary.LittleEndian.AppendUint32(a.Stored, d.stored[dot])
	}
	for _, s := range d.spans {
		s[0] = place[s[0]]
		a.Spans = append(a.Spans, s)
	}
	slices.SortFunc(a.Spans, func(x, y [5]int) int { return cmp.Compare(x[0], y[0]) })
	leaf := make([]int32, n)
	for i, dot := range m.Order {
		leaf[dot] = m.Leaves[i]
	}
	gone := make([]bool, n)
	for i, status := range d.status {
		gone[i] = status == dotForgotten
	}
	for _, s := range d.spans {
		gone[s[0]] = gone[s[0]] || s[4] == 1
	}
	ties := map[[3]int]int{}
	for i, e := range d.edges {
		if leaf[e.A] == leaf[e.B] || gone[e.A] || gone[e.B] {
			continue
		}
		left, right := community.Apart(m.Areas, leaf[e.A], leaf[e.B])
		ties[[3]int{int(left), int(right), int(d.types[i])}]++
	}
	for t, count := range ties {
		a.Ties = append(a.Ties, [4]int{t[0], t[1], t[2], count})
	}
	slices.SortFunc(a.Ties, func(x, y [4]int) int { return slices.Compare(x[:], y[:]) })
	return a
}

// nameAreas names each area by its most linked memories. The dots of an innermost area
// begin with these; an area of others has the first ones of the largest.
func nameAreas(ctx context.Context, r *db.Reader, m community.Map, keys []int64) ([]AtlasArea, error) {
	titled := make([][]int64, len(m.Areas))
	wanted := map[int64]bool{}
	innermost := make([]bool, len(m.Areas))
	for _, leaf := range m.Leaves {
		innermost[leaf] = true
	}
	for i := len(m.Areas) - 1; i >= 0; i-- { // what is inside comes later
		a := m.Areas[i]
		if innermost[i] {
			titled[i] = keys[a.Start:min(a.End, a.Start+areaNames)]
		} else if len(titled[i]) > areaNames {
			titled[i] = titled[i][:areaNames]
		}
		if a.Parent >= 0 {
			above := append([]int64{titled[i][0]}, titled[a.Parent]...)
			titled[a.Parent] = above[:min(len(above), areaNames)]
		}
		for _, key := range titled[i] {
			wanted[key] = true
		}
	}
	titles := map[int64]string{}
	err := db.Fill(ctx, r, titles, `
select
  m.key,
  m.title
from json_each(?) k
cross join memories m on m.key = k.value`, db.List(slices.Sorted(maps.Keys(wanted))))
	all := make([]AtlasArea, len(m.Areas))
	for i, a := range m.Areas {
		all[i] = AtlasArea{Parent: a.Parent, Start: a.Start, End: a.End, X: float32(a.X), Y: float32(a.Y), R: float32(a.R), Loose: a.Loose, Names: []string{}}
		for _, key := range titled[i] {
			title := secret.Mask(titles[key])
			if len(title) > nameBytes {
				title = strings.ToValidUTF8(title[:nameBytes], "") + "…"
			}
			all[i].Names = append(all[i].Names, title)
		}
	}
	return all, err
}
