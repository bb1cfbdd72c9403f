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
	"hence/internal/lists"
	"hence/internal/secret"
)

// AtlasArgs choose the memories on the map.
type AtlasArgs struct {
	Of string `json:"of,omitempty" enum:"memories,code" default:"memories" jsonschema:"code: source code, instead of all else"`
}

// Atlas is a map of a whole store: every memory is a dot in an area. The columns of type
// []byte have a value for each dot, little-endian; JSON has them in base64.
//
// A row of Spans belongs to a dot with times besides Stored: its index, the times at which
// it was superseded or forgotten, from which it is true and until which it is true, in
// minutes since 1970, 0 if not set, and 1 if it is over by now. A row of Ties counts the
// edges of one type between two areas with the same parent: the areas, the index of the
// type, and the number. It leaves out edges that are over, or whose memories are.
type Atlas struct {
	Version string       `json:"version"` // hash of the map, see versionOf
	Dots    int          `json:"dots"`
	X       []byte       `json:"x"`       // float32
	Y       []byte       `json:"y"`       // float32
	Degree  []byte       `json:"degree"`  // uint16: edges, at most 65,535
	Area    []byte       `json:"area"`    // uint32: index of its innermost area
	Kind    []byte       `json:"kind"`    // uint16: index in kinds
	Folder  []byte       `json:"folder"`  // uint16: index in folders
	Tag     []byte       `json:"tag"`     // uint16: indices in tags of all its tags, dot by dot
	TagEnd  []byte       `json:"tag_end"` // uint32: number of values in tag up to the end of each dot's
	Status  []byte       `json:"status"`  // uint8: 0 current, 1 superseded, 2 forgotten (dotForgotten)
	Stored  []byte       `json:"stored"`  // uint32: minutes since 1970
	Spans   [][5]int     `json:"spans"`   // dots with other times, see above
	Areas   []AtlasArea  `json:"areas"`
	Ties    [][4]int     `json:"ties"` // edges between areas, see above
	Kinds   []string     `json:"kinds"`
	Folders []string     `json:"folders"` // "": in no folder
	Tags    []string     `json:"tags"`
	Types   []edges.Kind `json:"types"` // of edges
	Rest    int          `json:"rest"`  // memories left out, because there are too many
}

// AtlasArea is a group of memories, drawn as a disc. Its dots are those from start up to, but
// without, end.
type AtlasArea struct {
	Parent int      `json:"parent"` // index of the area around it, -1 for none
	Start  int      `json:"start"`
	End    int      `json:"end"`
	X      float32  `json:"x"`
	Y      float32  `json:"y"`
	R      float32  `json:"r"`
	Loose  bool     `json:"loose"` // memories without edges, or a collection of small groups
	Name   string   `json:"name"`  // what tells it from the others, see nameAll
	Names  []string `json:"names"` // the titles of its most linked memories, at most three
}

const (
	maxDots   = 300_000
	areaNames = 3      // titles that name an area
	nameBytes = 160    // of such a title
	maxNames  = 60_000 // different kinds, folders or tags; others count as ""

	dotForgotten = 2 // in Atlas.Status
)

// atlases caches maps of a store, by the memories on them.
type atlases struct {
	mu     sync.Mutex
	cached map[string]*cachedAtlas // by AtlasArgs.Of and namespace
}

// cachedAtlas is a map, and the version of the store from which it was made.
type cachedAtlas struct {
	seq    int64 // last row of the journal
	schema int64
	keys   []int64 // of the memories, in the order of the dots
	atlas  Atlas
	edges  AtlasEdges
}

const maxAtlases = 6 // of the cache, which is emptied when it is full; an atlas of 100,000 memories takes 15 MB

// Atlas returns the map of all memories that the caller may read, or of all source code. It is
// deterministic: the same store gives the same map. Mentions are not edges of it.
func (q reader) Atlas(ctx context.Context, a AtlasArgs) (Atlas, error) {
	m, err := q.atlas(ctx, a.Of)
	if err != nil {
		return Atlas{}, err
	}
	return m.atlas, nil
}

// atlas returns a map from the cache. It makes the map first if there is none yet, or if the
// journal or the schema has changed since.
func (q reader) atlas(ctx context.Context, of string) (m *cachedAtlas, err error) {
	scope := cmp.Or(of, "memories")
	cache := db.Keep[atlases](q.DB)
	cache.mu.Lock() // so that concurrent requests make the map once
	defer cache.mu.Unlock()
	err = q.DB.Read(ctx, func(r *db.Reader) error {
		version, _, err := db.First(ctx, r, db.Fields(func(v *[2]int64) []any { return []any{&v[0], &v[1]} }), `
select
  coalesce((select max(seq) from journal), 0),
  (select schema_version from pragma_schema_version)`)
		if err != nil {
			return err
		}
		key := scope + "\n" + q.Caller.Namespace
		if m = cache.cached[key]; m == nil || m.seq != version[0] || m.schema != version[1] {
			if m, err = makeAtlas(ctx, r, scope, q.Caller.Namespace); err != nil {
				return err
			}
			m.seq, m.schema = version[0], version[1]
		}
		if cache.cached[key] == nil && len(cache.cached)%maxAtlases == 0 { // it is new, or full
			cache.cached = map[string]*cachedAtlas{}
		}
		cache.cached[key] = m
		return nil
	})
	return m, err
}

// dots holds the memories of a map, column by column in the order of their keys, and their
// edges.
type dots struct {
	keys          []int64
	status        []byte
	stored        []uint32
	kind, folder  []uint16
	tag           [][]uint16
	kinds         []string
	folders, tags []string
	index         db.Index         // of a dot in the columns, by its memory's key
	edges         []community.Edge // those that are not over
	types         []uint8          // of the edges: indexes of edges.Kinds()
	ends          []community.Edge // of all edges, with over ones
	all           AtlasEdges       // their other columns; draw adds the ends
	spans         [][5]int         // as in Atlas
	rest          int              // as in Atlas
}

// makeAtlas reads the memories of a namespace ("": all) and makes their map.
func makeAtlas(ctx context.Context, r *db.Reader, scope, namespace string) (*cachedAtlas, error) {
	// Each query returns its columns packed in one row: to read 100,000 rows one by one takes
	// ten times as long.
	d := &dots{}
	if err := d.readMemories(ctx, r, scope, namespace); err != nil {
		return nil, err
	}
	if err := d.readTimes(ctx, r, namespace); err != nil {
		return nil, err
	}
	if err := d.readEdges(ctx, r, namespace); err != nil {
		return nil, err
	}
	loose := make([]int32, len(d.keys)) // places memories without edges beside others of their kind and folder
	for i := range loose {
		loose[i] = int32(d.kind[i])<<16 | int32(d.folder[i])
	}
	layout := community.Place(len(d.keys), d.edges, loose, d.stored)
	m := &cachedAtlas{keys: make([]int64, len(d.keys))}
	for i, dot := range layout.Order {
		m.keys[i] = d.keys[dot]
	}
	m.atlas = d.draw(layout)
	m.edges = d.all
	var err error
	if m.atlas.Areas, err = nameAreas(ctx, r, d, layout, m.keys); err != nil {
		return nil, err
	}
	m.atlas.Version = versionOf(m)
	return m, nil
}

// versionOf returns a hash of the columns, the words that they refer to and the names of areas.
// It does not use the number of the journal, which would show a confined caller how much others
// write.
func versionOf(m *cachedAtlas) string {
	text := strings.Builder{}
	for _, column := range [][]byte{m.atlas.X, m.atlas.Y, m.atlas.Degree, m.atlas.Kind, m.atlas.Folder, m.atlas.Tag, m.atlas.TagEnd, m.atlas.Status, m.atlas.Stored} {
		text.Write(column)
	}
	fmt.Fprintf(&text, "%q %q %q %v %v", m.atlas.Kinds, m.atlas.Folders, m.atlas.Tags, m.atlas.Spans, m.atlas.Ties)
	for _, a := range m.atlas.Areas {
		text.WriteString(a.Name + "\n" + strings.Join(a.Names, "\n"))
	}
	return db.Hash(text.String())[:16]
}

// draw returns the columns of a map. It moves the dots to the order of the layout.
func (d *dots) draw(m community.Map) Atlas {
	n := len(m.Order)
	degree := make([]int, n)
	for _, e := range d.edges {
		degree[e.A]++
		degree[e.B]++
	}
	a := Atlas{Dots: n, Kinds: d.kinds, Folders: d.folders, Tags: d.tags, Types: edges.Kinds(), Rest: d.rest, Spans: [][5]int{}, Ties: [][4]int{}}
	position := make([]int, n) // of a dot in the layout
	for i, dot := range m.Order {
		position[dot] = i
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
		s[0] = position[s[0]]
		a.Spans = append(a.Spans, s)
	}
	for _, e := range d.ends {
		d.all.From = binary.LittleEndian.AppendUint32(d.all.From, uint32(position[e.A]))
		d.all.To = binary.LittleEndian.AppendUint32(d.all.To, uint32(position[e.B]))
	}
	slices.SortFunc(a.Spans, func(x, y [5]int) int { return cmp.Compare(x[0], y[0]) })
	leaf := func(dot int32) int32 { return m.Leaves[position[dot]] }
	isOver := make([]bool, n)
	for i, status := range d.status {
		isOver[i] = status == dotForgotten
	}
	for _, s := range d.spans {
		isOver[s[0]] = isOver[s[0]] || s[4] == 1
	}
	ties := map[[3]int]int{}
	for i, e := range d.edges {
		if leaf(e.A) == leaf(e.B) || isOver[e.A] || isOver[e.B] {
			continue
		}
		left, right := community.Apart(m.Areas, leaf(e.A), leaf(e.B))
		ties[[3]int{int(left), int(right), int(d.types[i])}]++
	}
	for t, count := range ties {
		a.Ties = append(a.Ties, [4]int{t[0], t[1], t[2], count})
	}
	slices.SortFunc(a.Ties, func(x, y [4]int) int { return slices.Compare(x[:], y[:]) })
	return a
}

// nameAreas returns the areas of a map with their names, and with titles of their most linked memories,
// at most areaNames: those of the first dots of an innermost area, which have the most edges; of any other
// area, those of the first dot of each of its first areas, which are the largest.
func nameAreas(ctx context.Context, r *db.Reader, d *dots, m community.Map, keys []int64) ([]AtlasArea, error) {
	sample := make([][]int64, len(m.Areas)) // keys of the memories whose titles are read
	wanted := map[int64]bool{}
	innermost := make([]bool, len(m.Areas))
	for _, leaf := range m.Leaves {
		innermost[leaf] = true
	}
	heads := make([][]int64, len(m.Areas))   // keys of the memories that stand for an area
	for i := len(m.Areas) - 1; i >= 0; i-- { // areas come before those inside them
		a := m.Areas[i]
		if innermost[i] {
			sample[i] = keys[a.Start:min(a.End, a.Start+titlesRead)]
			heads[i] = sample[i]
			for _, key := range sample[i] {
				wanted[key] = true
			}
		}
		heads[i] = heads[i][:min(len(heads[i]), areaNames)]
		if a.Parent >= 0 {
			heads[a.Parent] = append([]int64{heads[i][0]}, heads[a.Parent]...)
			inner := append(slices.Clone(sample[i]), sample[a.Parent]...)
			sample[a.Parent] = inner[:min(len(inner), titlesKept)]
		}
	}
	titles := map[int64]string{}
	if err := db.Fill(ctx, r, titles, `
select
  m.key,
  m.title
from json_each(?) k
cross join memories m on m.key = k.value`, db.List(slices.Sorted(maps.Keys(wanted)))); err != nil {
		return nil, err
	}
	title := func(key int64) string {
		t := secret.Mask(titles[key])
		if len(t) > nameBytes {
			t = strings.ToValidUTF8(t[:nameBytes], "") + "…"
		}
		return t
	}
	read := lists.Map(sample, func(keys []int64) []string { return lists.Map(keys, title) })
	areas, names := make([]AtlasArea, len(m.Areas)), nameAll(d, m, read)
	for i, a := range m.Areas {
		areas[i] = AtlasArea{Parent: a.Parent, Start: a.Start, End: a.End, X: float32(a.X), Y: float32(a.Y), R: float32(a.R), Loose: a.Loose, Name: names[i], Names: lists.Map(heads[i], title)}
	}
	return areas, nil
}
