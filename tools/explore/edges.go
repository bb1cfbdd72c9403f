package explore

import (
	"context"
	"database/sql"
	"slices"

	"hence/edges"
	"hence/edges/walk"
	"hence/internal/args"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/lists"
	"hence/internal/ref"
	"hence/memory/record"
)

// reader answers the questions of the page on behalf of one caller.
type reader ref.View

// EdgesArgs choose the edges of one memory, page by page.
type EdgesArgs struct {
	ID        string `json:"id" jsonschema:"id, path or title"`
	Type      string `json:"type,omitempty" jsonschema:"only edges of this type; default: all"`
	Direction string `json:"direction,omitempty" enum:"out,in" jsonschema:"only edges from the memory (out) or to it (in)"`
	Limit     int    `json:"limit,omitempty" default:"100" min:"1" max:"500"`
	Cursor    string `json:"cursor,omitempty" jsonschema:"next from the previous response"`
}

// Site is a place in a note that declares an edge.
type Site struct {
	Path    string `json:"path" jsonschema:"in the vault; empty for a note without a file"`
	URI     string `json:"uri"`
	Line    int    `json:"line" jsonschema:"in the file, from 1"`
	Anchor  string `json:"anchor" jsonschema:"#Heading or #^block"`
	Context string `json:"context" jsonschema:"the text around it"`
}

// ListedEdge is an edge, described from the requested memory.
type ListedEdge struct {
	ID        string     `json:"id" is:""`
	Type      edges.Kind `json:"type" column:"kind" is:""`
	Rel       string     `json:"rel" is:""`
	Direction string     `json:"direction" jsonschema:"out: it reads from the memory asked about; in: to it"`
	Weight    float64    `json:"weight" is:""`
	Origin    string     `json:"origin" is:""`
	Actor     string     `json:"actor" is:""`
	Note      string     `json:"note" is:""`
	CreatedAt string     `json:"created_at" is:""`
	ValidFrom string     `json:"valid_from,omitempty" is:"null"`
	ValidTo   string     `json:"valid_to,omitempty" is:"null"`
	Other     ref.Far    `json:"other"`
	Sites     []Site     `json:"sites" jsonschema:"the first 20 places that declare it"`
	MoreSites int        `json:"more_sites,omitempty" jsonschema:"places that are not shown"`
	key       int64
}

// TypeCount counts the edges of a memory of one type in one direction.
type TypeCount struct {
	Type      edges.Kind `json:"type"`
	Direction string     `json:"direction"`
	Count     int        `json:"count"`
}

// EdgesResult is a page of a memory's edges. They are in the order of the vocabulary, outgoing
// edges first, and then by the title of the other end.
type EdgesResult struct {
	Memory     ref.Named    `json:"memory"`
	Edges      []ListedEdge `json:"edges"`
	Counts     []TypeCount  `json:"counts" jsonschema:"of all its edges, whatever was asked"`
	edges.Page              // of the requested type and direction
}

// maxSites is the limit of sites that are shown for an edge.
const maxSites = 20

// Edges lists the edges of a memory with their sites, page by page. It includes edges to
// superseded and forgotten memories.
func (q reader) Edges(ctx context.Context, a EdgesArgs) (result EdgesResult, err error) {
	if err := args.Check("edges", &a); err != nil {
		return result, err
	}
	kinds := edges.Kinds()
	if a.Type != "" {
		if kinds, err = edges.ParseFilter([]string{a.Type}); err != nil {
			return result, err
		}
	}
	var after listMark
	list := args.ListOf("edges", a)
	if err := db.ReadCursor("edges", list, a.Cursor, &after); err != nil {
		return result, err
	}
	err = q.DB.Read(ctx, func(r *db.Reader) error {
		m, err := q.Caller.Find(ctx, r, a.ID)
		if err != nil {
			return err
		}
		result.Memory = m.Named
		result.Counts, err = db.Select(ctx, r, db.Fields(func(c *TypeCount) []any {
			return []any{&c.Type, &c.Direction, &c.Count}
		}), selectTypeCounts, m.Key, db.List(edges.Kinds()))
		if err != nil {
			return err
		}
		all, err := db.Select(ctx, r, scanListed, selectListed, m.Key, db.List(kinds), a.Direction,
			a.Cursor != "", after.Kind, after.In, after.Title, after.ID, a.Limit+1)
		if err != nil {
			return err
		}
		all, result.Next = edges.Cut(list, all, a.Limit, func(e ListedEdge) any {
			return listMark{slices.Index(kinds, e.Type), e.Direction == "in", e.Other.Title, e.ID}
		})
		sites, err := sitesOf(ctx, r, lists.Map(all, func(e ListedEdge) int64 { return e.key }))
		for i, e := range all {
			all[i].Sites, all[i].MoreSites = append([]Site{}, sites[e.key].sites...), sites[e.key].more
		}
		result.Edges = all
		return err
	})
	for _, c := range result.Counts {
		if slices.Contains(kinds, c.Type) && (a.Direction == "" || a.Direction == c.Direction) {
			result.TotalCount += c.Count
		}
	}
	result.Truncated, result.ReturnedCount = result.Next != "", len(result.Edges)
	return result, err
}

// listMark is the cursor: it identifies the last edge of a page.
type listMark struct {
	Kind  int    `json:"k"` // index among the requested kinds
	In    bool   `json:"i"`
	Title string `json:"t"`
	ID    string `json:"d"`
}

// incident is a with clause: the outgoing and incoming edges of the memory ?1.
var incident = "with incident as (" + edges.BothWays(`
  select key, {to_key|from_key} as other, kind, {false|true} as comes_in
  from edges
  where {from_key|to_key} = ?1`) + ")"

var selectTypeCounts = incident + `
select
  a.kind,
  iif(a.comes_in, 'in', 'out'),
  count(*)
from incident a
join json_each(?2) k on k.value = a.kind
group by k.key, a.comes_in
order by k.key, a.comes_in`

var listed = record.Of[ListedEdge]()

var selectListed = incident + "select " + record.Select(listed, "e") + `,
  e.key,
  iif(a.comes_in, 'in', 'out'),
  o.id,
  o.title,
  o.status,
  o.kind
from incident a
join json_each(?2) k on k.value = a.kind
join edges e on e.key = a.key
join memories o on o.key = a.other
where ?3 in ('', iif(a.comes_in, 'in', 'out'))
  and (?4 = 0 or (k.key, a.comes_in, o.title, e.id) > (?5, ?6, ?7, ?8))
order by k.key, a.comes_in, o.title, e.id
limit ?9`

func scanListed(row *sql.Rows) (e ListedEdge, err error) {
	err = record.Scan(row, listed, &e, &e.key, &e.Direction, &e.Other)
	return e, err
}

// edgeSites are the sites of an edge.
type edgeSites struct {
	sites []Site // the first maxSites
	more  int    // number of the others
}

// sitesOf returns the sites of edges, by the keys of the edges. An edge that an agent or a
// person declared has none.
func sitesOf(ctx context.Context, r *db.Reader, keys []int64) (map[int64]edgeSites, error) {
	all := map[int64]edgeSites{}
	err := db.Each(ctx, r, func(row *sql.Rows) error {
		var key int64
		var s Site
		var total int
		err := row.Scan(&key, &s.Path, &s.URI, &s.Line, &s.Anchor, &s.Context, &total)
		sites := append(all[key].sites, s)
		all[key] = edgeSites{sites, total - len(sites)}
		return err
	}, `
select
  edge,
  path,
  uri,
  line,
  anchor,
  context,
  total
from (
  select
    s.edge,
    coalesce(f.path, '') as path,
    coalesce(m.uri, '') as uri,
    s.line,
    s.anchor,
    (select c.context from site_contexts c where c.site = s.key) as context,
    s.start_byte,
    row_number() over (partition by s.edge order by coalesce(f.path, ''), s.start_byte, s.key) as place,
    count(*) over (partition by s.edge) as total
  from json_each(?1) k
  cross join sites s on s.edge = k.value
  join memories m on m.key = s.note
  left join files f on f.memory = s.note
)
where place <= ?2
order by edge, place`, db.List(keys), maxSites)
	return all, err
}

// AmongArgs name the memories that the page shows.
type AmongArgs struct {
	IDs   []string `json:"ids" jsonschema:"full ids, at most 2000"`
	Types []string `json:"types,omitempty" jsonschema:"only edges of these types; default: all declared"`
}

// AmongResult lists the edges between memories, ordered by the ids of their ends.
type AmongResult struct {
	Edges     []walk.Link `json:"edges"`
	Truncated bool        `json:"truncated"`
}

const (
	maxAmong = 2000   // memories in a call
	maxLinks = 20_000 // edges in an answer
)

// ReadAmong returns the edges with both ends among the requested memories. It ignores
// unknown ids. It fails with too_large for more than maxAmong ids.
func (q reader) ReadAmong(ctx context.Context, a AmongArgs) (result AmongResult, err error) {
	if err := args.Check("among", &a); err != nil {
		return result, err
	}
	if len(a.IDs) > maxAmong {
		return result, fault.New(fault.TooLarge, "among: there are %d ids, and at most %d are allowed; send fewer", len(a.IDs), maxAmong)
	}
	kinds, err := edges.ParseFilter(a.Types)
	if err != nil {
		return result, err
	}
	result.Edges, err = db.Select(ctx, q.DB, db.Fields(func(l *walk.Link) []any {
		return []any{&l.From, &l.To, &l.Type, &l.Rel}
	}), selectAmong, db.List(a.IDs), db.List(kinds), q.Caller.Namespace, maxLinks+1)
	if result.Truncated = len(result.Edges) > maxLinks; result.Truncated {
		result.Edges = result.Edges[:maxLinks]
	}
	return result, err
}

const selectAmong = `
with chosen as materialized (
  select distinct
    m.key,
    m.id
  from json_each(?1) i
  cross join memories m on m.id = i.value
  where ?3 in ('', m.namespace)
)
select
  f.id,
  t.id,
  e.kind,
  e.rel
from chosen f
cross join edges e on e.from_key = f.key
join chosen t on t.key = e.to_key
join json_each(?2) k on k.value = e.kind
order by f.id, t.id, e.kind, e.rel
limit ?4`
