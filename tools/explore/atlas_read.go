package explore

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"strings"
	"time"

	"hence/edges"
	"hence/edges/walk/community"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/lists"
	"hence/internal/ref"
	"hence/internal/secret"
)

const (
	fieldEnd  = "\x1f"
	rowEnd    = "\x1e"
	timeBytes = len("2026-11-20T08:15")
)

// readMemories reads the memories of a scope and namespace, at most maxDots.
func (d *dots) readMemories(ctx context.Context, r *db.Reader, scope, namespace string) error {
	total, _, err := db.One[int](ctx, r, `
select coalesce(sum(number), 0)
from memory_counts
where ?1 in ('', namespace)
  and (origin = 'code') = (?2 = 'code')`, namespace, scope)
	if err != nil {
		return err
	}
	var numbers db.Packed
	var texts string
	err = db.Each(ctx, r, func(row *sql.Rows) error { return row.Scan(&numbers, &texts) }, selectDots, namespace, scope, maxDots)
	if err != nil {
		return err
	}
	kinds, folders, tags := newIndexer(&d.kinds), newIndexer(&d.folders), newIndexer(&d.tags)
	for row := range numbers.Rows(2) {
		line, rest, _ := strings.Cut(texts, rowEnd)
		texts = rest
		stored, line := line[:timeBytes], line[timeBytes:]
		kind, line, _ := strings.Cut(line, fieldEnd)
		uri, tag, _ := strings.Cut(line, fieldEnd)
		d.keys, d.status, d.stored = append(d.keys, row[0]), append(d.status, byte(row[1])), append(d.stored, minuteOf(stored))
		d.kind, d.folder = append(d.kind, kinds(kind)), append(d.folder, folders(folderOf(uri)))
		d.tag = append(d.tag, lists.Map(tagsOf(tag), tags))
	}
	d.index, d.rest = db.IndexOf(d.keys), total-len(d.keys)
	return nil
}

// tagsOf parses a list of tags in JSON, "" for none. It calls the slower decoder only for the
// few lists with an escaped character.
func tagsOf(list string) (tags []string) {
	if list == "" {
		return nil
	}
	if strings.Contains(list, `\`) || !strings.HasPrefix(list, `["`) {
		_ = json.Unmarshal([]byte(list), &tags) // the schema guarantees that it is a list of strings
		return tags
	}
	return strings.Split(list[len(`["`):len(list)-len(`"]`)], `","`)
}

// selectDots selects memories as one row of two columns: the packed numbers of all
// memories, and the texts of all. Within the texts, the characters fieldEnd and rowEnd are
// replaced, or escaped by JSON.
const selectDots = `
select
  pack(key, (status = 'superseded') + 2 * (status = 'forgotten')),
  coalesce(group_concat(stored || kind || char(31) || uri || char(31) || tag, char(30)), '')
from (
  select
    key,
    status,
    substr(created_at, 1, 16) as stored,
    replace(replace(kind, char(30), ' '), char(31), ' ') as kind,
    replace(replace(coalesce(uri, ''), char(30), ' '), char(31), ' ') as uri,
    iif(tags = '[]', '', json(tags)) as tag
  from memories
  where ?1 in ('', namespace)
    and (origin = 'code') = (?2 = 'code')
  order by key
  limit ?3
)`

// newIndexer returns a function that returns the index of a name in all, and appends new
// names to all. The index 0 is that of "", and of new names once all has maxNames.
func newIndexer(all *[]string) func(name string) uint16 {
	indexes := map[string]uint16{"": 0}
	*all = []string{""}
	return func(name string) uint16 {
		index, ok := indexes[name]
		if !ok && len(*all) < maxNames {
			index = uint16(len(*all))
			name = strings.Clone(name) // else it keeps the text of all memories in use
			indexes[name], *all = index, append(*all, name)
		}
		return index
	}
}

// folderOf returns the vault and the folder of a note: "vault/area/sub"; the repository and the package
// of code; "" for other memories.
func folderOf(uri string) string {
	scheme, path, ok := strings.Cut(uri, "://")
	if !ok {
		return ""
	}
	path, _, isPart := strings.Cut(path, "#")
	if isPart && scheme == "code" {
		return path
	}
	folder := path[:strings.LastIndexByte(path, '/')+1]
	return strings.TrimSuffix(folder, "/")
}

// minuteOf returns the minutes from 1970 to a time of the store, 0 for an earlier or malformed
// time.
func minuteOf(stored string) uint32 {
	t, err := time.Parse("2006-01-02T15:04", stored[:min(len(stored), timeBytes)])
	if err != nil || t.Unix() < 0 {
		return 0
	}
	return uint32(t.Unix() / 60)
}

// readTimes reads the times of the few memories that are superseded, forgotten or have a
// validity of their own. As in edges.Stands, a memory is true until its valid_to, else
// until the time from which its successor is true.
func (d *dots) readTimes(ctx context.Context, r *db.Reader, namespace string) error {
	now := db.Now()
	return db.Each(ctx, r, func(row *sql.Rows) error {
		var key int64
		var superseded, forgotten, from, to, successor string
		if err := row.Scan(&key, &superseded, &forgotten, &from, &to, &successor); err != nil {
			return err
		}
		i, ok := d.index.Place(key)
		if !ok {
			return nil
		}
		ended := superseded
		if ended == "" || forgotten != "" && forgotten < ended {
			ended = forgotten
		}
		until, over := cmp.Or(to, successor), 0
		if to != "" && to <= now {
			over = 1
		}
		d.spans = append(d.spans, [5]int{int(i), int(minuteOf(ended)), int(minuteOf(from)), int(minuteOf(until)), over})
		return nil
	}, selectSpans, namespace)
}

const selectSpans = `
select
  m.key,
  coalesce(s.created_at, ''),
  coalesce(m.forgotten_at, ''),
  coalesce(m.valid_from, ''),
  coalesce(m.valid_to, ''),
  coalesce(s.valid_from, n.valid_from, n.created_at, '')
from memories m
left join edges s on s.to_key = m.key and s.kind = 'supersedes'
left join memories n on n.key = s.from_key
where ?1 in ('', m.namespace)
  and (m.status <> 'current' or m.valid_from is not null or m.valid_to is not null)
order by m.key`

// readEdges reads the edges, except mentions.
func (d *dots) readEdges(ctx context.Context, r *db.Reader, namespace string) error {
	kinds := newKindCodes()
	packed, _, err := db.One[[]byte](ctx, r, selectAtlasEdges, namespace, kinds.text, db.Now())
	d.all.Spans = [][3]int{}
	for row := range db.Packed(packed).Rows(7) {
		from, hasFrom := d.index.Place(row[0])
		to, hasTo := d.index.Place(row[1])
		if !hasFrom || !hasTo {
			continue
		}
		e, kind := community.Edge{A: from, B: to}, kinds.indexes[row[2]]
		if row[6] == 0 {
			d.edges, d.types = append(d.edges, e), append(d.types, kind)
		}
		if row[4] > 0 || row[5] > 0 {
			d.all.Spans = append(d.all.Spans, [3]int{len(d.ends), int(max(0, row[4])), int(max(0, row[5]))})
		}
		d.ends, d.all.Type = append(d.ends, e), append(d.all.Type, kind)
		d.all.Stored = binary.LittleEndian.AppendUint32(d.all.Stored, uint32(max(0, row[3])))
	}
	return err
}

// kindCodes lets a query return a kind of edge as a number: its position in a text.
type kindCodes struct {
	text    string          // "|causes|supports|…|"
	indexes map[int64]uint8 // in edges.Kinds(), by the position in text, from 1
}

func newKindCodes() (k kindCodes) {
	k.indexes = map[int64]uint8{}
	for i, kind := range edges.Kinds() {
		k.indexes[int64(len(k.text)+1)] = uint8(i)
		k.text += "|" + string(kind)
	}
	k.text += "|"
	return k
}

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

var errOldAtlas = fault.New(fault.Conflict, "the store has changed since the atlas was requested; request the atlas again")

// atlasOfVersion returns the map of a version that the caller has. It fails with conflict if
// the map has changed since.
func (q reader) atlasOfVersion(ctx context.Context, scope, version string) (*cachedAtlas, error) {
	m, err := q.atlas(ctx, scope)
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
