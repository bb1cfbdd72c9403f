package briefing

import (
	"cmp"
	"context"
	"database/sql"

	"hence/internal/db"
	"hence/internal/ref"
)

// loaded is what the caller's client reads itself at its start, from files that agents keep: it is not
// told twice.
type loaded struct {
	keys       map[int64]bool
	superseded []Unsettled // the client reads them still
}

// readLoaded reads the memories of files that the caller's client loads, by its name, such as
// codex or codex-mcp-client.
func (b Briefer) readLoaded(ctx context.Context, r *db.Reader, a Args) (l loaded, err error) {
	client := a.Client
	if !b.Caller.IsPerson() {
		client = cmp.Or(client, b.Caller.Actor)
	}
	l.keys = map[int64]bool{}
	err = db.Each(ctx, r, func(row *sql.Rows) error {
		var key int64
		var successor sql.NullString
		u := Unsettled{Reason: "loaded"}
		err := row.Scan(&key, &u.ID, &u.Title, &u.Trust, &successor, &u.Other.Title, &u.Other.Trust)
		l.keys[key] = true
		if u.Other.ID = successor.String; successor.Valid {
			u.Named, u.Other = maskTitle(u.Named), maskTitle(u.Other)
			l.superseded = append(l.superseded, u)
		}
		return err
	}, `
select
  m.key,
  m.id,
  m.title,
  `+ref.TrustOf("m")+`,
  n.id,
  coalesce(n.title, ''),
  iif(n.key is null, '', `+ref.TrustOf("n")+`)
from mirrors v
cross join files f on f.mirror = v.key
cross join memories m on m.key = f.memory
left join edges e on e.to_key = m.key and e.kind = 'supersedes'
left join memories n on n.key = e.from_key
where v.form = 'agents'
  and ?1 in ('', v.namespace)
  and m.status <> 'forgotten'
  and exists (
    select 1
    from json_each(m.properties, '$.loaded_by') l
    where l.value <> ''
      and substr(?2 || '-', 1, length(l.value) + 1) = l.value || '-'
  )
order by m.updated_at desc, m.id`, b.Caller.Namespace, client)
	return l, err
}
