package explore

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"strings"
	"time"

	"hence/edges"
	"hence/edges/walk/community"
	"hence/internal/db"
)

const (
	fieldEnd  = "\x1f"
	rowEnd    = "\x1e"
	timeBytes = len("2026-11-20T08:15")
)

func (d *dots) readMemories(ctx context.Context, r *db.Reader, of, namespace string) error {
	total, _, err := db.One[int](ctx, r, `
select coalesce(sum(number), 0)
from memory_counts
where ?1 in ('', namespace)
  and (origin = 'code') = (?2 = 'code')`, namespace, of)
	if err != nil {
		return err
	}
	var numbers db.Packed
	var texts string
	err = db.Each(ctx, r, func(row *sql.Rows) error { return row.Scan(&numbers, &texts) }, selectDots, namespace, of, maxDots)
	if err != nil {
		return err
	}
	kinds, folders, tags := newNames(&d.kinds), newNames(&d.folders), newNames(&d.tags)
	for row := range numbers.Rows(2) {
		line, rest, _ := strings.Cut(texts, rowEnd)
		texts = rest
		at, line := line[:timeBytes], line[timeBytes:]
		kind, line, _ := strings.Cut(line, fieldEnd)
		uri, tag, _ := strings.Cut(line, fieldEnd)
		d.keys, d.status, d.stored = append(d.keys, row[0]), append(d.status, byte(row[1])), append(d.stored, minuteOf(at))
		d.kind, d.folder = append(d.kind, kinds(kind)), append(d.folder, folders(folderOf(uri)))
		own := []uint16{}
		for _, tag := range tagsOf(tag) {
			own = append(own, tags(tag))
		}
		d.tag = append(d.tag, own)
	}
	d.at, d.rest = db.IndexOf(d.keys), total-len(d.keys)
	return nil
}

// tagsOf reads a list of tags as the store has it, "" for none. Few have a sign that JSON
// escapes.
func tagsOf(list string) (tags []string) {
	if list == "" {
		return nil
	}
	if strings.Contains(list, `\`) || !strings.HasPrefix(list, `["`) {
		_ = json.Unmarshal([]byte(list), &tags) // the schema holds that it is one
		return tags
	}
	return strings.Split(list[len(`["`):len(list)-len(`"]`)], `","`)
}

// selectDots reads memories in one row: numbers of each, and texts of each. Texts hold
// no signs that end a field or a row; JSON escapes them.
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

// newNames returns a function that numbers names as they come. Those after the first
// maxFolder share the number of "".
func newNames(all *[]string) func(name string) uint16 {
	known := map[string]uint16{"": 0}
	*all = []string{""}
	return func(name string) uint16 {
		n, ok := known[name]
		if !ok && len(*all) < maxFolder {
			n = uint16(len(*all))
			name = strings.Clone(name) // of a long text
			known[name], *all = n, append(*all, name)
		}
		return n
	}
}

// folderOf returns the vault and the folder of a note: "vault/area/sub"; "" for other
// memories.
func folderOf(uri string) string {
	_, path, ok := strings.Cut(uri, "://")
	if !ok {
		return ""
	}
	path, _, _ = strings.Cut(path, "#")
	folder := path[:strings.LastIndexByte(path, '/')+1]
	return strings.TrimSuffix(folder, "/")
}

// minuteOf returns the minutes since 1970 of a time as the store has it, 0 for what is
// earlier or none.
func minuteOf(at string) uint32 {
	t, err := time.Parse("2006-01-02T15:04", at[:min(len(at), timeBytes)])
	if err != nil || t.Unix() < 0 {
		return 0
	}
	return uint32(t.Unix() / 60)
}

// readTimes reads when memories ended or held, of the few that say so: with a successor,
// forgotten, or of a validity of their own. As edges.Stands has it, a memory holds until
// its valid_to, else until its successor begins to hold.
func (d *dots) readTimes(ctx context.Context, r *db.Reader, namespace string) error {
	now := db.Now()
	return db.Each(ctx, r, func(row *sql.Rows) error {
		var key int64
		var superseded, forgotten, from, to, successor string
		if err := row.Scan(&key, &superseded, &forgotten, &from, &to, &successor); err != nil {
			return err
		}
		i, ok := d.at.Place(key)
		if !ok {
			return nil
		}
		known := superseded
		if known == "" || forgotten != "" && forgotten < known {
			known = forgotten
		}
		ends, over := cmp.Or(to, successor), 0
		if to != "" && to <= now {
			over = 1
		}
		d.spans = append(d.spans, [5]int{int(i), int(minuteOf(known)), int(minuteOf(from)), int(minuteOf(ends)), over})
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

// readEdges reads the edges that are not over by now.
func (d *dots) readEdges(ctx context.Context, r *db.Reader, namespace string) error {
	kinds := newKindPlaces()
	packed, _, err := db.One[[]byte](ctx, r, `
select pack(e.from_key, e.to_key, instr(?2, '|' || e.kind || '|'))
from edges e
where e.kind <> 'mentions'
  and e.key not in (select ended.key from edges ended where ended.valid_to <= ?3)
  and (?1 = '' or exists (select 1 from memories m where m.key = e.from_key and m.namespace = ?1))`,
		namespace, kinds.text, db.Now())
	if err != nil {
		return err
	}
	for row := range db.Packed(packed).Rows(3) {
		from, ok := d.at.Place(row[0])
		to, known := d.at.Place(row[1])
		if ok && known {
			d.edges, d.types = append(d.edges, community.Edge{A: from, B: to}), append(d.types, kinds.at[row[2]])
		}
	}
	return nil
}

// kindPlaces turn a kind of edge into a number within a query: its place in a text.
type kindPlaces struct {
	text string          // "|causes|supports|…|"
	at   map[int64]uint8 // an index of edges.Kinds(), by the place
}

func newKindPlaces() (k kindPlaces) {
	k.at = map[int64]uint8{}
	for n, kind := range edges.Kinds() {
		k.at[int64(len(k.text)+1)] = uint8(n)
		k.text += "|" + string(kind)
	}
	k.text += "|"
	return k
}
