// Package sources reports where the texts of a store came from: it counts the memories of
// each source, and lists the memories of one place with everything that depends on them as
// a tree. It can forget all memories that came from one place at once.
//
// How far a text is trusted is not stored, but computed by the view trusts of schema.sql.
package sources

import (
	"context"
	"strings"

	"hence/internal/args"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/ref"
)

// Store is the view of a store that one caller may read and write.
type Store ref.View

// Args are the arguments of Tell.
type Args struct {
	From  string `json:"from,omitempty" jsonschema:"a source, address, actor or session; none: counts of all"`
	Since string `json:"since,omitempty" jsonschema:"stored from then on: time, date or 7d"`
	Limit int    `json:"limit,omitempty" default:"100" min:"1" max:"1000" jsonschema:"memories in the tree"`
}

// Result is the result of Tell: Counts without From, else the rest.
type Result struct {
	Counts    []Count `json:"counts"`
	From      string  `json:"from,omitempty"` // the place, such as "actor ada"
	Came      int     `json:"came,omitempty"` // how many memories came from there
	Tree      []Node  `json:"tree"`
	Truncated bool    `json:"truncated"`
	Next      string  `json:"next,omitempty"`
}

// Count is the number of current memories from one source and host. Behind counts those
// that are less trusted than their source, because of a memory that they depend on;
// Confirmed counts those that a person confirmed.
type Count struct {
	Source    string `json:"source"`
	Host      string `json:"host,omitempty"` // of the address, if there is one
	Memories  int    `json:"memories"`
	Behind    int    `json:"behind,omitempty"`
	Confirmed int    `json:"confirmed,omitempty"`
}

// Node is a memory that came from a place, or that depends on one that did.
type Node struct {
	ref.Named
	Kind   string `json:"kind"`
	Status string `json:"status"`
	Source string `json:"source"`
	URL    string `json:"url,omitempty"`
	Actor  string `json:"actor"`
	Trust  string `json:"trust"`            // how far its text is trusted: person, note, agent, import, tool or web
	At     string `json:"at"`               // when it was stored
	Depth  int    `json:"depth"`            // 0: it came from the place itself
	Edge   string `json:"edge,omitempty"`   // the kind of its edge to the node above
	Edited bool   `json:"edited,omitempty"` // the actor wrote its present text, but not its first one
	file   bool   // it is a file or symbol, which cannot be forgotten here
	key    int64
}

// Tell counts the memories of each source. With From it lists the memories that came from
// there, and below each of them those that depend on it or are part of it. It fails with
// not_found if nothing came from there.
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

// count returns the counts of the memories stored since a time, the most trusted sources
// first.
func (s Store) count(ctx context.Context, r *db.Reader, since string) ([]Count, error) {
	return db.Select(ctx, r, db.Fields(func(c *Count) []any {
		return []any{&c.Source, &c.Host, &c.Memories, &c.Behind, &c.Confirmed}
	}), `
select
  m.said_by,
  `+hostOf+` as host,
  count(*),
  count(*) filter (where m.own_rank > 3 and (select t.rank from trusts t where t.memory = m.key) < 4),
  count(*) filter (where m.confirmed = m.content_hash || ' ' || m.title)
from memories m
where m.status = 'current'
  and ?1 in ('', m.namespace)
  and m.created_at >= ?2
group by m.said_by, host
order by min(case m.said_by when 'person' then 1 when 'note' then 2 when 'agent' then 3 when 'code' then 4 when 'import' then 5 when 'tool' then 6 else 7 end),
  count(*) desc, host`, s.Caller.Namespace, since)
}

// hostOf is the SQL expression for the host in the address of a memory m, in lower case,
// or the whole address if it has none.
const hostOf = `case
    when m.source_url is null then ''
    when instr(m.source_url, '://') = 0 then m.source_url
    else lower(rtrim(substr(
      substr(m.source_url, instr(m.source_url, '://') + 3),
      1,
      instr(substr(replace(replace(m.source_url, '?', '/'), '#', '/'), instr(m.source_url, '://') + 3) || '/', '/') - 1
    ), '.'))
  end`

// place is a place from which memories came.
type place struct {
	kind  string // source, url, host, actor or session
	value string // such as the address
	key   int64  // of the session; else 0
}

func (p place) String() string { return p.kind + " " + p.value }

// placeKinds are the kinds of places, which may be prefixes of a place's name (actor:ada). For a
// name without a prefix they are tried in this order.
var placeKinds = []string{"source", "url", "session", "actor", "host"}

// parse returns the place with a name: of the kind that is the prefix of the name
// (actor:ada), or else of the first kind in placeKinds that has such a place. It fails with
// not_found if nothing came from there.
func (s Store) parse(ctx context.Context, r *db.Reader, name string) (p place, err error) {
	name = strings.TrimSpace(name)
	kinds, value := placeKinds, name
	for _, kind := range placeKinds {
		if rest, ok := strings.CutPrefix(name, kind+":"); ok && !strings.HasPrefix(rest, "//") {
			kinds, value = []string{kind}, strings.TrimSpace(rest)
		}
	}
	for _, kind := range kinds {
		if p, exists, err := s.find(ctx, r, kind, value); err != nil || exists {
			return p, err
		}
	}
	return p, fault.New(fault.NotFound, "trust: nothing came from %q; name a source (%s), an address, an actor or a session", name, strings.Join(ref.Sources(), ", "))
}

// find returns the place of a kind with a value, and whether a memory of the caller's
// namespace came from there.
func (s Store) find(ctx context.Context, r *db.Reader, kind, value string) (p place, ok bool, err error) {
	p = place{kind: kind, value: value}
	if kind == "host" {
		p.value = strings.ToLower(value)
	}
	query := `select 0 from memories m where ?1 in ('', m.namespace) and ` + cameFrom[kind] + ` limit 1`
	if kind == "session" {
		query = selectSession
	}
	if value == "" {
		return p, false, nil
	}
	p.key, ok, err = db.One[int64](ctx, r, query, s.Caller.Namespace, p.value)
	return p, ok, err
}

// selectSession reads the key of the session ?2; 0 if only files of agents name it.
const selectSession = `
select iif(m.kind = 'session', m.key, 0)
from memories m
where ?1 in ('', m.namespace)
  and (m.kind = 'session' and ?2 in (m.id, m.title, m.properties ->> '$.session_id') or m.kind = 'session' and substr(m.id, -8) = lower(?2)
    or ` + isNoted + `)
order by m.kind <> 'session', m.created_at, m.id
limit 1`

// isNoted is the SQL condition that the file of a memory m is an agent's and names the session ?2 that wrote it.
const isNoted = `m.uri glob 'agents://*'
    and ?2 in (m.properties ->> '$.originSessionId', m.properties ->> '$.metadata.originSessionId', m.properties ->> '$.thread_id')`

// cameFrom has, by the kind of a place, the SQL condition that a memory m came from the place ?2, or in the session with the key ?4.
var cameFrom = map[string]string{
	"source": `m.said_by = ?2`,
	"url":    atAddress,
	"host":   `m.source_url is not null and ` + hostOf + ` = ?2`,
	"actor":  `(m.actor = ?2 or ` + isEdited + `)`,
	"session": `?2 is not null and (
    m.key = ?4
    or ` + isNoted + `
    or exists (select 1 from edges e where e.from_key = m.key and e.to_key = ?4 and e.kind = 'part-of')
  )`,
}

// atAddress is the SQL condition that a memory m came from the address ?2 or one below it.
const atAddress = `(
    m.source_url = ?2
    or substr(m.source_url, 1, length(?2)) = ?2
      and (substr(?2, -1) in ('/', '?', '#', '=') or substr(m.source_url, length(?2) + 1, 1) in ('/', '?', '#'))
  )`

// isEdited is the SQL condition that the actor ?2 wrote the present text of a memory m whose
// first text another actor wrote, according to the journal of this store.
const isEdited = `(
    m.actor <> ?2
    and m.id in (select id from journal where actor = ?2 and action = 'update')
    and ?2 = (
      select j.actor
      from journal j
      where j.id = m.id
        and ` + isTextChange + `
      order by j.seq desc
      limit 1
    )
  )`

// isTextChange is the SQL condition that a row j of the journal is a change of a title or text.
const isTextChange = `j.action = 'update'
        and (j.before ->> '$.title' is not null or j.before ->> '$.content' is not null)`

// roots returns the memories that came from a place and are not forgotten, the oldest
// first.
func (s Store) roots(ctx context.Context, r *db.Reader, p place, since string) ([]Node, error) {
	edited := "0"
	if p.kind == "actor" {
		edited = "m.actor <> ?2"
	}
	return db.Select(ctx, r, scanNode, nodeColumns+`
  0,
  '',
  `+edited+`
from memories m
where ?1 in ('', m.namespace)
  and m.status <> 'forgotten'
  and iif(`+edited+`, m.updated_at, m.created_at) >= ?3
  and `+cameFrom[p.kind]+`
  and ?4 is not null
order by m.created_at, m.id`, s.Caller.Namespace, p.value, since, p.key)
}

// Came returns the ids of the memories that came from a place, see Args, without files of vaults and
// repositories and those that the actor only edited. It fails with not_found if nothing came from there.
func (s Store) Came(ctx context.Context, r *db.Reader, name string) (ids []string, err error) {
	from, err := s.parse(ctx, r, name)
	if err != nil {
		return nil, err
	}
	roots, err := s.roots(ctx, r, from, "")
	for _, n := range roots {
		if !n.file && !n.Edited {
			ids = append(ids, n.ID)
		}
	}
	return ids, err
}

// nodeColumns are the columns of scanNode except the last three, which each query adds.
const nodeColumns = `
select
  m.key,
  m.id,
  m.title,
  m.kind,
  m.status,
  m.said_by,
  coalesce(m.source_url, ''),
  m.actor,
  (select t.trust from trusts t where t.memory = m.key),
  m.created_at,
  ` + ref.IsOfFile + `,
`

var scanNode = db.Fields(func(n *Node) []any {
	return []any{&n.key, &n.Named, &n.Kind, &n.Status, &n.Source, &n.URL, &n.Actor, &n.Trust, &n.At, &n.file, &n.Depth, &n.Edge, &n.Edited}
})

// tree lists roots, each followed by the memories that depend on it or are part of it,
// depth first, each once, and at most limit of them.
func (s Store) tree(ctx context.Context, r *db.Reader, roots []Node, limit int) (nodes []Node, err error) {
	visited := map[int64]bool{}
	for _, root := range roots {
		visited[root.key] = true
	}
	var add func(n Node) error
	add = func(n Node) error {
		if len(nodes) >= limit {
			return nil
		}
		nodes = append(nodes, n)
		children, err := db.Select(ctx, r, scanNode, nodeColumns+`
  ?2,
  e.kind,
  0
from edges e
join memories m on m.key = e.from_key and m.status <> 'forgotten'
where e.to_key = ?1
  and e.kind in ('depends-on', 'derived-from', 'part-of')
  and e.origin <> 'code'
order by m.created_at, m.id, e.kind
limit ?3`, n.key, n.Depth+1, limit)
		if err != nil {
			return err
		}
		for _, child := range children {
			if visited[child.key] {
				continue
			}
			visited[child.key] = true
			if err := add(child); err != nil {
				return err
			}
		}
		return nil
	}
	for _, root := range roots {
		if err := add(root); err != nil || len(nodes) >= limit {
			return nodes, err
		}
	}
	return nodes, nil
}
