package journal

import (
	"context"
	"database/sql"
	"maps"
	"reflect"
	"slices"

	"hence/edges"
	"hence/internal/args"
	"hence/internal/db"
	"hence/internal/ref"
	"hence/memory"
)

// DiffArgs name the earlier of the two states to compare.
type DiffArgs struct {
	Since string `json:"since" jsonschema:"time, date or 7d"`
}

// DiffResult is how the store differs from an earlier state. Memories and edges
// that came and went in between are left out. Purged memories have an empty title.
type DiffResult struct {
	Since    string      `json:"since"`
	Added    []ref.Named `json:"added"`
	Changed  []Revised   `json:"changed"`
	Purged   []ref.Named `json:"purged"`
	Linked   []EdgeNamed `json:"linked"`
	Unlinked []EdgeNamed `json:"unlinked"`
}

// Revised is a memory with other values than before.
type Revised struct {
	ref.Named
	Fields []Field `json:"fields"`
}

// Field is a value before and after.
type Field struct {
	Name   string `json:"name"`
	Before any    `json:"before"`
	After  any    `json:"after"`
}

// EdgeNamed is an edge with the titles of its ends.
type EdgeNamed struct {
	ID   string     `json:"id"`
	From string     `json:"from" jsonschema:"title"`
	Type edges.Kind `json:"type"`
	Rel  string     `json:"rel"`
	To   string     `json:"to"`

	FromTrust string `json:"from_trust,omitempty"` // see ref.Named
	ToTrust   string `json:"to_trust,omitempty"`
}

// Diff compares the store with its state at a time, by the journal. Edges of which
// only the weight or note changed are left out.
func (j Journal) Diff(ctx context.Context, a DiffArgs) (result DiffResult, err error) {
	if err := args.Check("diff", &a); err != nil {
		return result, err
	}
	if result.Since, err = db.ParseTime("since", a.Since); err != nil {
		return result, err
	}
	namespace := j.Caller.Namespace
	result.Added, result.Changed, result.Purged = []ref.Named{}, []Revised{}, []ref.Named{}
	err = j.DB.Read(ctx, func(r *db.Reader) error {
		if err := diffMemories(ctx, r, namespace, &result); err != nil {
			return err
		}
		if result.Linked, err = db.Select(ctx, r, scanEdgeNamed, selectLinked, namespace, result.Since); err != nil {
			return err
		}
		result.Unlinked, err = db.Select(ctx, r, scanEdgeNamed, selectUnlinked, namespace, result.Since)
		return err
	})
	return result, err
}

// changedMemory is a memory with its changes since the time.
type changedMemory struct {
	ref.Named
	stored, there bool            // stored since then; in the store now
	befores       []db.Properties // of its columns, the earliest first
	now           db.Properties
}

// diffMemories sorts the changed memories into added, changed and purged ones.
func diffMemories(ctx context.Context, r *db.Reader, namespace string, result *DiffResult) error {
	all, err := db.Select(ctx, r, func(row *sql.Rows) (t changedMemory, err error) {
		var befores, now string
		if err := db.Scan(row, &t.Named, &t.stored, &t.there, &befores, &now); err != nil {
			return t, err
		}
		if err := db.ReadColumn(t.ID, "values before", befores, &t.befores); err != nil {
			return t, err
		}
		return t, db.ReadColumn(t.ID, "values", now, &t.now)
	}, selectTouched, namespace, result.Since)
	if err != nil {
		return err
	}
	for _, t := range all {
		switch {
		case t.stored && (!t.there || t.now["status"] == memory.Forgotten): // came and went
		case t.stored:
			result.Added = append(result.Added, t.Named)
		case !t.there:
			result.Purged = append(result.Purged, t.Named)
		default:
			if fields := t.fields(); len(fields) > 0 {
				result.Changed = append(result.Changed, Revised{t.Named, fields})
			}
		}
	}
	return nil
}

var selectTouched = `
select
  j.id,
  coalesce(m.title, ''),
  max(j.action = 'store'),
  m.key is not null,
  (
    select json_group_array(json(b.before))
    from (
      select coalesce(k.before, '{}') as before
      from journal k
      where k.id = j.id
        and k.thing = 'memory'
        and k.at >= ?2
      order by k.seq
    ) b
  ),
  ` + currentValues + `
from journal j
left join memories m on m.id = j.id
where j.thing = 'memory'
  and j.at >= ?2
  and ?1 in ('', coalesce(m.namespace, (select p.namespace from purged p where p.id = j.id)))
group by j.id
order by min(j.seq)`

// fields returns the columns that differ, sorted by name.
func (t changedMemory) fields() []Field {
	then := map[string]any{}
	for _, before := range t.befores {
		for name, value := range before {
			if _, known := then[name]; !known && !slices.Contains(notColumns, name) {
				then[name] = value
			}
		}
	}
	fields := []Field{}
	for _, name := range slices.Sorted(maps.Keys(then)) {
		if !reflect.DeepEqual(then[name], t.now[name]) {
			fields = append(fields, Field{name, then[name], t.now[name]})
		}
	}
	return fields
}

var selectLinked = `
select
  e.id,
  f.title,
  e.kind,
  e.rel,
  t.title,
  ` + ref.TrustOf("f") + `,
  ` + ref.TrustOf("t") + `
from edges e
join memories f on f.key = e.from_key
join memories t on t.key = e.to_key
where ?1 in ('', f.namespace)
  and e.id in (select id from journal where at >= ?2 and thing = 'edge' and action = 'link')
  and e.id not in (
    select k.id
    from journal k
    where k.at >= ?2
      and k.action = 'unlink'
      and not exists (select 1 from journal p where p.id = k.id and p.seq < k.seq and p.at >= ?2 and p.action = 'link')
  )
  and not exists ( -- an end that came and went
    select 1
    from memories m
    join journal s on s.id = m.id
    where m.id in (f.id, t.id)
      and m.status = 'forgotten'
      and s.thing = 'memory'
      and s.action = 'store'
      and s.at >= ?2
  )
order by e.id`

var selectUnlinked = `
select
  j.id,
  coalesce(f.title, ''),
  j.before ->> '$.kind',
  j.before ->> '$.rel',
  coalesce(t.title, ''),
  iif(f.key is null, '', ` + ref.TrustOf("f") + `),
  iif(t.key is null, '', ` + ref.TrustOf("t") + `)
from journal j
left join memories f on f.id = j.before ->> '$.from'
left join memories t on t.id = j.before ->> '$.to'
where j.at >= ?2
  and j.action = 'unlink'
  and j.before is not null
  and ?1 in ('', f.namespace)
  and not exists (select 1 from edges e where e.id = j.id)
  and not exists (select 1 from journal k where k.id = j.id and k.at >= ?2 and k.action = 'link' and k.seq < j.seq)
order by j.seq`

var scanEdgeNamed = db.Fields(func(e *EdgeNamed) []any {
	return []any{&e.ID, &e.From, &e.Type, &e.Rel, &e.To, &e.FromTrust, &e.ToTrust}
})
