package lines

import (
	"cmp"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"hence/edges"
	"hence/internal/db"
	"hence/memory/review"
)

// Removed is the line of an edge that was unlinked or a memory that was purged.
type Removed struct {
	Type      string `json:"type"`
	ID        string `json:"id"`
	From      string `json:"from,omitempty"`
	To        string `json:"to,omitempty"`
	Kind      string `json:"edge_type,omitempty"`
	Rel       string `json:"rel,omitempty"`
	At        string `json:"at"`
	Namespace string `json:"namespace,omitempty"` // "" is default
	FromURI   string `json:"from_uri,omitempty"`  // if the end is a note or code
	ToURI     string `json:"to_uri,omitempty"`
}

// Waiting is the line of a call that waits for a person. It has a type of its own, so that no program takes it for
// a memory. A merge, a sync and a team's folder leave it out.
type Waiting struct {
	Type   string `json:"type"`
	Status string `json:"status"`
	review.Call
}

// fillWaiting checks a line of a call that waits. In a given namespace, the call is carried out there.
func (r Reader) fillWaiting(l *Waiting) error {
	if r.Namespace != "" {
		l.Namespace, l.By.Namespace, l.By.Confined = r.Namespace, r.Namespace, true
	}
	if l.Status != review.Pending {
		return fmt.Errorf("its status is %q, and that of a call is %s", l.Status, review.Pending)
	}
	if why := l.Check(); why != "" {
		return errors.New(why)
	}
	return cmp.Or(checkID("id", l.ID), CheckText("actor", l.Actor, 0), CheckText("namespace", l.Namespace, MaxNamespace), checkTime("at", &l.At))
}

// SelectRemoved reads the unlinked edges, then the purged memories, of the namespace ?1, or
// of all for "".
const SelectRemoved = "select" + UnlinkedFields + unlinkedFrom + "\nunion all\nselect" + purgedFields + purgedFrom + `
order by 1 desc, 3, 4, 5, 6, 2`

const UnlinkedFields = `
  'unlinked',
  u.id,
  u.from_id,
  u.to_id,
  u.kind,
  u.rel,
  u.at,
  iif(u.namespace = 'default', '', u.namespace),
  coalesce((select uri from memories where id = u.from_id), ''),
  coalesce((select uri from memories where id = u.to_id), '')`

const unlinkedFrom = `
from unlinked u
where ?1 in ('', u.namespace)`

const purgedFields = `
  'purged',
  id,
  '',
  '',
  '',
  '',
  at,
  iif(namespace = 'default', '', namespace),
  '',
  ''`

const purgedFrom = `
from purged
where ?1 in ('', namespace)`

var ScanRemoved = db.Fields(func(l *Removed) []any {
	return []any{&l.Type, &l.ID, &l.From, &l.To, &l.Kind, &l.Rel, &l.At, &l.Namespace, &l.FromURI, &l.ToURI}
})

// InNamespace returns the namespace of the removed edge or memory.
func (l Removed) InNamespace() string {
	return cmp.Or(l.Namespace, "default")
}

// FillRemoved checks a line about a removal, sets its namespace, and turns an inverse edge
// type around.
func (r Reader) FillRemoved(l *Removed) error {
	if r.Namespace != "" {
		l.Namespace = r.Namespace
	}
	err := checkID("id", l.ID)
	if l.Type == TypeUnlinked {
		kind, backward, typeErr := edges.Parse(l.Kind)
		if typeErr != nil {
			return typeErr
		}
		if l.Kind = string(kind); backward {
			l.From, l.To, l.FromURI, l.ToURI = l.To, l.From, l.ToURI, l.FromURI
		}
		err = cmp.Or(err, checkID("from", l.From), checkID("to", l.To))
	}
	return cmp.Or(err, CheckText("a line of type "+l.Type, l.Rel+l.FromURI+l.ToURI, 0), CheckText("namespace", l.Namespace, MaxNamespace),
		checkTime("at", &l.At))
}

// InsertRemoved returns the statement that remembers a removal, unless the store has the
// memory or edge, or a later unlinking.
func InsertRemoved(l *Removed) db.Stmt {
	if l.Type == TypePurged {
		return db.S(`
insert into purged (id, namespace, at)
select ?1, ?2, ?3
where not exists (select 1 from memories where id = ?1)
on conflict do nothing`, l.ID, l.InNamespace(), l.At)
	}
	return db.S(`
insert into unlinked (from_id, to_id, kind, rel, id, namespace, at)
select ?1, ?2, ?3, ?4, ?5, ?6, ?7
where not exists (
  select 1
  from edges e
  where e.from_key = (select key from memories where id = ?1)
    and e.to_key = (select key from memories where id = ?2)
    and e.kind = +?3
    and e.rel = ?4
    and e.declared = 'explicit'
)
on conflict (from_id, to_id, kind, rel) do update set id = excluded.id, at = excluded.at where (excluded.at, id) > (at, excluded.id)`, l.From, l.To, l.Kind, l.Place().Rel, l.ID, l.InNamespace(), l.At)
}

const UnsettledFields = `
  line,
  why`

// UnsettledFrom reads the lines of the edges that are not in the graph.
const UnsettledFrom = `
from unsettled
where ?1 in ('', namespace)`

func ScanUnsettled(row *sql.Rows) (e Edge, err error) {
	var line string
	if err := row.Scan(&line, &e.Unsettled); err != nil {
		return e, err
	}
	reason := e.Unsettled
	err = json.Unmarshal([]byte(line), &e)
	e.Unsettled = reason
	return e, err
}

// InsertUnsettled returns the statement that keeps an edge outside the graph. If namespace
// is "", the edge gets the namespace of its ends.
func InsertUnsettled(e *Edge, namespace string) db.Stmt {
	line := *e
	line.Unsettled = ""
	return db.S(`
insert or replace into unsettled (id, namespace, from_id, to_id, why, line)
select
  ?1,
  coalesce(
    nullif(?2, ''),
    (select namespace from memories where id = ?3),
    (select namespace from memories where id = ?4),
    'default'
  ),
  ?3,
  ?4,
  ?5,
  ?6`, e.ID, namespace, e.From, e.To, e.Unsettled, db.List(line))
}
