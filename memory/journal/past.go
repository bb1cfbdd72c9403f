package journal

import (
	"context"
	"database/sql"
	"encoding/json"
	"slices"
	"strings"

	"hence/edges"
	"hence/internal/args"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/memory/record"
)

// PastArgs name a memory.
type PastArgs struct {
	ID    string `json:"id" jsonschema:"id, path or title"`
	Limit int    `json:"limit,omitempty" default:"30" min:"1" max:"200"`
}

// Past lists the changes of a memory, the latest first.
type Past struct {
	Steps     []Step `json:"steps"`
	Truncated bool   `json:"truncated"`
}

// Step is one change of a memory, or of an explicit edge that it has. Number counts the
// changes of this memory only, so that it tells nothing of others, unlike the number of a
// change.
type Step struct {
	At     string    `json:"at"`
	Actor  string    `json:"actor"`
	Action string    `json:"action"`
	Number int       `json:"number,omitempty" jsonschema:"of a change of the memory, from 1"`
	Fields []string  `json:"fields,omitempty" jsonschema:"that changed, of those that say something"`
	Edge   *PastEdge `json:"edge,omitempty"`
	Undone bool      `json:"undone,omitempty" jsonschema:"it was taken back"`
}

// PastEdge is an edge as the memory has it.
type PastEdge struct {
	Type  edges.Kind `json:"type"`
	Rel   string     `json:"rel"`
	Out   bool       `json:"out" jsonschema:"from the memory to the other"`
	Other ref.Named  `json:"other"`
}

// pastEdges is the most edges of a memory whose changes are read.
const pastEdges = 500

// ReadPast returns the changes of a memory and of its latest 500 explicit edges. It fails as
// Caller.Find does.
func (j Journal) ReadPast(ctx context.Context, a PastArgs) (past Past, err error) {
	if err := args.Check("past", &a); err != nil {
		return past, err
	}
	err = j.DB.Read(ctx, func(r *db.Reader) error {
		m, err := j.Caller.Find(ctx, r, a.ID)
		if err != nil {
			return err
		}
		past.Steps, err = db.Select(ctx, r, scanStep, selectPast, m.ID, m.Key, pastEdges, a.Limit+1)
		return err
	})
	if past.Truncated = len(past.Steps) > a.Limit; past.Truncated {
		past.Steps = past.Steps[:a.Limit]
	}
	return past, err
}

// Field is a value before and after.
type Field struct {
	Name   string `json:"name"`
	Before any    `json:"before"`
	After  any    `json:"after"`
}

// shown are the names of the columns whose changes the page tells.
var shown = record.Names(record.Where(record.Memories, "shown"))

func scanStep(row *sql.Rows) (s Step, err error) {
	var fields string
	var e PastEdge
	if err := row.Scan(&s.At, &s.Actor, &s.Action, &s.Number, &s.Undone, &fields, &e.Type, &e.Rel, &e.Out, &e.Other.ID, &e.Other.Title); err != nil {
		return s, err
	}
	if e.Type != "" {
		s.Edge = &e
	}
	if err := json.Unmarshal([]byte(fields), &s.Fields); err != nil {
		return s, err
	}
	s.Fields = slices.DeleteFunc(s.Fields, func(name string) bool { return !slices.Contains(shown, name) })
	return s, nil
}

// selectPast reads the changes of the memory ?1, whose key is ?2, and of its latest ?3 explicit edges.
const selectPast = `
select
  j.at,
  j.actor,
  j.action,
  iif(j.thing = 'memory', row_number() over (partition by j.thing order by j.seq), 0),
  j.undone_by is not null,
  iif(j.thing = 'memory', (select json_group_array(k.key) from json_each(coalesce(j.before, '{}')) k), '[]'),
  coalesce(e.kind, ''),
  coalesce(e.rel, ''),
  coalesce(e.from_key = ?2, 0),
  coalesce(o.id, ''),
  coalesce(o.title, '')
from (
  select ?1 as id, null as edge
  union all
  select * from (select id, key from edges where ?2 in (from_key, to_key) and declared = 'explicit' order by key desc limit ?3)
) t
cross join journal j on j.id = t.id and (j.thing = 'edge') = (t.edge is not null)
left join edges e on e.key = t.edge
left join memories o on o.key = iif(e.from_key = ?2, e.to_key, e.from_key)
order by j.seq desc
limit ?4`

// EditArgs name one change of a memory by its Step.Number.
type EditArgs struct {
	ID     string `json:"id" jsonschema:"id, path or title"`
	Number int    `json:"number" min:"1"`
}

// Edit is one change of a memory, with the fields that it changed.
type Edit struct {
	At     string  `json:"at"`
	Actor  string  `json:"actor"`
	Action string  `json:"action"`
	Fields []Field `json:"fields"` // in the order of their names
}

// Edit returns one change of a memory: the fields that changed, with the values before and
// after it. It fails with not_found if the memory has no change of that number, and as
// Caller.Find does. Values that a purge took are gone.
func (j Journal) Edit(ctx context.Context, a EditArgs) (edit Edit, err error) {
	if err := args.Check("edit", &a); err != nil {
		return edit, err
	}
	edit.Fields = []Field{}
	err = j.DB.Read(ctx, func(r *db.Reader) error {
		m, err := j.Caller.Find(ctx, r, a.ID)
		if err != nil {
			return err
		}
		err = db.Each(ctx, r, func(row *sql.Rows) error {
			var name, values string
			if err := row.Scan(&edit.At, &edit.Actor, &edit.Action, &name, &values); err != nil || name == "" || !slices.Contains(shown, name) {
				return err
			}
			var both db.Properties
			err := db.ReadColumn(m.ID, name, values, &both)
			edit.Fields = append(edit.Fields, Field{name, both["before"], both["after"]})
			return err
		}, selectEdit, m.ID, a.Number-1)
		if err == nil && edit.At == "" {
			err = fault.New(fault.NotFound, "edit: the memory %s has no change %d", ref.ShortID(m.ID), a.Number)
		}
		return err
	})
	return edit, err
}

// journaled are the columns of a memory whose old values the journal keeps and undo sets. Undo restores
// status and verified_at in other ways.
var journaled = record.Where(record.Memories, "journaled")

// currentValues is an SQL expression: the columns of the memory m that the journal keeps, in the form of
// a journal row's before.
var currentValues = func() string {
	parts := []string{}
	for _, c := range record.Where(record.Memories, "journaled", "logged") {
		value := "m." + c.Name
		if c.IsJSON {
			value = "json(" + value + ")"
		}
		parts = append(parts, "'"+c.Name+"', "+value)
	}
	return "json_object(" + strings.Join(parts, ", ") + ")"
}()

// selectEdit reads a change, a row for each field. The value of a field after the change is
// the old value of its next change, or else its present value.
var selectEdit = `
select
  c.at,
  c.actor,
  c.action,
  coalesce(k.key, ''),
  json_object(
    'before', c.before -> ('$.' || k.key),
    'after', coalesce(
      (
        select n.before -> ('$.' || k.key)
        from journal n
        where n.id = ?1
          and n.thing = 'memory'
          and n.seq > c.seq
          and json_type(n.before, '$.' || k.key) is not null
        order by n.seq
        limit 1
      ),
      (select ` + currentValues + ` -> ('$.' || k.key) from memories m where m.id = ?1)
    )
  )
from (
  select
    seq,
    at,
    actor,
    action,
    before
  from journal
  where id = ?1
    and thing = 'memory'
  order by seq
  limit 1 offset ?2
) c
left join json_each(c.before) k
order by k.key`
