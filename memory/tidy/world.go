package tidy

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"strings"
	"time"

	"hence/edges"
	"hence/internal/db"
	"hence/internal/lists"
	"hence/internal/ref"
	"hence/memory/record"
	"hence/memory/statement"
)

const (
	maxExamined = 50_000 // memories that are examined in one call, those that changed last
	maxText     = 20_000 // characters of a text that are read
)

// world is the data of one namespace that the rules read.
type world struct {
	folder   string
	time     time.Time
	now      string            // the same, as db.Time writes it
	all      []*memo           // by id
	aside    []*memo           // of which only what agents ask about them is read, whatever their status and age
	rejected map[string]bool   // marks of rejected proposals
	refused  []map[string]bool // the ids of each rejected cluster
	counted  map[string]int    // see count
	fates    map[string]string // of files: see readFates

	edits   []twoEdits
	untaken []refusedEdge
}

// twoEdits are a memory, and the memory that keeps its losing text of a merge.
type twoEdits struct{ stands, gaveWay *memo }

// refusedEdge is an edge that a merge brought and the graph did not take.
type refusedEdge struct {
	id       string
	from, to *memo
	kind     edges.Kind
	rel      string
}

// memo is a memory as the rules read it. Content is the first maxText characters.
type memo struct {
	record.Memory
	whole   bool   // Content is all of it
	said    string // what title and text say together
	touched string // when it was last written, verified or opened
	project string // its tags project/…, joined
	stands  int64  // of a losing text of a merge: the memory that it is a text of

	edges   []tie
	asked   []wish
	beside  []tie // proposed edges from it, if one end is in world.aside
	resting int   // how many memories rest on it
	body    *text // see read
}

// note reports whether a file of a vault holds the memory.
func (m *memo) note() bool { return m.URI != "" }

// ofAgent reports whether a file that an agent keeps itself holds the memory.
func (m *memo) ofAgent() bool { return strings.HasPrefix(m.URI, ref.AgentsScheme+"://") }

// tie is an edge as one of its ends sees it.
type tie struct {
	other *memo
	kind  edges.Kind
	out   bool
	over  bool   // it no longer holds
	at    string // when it was made

	proposed edges.Kind // the kind that an agent proposed, "" for other edges: see edges.Proposed
}

// read returns a world for each namespace that the caller asks for (all, if it is ""), and
// how many memories were not examined.
func (t Tidier) read(ctx context.Context, r *db.Reader, namespace string) (worlds []*world, left int, err error) {
	at := time.Now()
	now := db.Time(at)
	total, _, err := db.One[int](ctx, r, `
select coalesce(sum(number), 0)
from memory_counts
where status = 'current'
  and ?1 in ('', namespace)
  and kind not in ('file', 'code', 'turn')`, namespace)
	if err != nil {
		return nil, 0, err
	}
	records, err := readRecords(ctx, r, selectRecords, namespace, maxText, maxExamined)
	if err != nil {
		return nil, 0, err
	}
	slices.SortFunc(records, byID)
	asked, err := readRecords(ctx, r, selectAsked, namespace, maxText)
	if err != nil {
		return nil, 0, err
	}
	fates := map[string]string{}
	if t.Caller.Folder != "" {
		if fates, err = readFates(ctx, r); err != nil {
			return nil, 0, err
		}
	}
	byKey, byName, aside := make(map[int64]*memo, len(records)), map[string]*world{}, map[*memo]bool{}
	for i, m := range slices.Concat(records, asked) {
		if byKey[m.Key] != nil {
			continue
		}
		byKey[m.Key] = m
		w := byName[m.Namespace]
		if w == nil {
			w = &world{folder: t.Caller.Folder, time: at, now: now, rejected: map[string]bool{}, fates: fates}
			byName[m.Namespace] = w
			worlds = append(worlds, w)
		}
		if i < len(records) {
			w.all = append(w.all, m)
		} else {
			w.aside, aside[m] = append(w.aside, m), true
		}
	}
	if err := readTies(ctx, r, byKey, aside, namespace, now); err != nil {
		return nil, 0, err
	}
	if err := readAsked(ctx, r, byKey); err != nil {
		return nil, 0, err
	}
	if err := readRejections(ctx, r, byKey, byName); err != nil {
		return nil, 0, err
	}
	for m := range aside {
		delete(byKey, m.Key)
	}
	return worlds, total - len(records), readMerged(ctx, r, byKey, byName, namespace)
}

// readMerged adds to each world what merges left to be settled, as far as its memories are
// examined.
func readMerged(ctx context.Context, r *db.Reader, byKey map[int64]*memo, byName map[string]*world, namespace string) error {
	texts, err := readRecords(ctx, r, selectRecord("e.memory")+`
from other_edits e
cross join memories m on m.key = e.text
left join opened o on o.memory = m.key
where ?1 in ('', m.namespace)
order by m.key`, namespace, maxText)
	if err != nil {
		return err
	}
	for _, text := range texts {
		if one := byKey[text.stands]; one != nil {
			w := byName[one.Namespace]
			w.edits = append(w.edits, twoEdits{one, text})
		}
	}
	return db.Each(ctx, r, func(row *sql.Rows) error {
		var from, to int64
		var u refusedEdge
		if err := row.Scan(&u.id, &from, &to, &u.kind, &u.rel); err != nil {
			return err
		}
		if u.from, u.to = byKey[from], byKey[to]; u.from != nil && u.to != nil {
			w := byName[u.from.Namespace]
			w.untaken = append(w.untaken, u)
		}
		return nil
	}, `
select
  u.id,
  f.key,
  t.key,
  u.line ->> '$.edge_type',
  coalesce(u.line ->> '$.rel', '')
from unsettled u
join memories f on f.id = u.from_id
join memories t on t.id = u.to_id
where u.why = 'cycle'
order by u.id`)
}

// selectRecords reads the current memories that the rules examine.
var selectRecords = selectRecord("0") + `
from memories m
left join opened o on o.memory = m.key
where m.status = 'current'
  and ?1 in ('', m.namespace)
  and m.kind not in ('file', 'code', 'turn')
order by m.updated_at desc, m.id
limit ?3`

// selectAsked reads the memories about which agents ask for something.
var selectAsked = selectRecord("0") + `
from memories m
left join opened o on o.memory = m.key
where ?1 in ('', m.namespace)
  and m.key in (
    select memory from asked
    union
    select e.from_key from edges e where ` + isProposed + `
    union
    select e.to_key from edges e where ` + isProposed + `
  )
order by m.id`

// isProposed is the SQL condition for a proposed edge e.
const isProposed = `e.kind = 'relates-to' and e.rel like '` + edges.Proposed + `%'`

// selectRecord returns the select clause of readRecords. stands is an SQL expression.
func selectRecord(stands string) string {
	return "select " + record.Select(read, "m") + `,
  m.key,
  substr(m.content, 1, ?2),
  length(m.content) <= ?2,
  max(m.updated_at, coalesce(m.verified_at, ''), coalesce(o.at, '')),
  ` + stands
}

// read are the columns that the rules read.
var read = record.Only(record.Memories, "id", "namespace", "kind", "title", "tags", "properties", "status", "importance", "pinned", "everywhere", "uri",
	"content_hash", "revision", "created_at", "valid_from", "valid_to")

// readRecords reads memories with their trust.
func readRecords(ctx context.Context, r *db.Reader, query string, args ...any) ([]*memo, error) {
	records, err := db.Select(ctx, r, func(row *sql.Rows) (*memo, error) {
		m := &memo{}
		err := record.Scan(row, read, &m.Memory, &m.Key, &m.Content, &m.whole, &m.touched, &m.stands)
		m.said = statement.Text(m.Title, m.Content)
		m.project = strings.Join(slices.DeleteFunc(slices.Clone(m.Tags), func(tag string) bool { return !strings.HasPrefix(tag, ref.ProjectPrefix) }), " ")
		return m, err
	}, query, args...)
	if err != nil {
		return nil, err
	}
	trust, err := ref.Trust(ctx, r, lists.Map(records, func(m *memo) int64 { return m.Key }))
	for _, m := range records {
		m.Trust = trust[m.Key]
	}
	return records, err
}

// readTies gives each memory its edges to others that are examined. Mentions are
// guesses and do not count.
func readTies(ctx context.Context, r *db.Reader, byKey map[int64]*memo, aside map[*memo]bool, namespace, now string) error {
	reasons, fromReason := edges.Reasons()
	return db.Each(ctx, r, func(row *sql.Rows) error {
		var from, to int64
		var kind edges.Kind
		var at, end, rel string
		if err := row.Scan(&from, &to, &kind, &at, &end, &rel); err != nil {
			return err
		}
		f, t := byKey[from], byKey[to]
		if f == nil || t == nil || f == t {
			return nil
		}
		over := end != "" && end <= now
		proposed, isProposed := strings.CutPrefix(rel, edges.Proposed)
		if isProposed = isProposed && kind == edges.RelatesTo; !isProposed {
			proposed = ""
		}
		if aside[f] || aside[t] {
			if isProposed {
				f.beside = append(f.beside, tie{t, kind, true, over, at, edges.Kind(proposed)})
			}
			return nil
		}
		f.edges = append(f.edges, tie{t, kind, true, over, at, edges.Kind(proposed)})
		t.edges = append(t.edges, tie{f, kind, false, over, at, edges.Kind(proposed)})
		switch {
		case over || !slices.Contains(reasons, kind):
		case slices.Contains(fromReason, kind):
			f.resting++
		default:
			t.resting++
		}
		return nil
	}, `
select
  e.from_key,
  e.to_key,
  e.kind,
  e.created_at,
  coalesce(e.valid_to, ''),
  iif(e.kind = 'relates-to', e.rel, '')
from edges e
join memories f on f.key = e.from_key
where (f.status = 'current' or `+isProposed+`)
  and ?1 in ('', f.namespace)
  and e.kind <> 'mentions'
order by e.id`, namespace)
}

// isOver reports whether a memory no longer holds.
func (w *world) isOver(m *memo) bool { return m.ValidTo != "" && m.ValidTo <= w.now }

// since returns the time at which a memory began to hold.
func (m *memo) since() string {
	return cmp.Or(m.ValidFrom, m.CreatedAt)
}

// isTied reports whether an edge joins two memories, other than the kinds given.
func (m *memo) isTied(other *memo, but ...edges.Kind) bool {
	return slices.ContainsFunc(m.edges, func(e tie) bool { return e.other == other && !slices.Contains(but, e.kind) })
}

func byID(a, b *memo) int { return strings.Compare(a.ID, b.ID) }

// count returns how many memories have each telling word. Notes do not count, nor do
// summaries, which repeat the words of others.
func (w *world) count() map[string]int {
	if w.counted == nil {
		w.counted = map[string]int{}
		for _, m := range w.all {
			if m.note() || m.Kind == "summary" {
				continue
			}
			for word := range m.read().words {
				w.counted[word]++
			}
		}
	}
	return w.counted
}
