// Package sources says where the texts of a store came from: in counts, and everything
// that goes back to one place as a tree. It forgets what came from one place at once.
//
// How far a text is trusted is not stored. The view trusts of schema.sql derives it.
package sources

import (
	"context"
	"strings"

	"hence/internal/args"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/ref"
)

// Store is the memories of a file, as one caller may read and write them.
type Store ref.View

// Args say of which source to tell.
type Args struct {
	From  string `json:"from,omitempty" jsonschema:"a source, address, actor or session; none: counts of all"`
	Since string `json:"since,omitempty" jsonschema:"stored from then on: time, date or 7d"`
	Limit int    `json:"limit,omitempty" default:"100" min:"1" max:"1000" jsonschema:"memories in the tree"`
}

// Result counts the memories by their source, or lists what goes back to one.
type Result struct {
	Counts    []Count `json:"counts"`
	From      string  `json:"from,omitempty"`
	Came      int     `json:"came,omitempty"` // memories that came from there
	Tree      []Node  `json:"tree"`
	Truncated bool    `json:"truncated"`
	Next      string  `json:"next,omitempty"`
}

// Count is how many current memories came from one source. Behind are those among them that
// are less trusted for what they go back to; Confirmed are those that a person confirmed.
type Count struct {
	Source    string `json:"source"`
	Host      string `json:"host,omitempty"` // of the address, if there is one
	Memories  int    `json:"memories"`
	Behind    int    `json:"behind,omitempty"`
	Confirmed int    `json:"confirmed,omitempty"`
}

// Node is a memory that came from a source, or what goes back to it.
type Node struct {
	ref.Named
	Kind   string `json:"kind"`
	Status string `json:"status"`
	Source string `json:"source"`
	URL    string `json:"url,omitempty"`
	Actor  string `json:"actor"`
	Trust  string `json:"trust"` // of what it says: person, note, agent, import, tool or web
	At     string `json:"at"`
	Depth  int    `json:"depth"` // 0: it came from there itself
	Edge   string `json:"edge,omitempty"`
	Edited bool   `json:"edited,omitempty"` // the actor wrote its present text, and another its first one
	file   bool
	key    int64
}

// Tell counts what came from where. With From it lists what came from there, each with
// what rests on it or is part of it below. It fails with not_found for a place from
// which nothing came.
func (s Store) Tell(ctx context.Context, a Args) (result Result, err error) {
	if err := args.Check("trust", &a); err != nil {
		return result, err
	}
	result = Result{Counts: []Count{}, Tree: []Node{}}
	since, err := db.ParseTime("since", a.Since)
	if err != nil {
		return result, err
	}
	err = s.DB.Read(ctx, func(r *db.Reader) error {
		if a.From == "" {
			result.Counts, err = s.count(ctx, r, since)
			return err
		}
		from, err := s.parse(ctx, r, a.From)
		if err != nil {
			return err
		}
		roots, err := s.roots(ctx, r, from, since)
		if err != nil {
			return err
		}
		result.From, result.Came = from.String(), len(roots)
		all, err := s.tree(ctx, r, roots, a.Limit+1)
		result.Tree = append(result.Tree, all[:min(len(all), a.Limit)]...)
		if len(all) > a.Limit {
			result.Truncated, result.Next = true, "limit"
		}
		return err
	})
	return result, err
}

func (s Store) count(ctx context.Context, r *db.Reader, since string) ([]Count, error) {
	return db.Select(ctx, r, db.Fields(func(c *Count) []any {
		return []any{&c.Source, &c.Host, &c.Memories, &c.Behind, &c.Confirmed}
	}), `
select
  o.source,
  `+hostOf+` as host,
  count(*),
  count(*) filter (where o.rank > 3 and (select t.rank from trusts t where t.memory = m.key) < 4),
  count(*) filter (where m.confirmed = m.content_hash || ' ' || m.title)
from memories m
join own_trust o on o.memory = m.key
where m.status = 'current'
  and ?1 in ('', m.namespace)
  and m.created_at >= ?2
group by o.source, host
order by min(case o.source when 'person' then 1 when 'note' then 2 when 'agent' then 3 when 'code' then 4 when 'import' then 5 when 'tool' then 6 else 7 end),
  count(*) desc, host`, s.Caller.Namespace, since)
}

// hostOf is the host in the address of a memory m, in lower case; the whole of an address
// without one.
const hostOf = `case
    when m.source_url is null then ''
    when instr(m.source_url, '://') = 0 then m.source_url
    else lower(rtrim(substr(
      substr(m.source_url, instr(m.source_url, '://') + 3),
      1,
      instr(substr(replace(replace(m.source_url, '?', '/'), '#', '/'), instr(m.source_url, '://') + 3) || '/', '/') - 1
    ), '.'))
  end`

// place is where memories came from.
type place struct {
	kind  string // source, url, host, actor or session
	value string
	key   int64 // of a session
}

func (p place) String() string { return p.kind + " " + p.value }

// words begin the name of a place that says what it is. Of one that does not, they are
// tried in this order.
var words = []string{"source", "url", "session", "actor", "host"}

// parse says which place a name means: a source, an address, a session, an actor or a
// host, or the one that the name begins with (actor:ada).
func (s Store) parse(ctx context.Context, r *db.Reader, name string) (p place, err error) {
	name = strings.TrimSpace(name)
	for _, word := range words {
		if rest, ok := strings.CutPrefix(name, word+":"); ok && !strings.HasPrefix(rest, "//") {
			p, exists, err := s.find(ctx, r, word, strings.TrimSpace(rest))
			if err == nil && !exists {
				err = errNothing(name)
			}
			return p, err
		}
	}
	for _, word := range words {
		p, exists, err := s.find(ctx, r, word, name)
		if err != nil || exists {
			return p, err
		}
	}
	return p, errNothing(name)
}

func errNothing(name string) error {
	return fault.New(fault.NotFound, "trust: nothing came from %q; name a source (%s), an address, an actor or a session", name, strings.Join(ref.Sources(), ", "))
}

// find looks a place up. Its query asks the caller's namespace only.
func (s Store) find(ctx context.Context, r *db.Reader, kind, value string) (p place, ok bool, err error) {
	p = place{kind: kind, value: value}
	if kind == "host" {
		p.value = strings.ToLower(value)
	}
	query := map[string]string{
		"source":  `select 0 from own_trust o cross join memories m on m.key = o.memory where ?1 in ('', m.namespace) and o.source = ?2 limit 1`,
		"url":     `select 0 from memories m where ?1 in ('', m.namespace) and ` + atAddress + ` limit 1`,
		"host":    `select 0 from memories m where ?1 in ('', m.namespace) and m.source_url is not null and ` + hostOf + ` = ?2 limit 1`,
		"actor":   `select 0 from memories m where ?1 in ('', m.namespace) and (m.actor = ?2 or ` + isEdited + `) limit 1`,
		"session": `select m.key from memories m where ?1 in ('', m.namespace) and m.kind = 'session' and (m.id = ?2 or substr(m.id, -8) = lower(?2) or m.title = ?2 or m.properties ->> '$.session_id' = ?2) order by m.created_at, m.id limit 1`,
	}[kind]
	if value == "" {
		return p, false, nil
	}
	p.key, ok, err = db.One[int64](ctx, r, query, s.Caller.Namespace, p.value)
	return p, ok, err
}

// atAddress is the condition that a memory m came from the address ?2 or one below it.
const atAddress = `(
    m.source_url = ?2
    or substr(m.source_url, 1, length(?2)) = ?2
      and (substr(?2, -1) in ('/', '?', '#', '=') or substr(m.source_url, length(?2) + 1, 1) in ('/', '?', '#'))
  )`

// isEdited is the condition that the actor ?2 wrote the present text of a memory m, which
// another wrote first, as far as the journal of this store tells.
const isEdited = `(
    m.actor <> ?2
    and m.id in (select id from journal where actor = ?2 and action = 'update')
    and ?2 = (
      select j.actor
      from journal j
      where j.id = m.id
        and ` + ofText + `
      order by j.seq desc
      limit 1
    )
  )`

// ofText is the condition that a row j of the journal is a change of a text.
const ofText = `j.action = 'update'
        and (j.before ->> '$.title' is not null or j.before ->> '$.content' is not null)`

// roots returns the memories that came from a place and are not forgotten, the oldest
// first.
func (s Store) roots(ctx context.Context, r *db.Reader, p place, since string) ([]Node, error) {
	condition := map[string]string{
		"source": `o.source = ?2 and ?4 is not null`,
		"url":    atAddress + ` and ?4 is not null`,
		"host":   `m.source_url is not null and ` + hostOf + ` = ?2 and ?4 is not null`,
		"actor":  `(m.actor = ?2 or ` + isEdited + `) and ?4 is not null`,
		"session": `?2 is not null and (
    m.key = ?4
    or exists (select 1 from edges e where e.from_key = m.key and e.to_key = ?4 and e.kind = 'part-of')
  )`,
	}[p.kind]
	edited := "0"
	if p.kind == "actor" {
		edited = "m.actor <> ?2"
	}
	return db.Select(ctx, r, scanNode, nodeColumns+`
  0,
  '',
  `+edited+`
from memories m
join own_trust o on o.memory = m.key
where ?1 in ('', m.namespace)
  and m.status <> 'forgotten'
  and iif(`+edited+`, m.updated_at, m.created_at) >= ?3
  and `+condition+`
order by m.created_at, m.id`, s.Caller.Namespace, p.value, since, p.key)
}

const nodeColumns = `
select
  m.key,
  m.id,
  m.title,
  m.kind,
  m.status,
  o.source,
  coalesce(m.source_url, ''),
  m.actor,
  (select t.trust from trusts t where t.memory = m.key),
  m.created_at,
  exists (select 1 from files f where f.memory = m.key) or exists (select 1 from symbols y where y.memory = m.key),
`

var scanNode = db.Fields(func(n *Node) []any {
	return []any{&n.key, &n.Named, &n.Kind, &n.Status, &n.Source, &n.URL, &n.Actor, &n.Trust, &n.At, &n.file, &n.Depth, &n.Edge, &n.Edited}
})

// tree lists roots, each followed by what goes back to it, depth first, at most limit
// memories, each once.
func (s Store) tree(ctx context.Context, r *db.Reader, roots []Node, limit int) (all []Node, err error) {
	seen := map[int64]bool{}
	for _, root := range roots {
		seen[root.key] = true
	}
	var add func(n Node) error
	add = func(n Node) error {
		if len(all) >= limit {
			return nil
		}
		all = append(all, n)
		below, err := db.Select(ctx, r, scanNode, nodeColumns+`
  ?2,
  e.kind,
  0
from edges e
join memories m on m.key = e.from_key and m.status <> 'forgotten'
join own_trust o on o.memory = m.key
where e.to_key = ?1
  and e.kind in ('depends-on', 'derived-from', 'part-of')
  and e.origin <> 'code'
order by m.created_at, m.id, e.kind
limit ?3`, n.key, n.Depth+1, limit)
		if err != nil {
			return err
		}
		for _, one := range below {
			if seen[one.key] {
				continue
			}
			seen[one.key] = true
			if err := add(one); err != nil {
				return err
			}
		}
		return nil
	}
	for _, root := range roots {
		if err := add(root); err != nil || len(all) >= limit {
			return all, err
		}
	}
	return all, nil
}
