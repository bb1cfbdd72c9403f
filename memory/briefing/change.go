package briefing

import (
	"context"
	"database/sql"
	"math"

	"hence/internal/db"
)

// readChanges reads the changes since a time, or else since the last session, or else the
// memories that changed last. Imported conversations do not count. Neither do changes at the
// very time of the session, because they were stored together with it.
func (b Briefer) readChanges(ctx context.Context, r *db.Reader, a Args, since, lastSession string, k *material) (err error) {
	exclusive := since == ""
	k.changed = Changed{Since: since}
	if exclusive {
		k.changed.Since = lastSession
	}
	if k.changed.Since != "" {
		if err := b.countChanges(ctx, r, a, exclusive, &k.changed); err != nil {
			return err
		}
	}
	if k.changes.ranking, err = b.readRanked(ctx, r, a, k.loaded, selectChanged, maxChanged, k.changed.Since, exclusive); err != nil {
		return err
	}
	if k.changed.Since == "" {
		k.changes.omit(k.rules, k.decisions, k.claims) // without a time, do not repeat the other lists
	}
	k.changes.sort()
	k.changes.entries, err = k.changes.list(ctx, r, 0, math.MaxInt)
	return err
}

// selectChanged reads the last changed memories except notes that concern the caller. Among the 4,000 memories that
// changed last, notes included, it takes the first ?3.
var selectChanged = columns + `
from (
  select
    n.key
  from (
    select
      key,
      kind
    from memories indexed by memories_recent
    where status = 'current'
      and kind not in ('turn', 'code', 'file')
      and ?1 in ('', namespace)
      and (updated_at > ?6 or updated_at = ?6 and not ?7)
    order by updated_at desc
    limit 4000
  ) n
  cross join memories m on m.key = n.key
  where n.kind not in ('note', 'file', 'canvas', 'session')` + concerns + `
  limit ?3
) last
cross join memories m on m.key = last.key
where coalesce(m.valid_from, '') <= ?2
  and coalesce(m.valid_to, '~') > ?2
order by m.updated_at desc, m.id desc`

// countChanges counts the memories changed since c.Since by the kind of change, each once.
// With exclusive, it leaves out changes at exactly that time.
func (b Briefer) countChanges(ctx context.Context, r *db.Reader, a Args, exclusive bool, c *Changed) error {
	err := db.Each(ctx, r, func(row *sql.Rows) error { return row.Scan(&c.Notes, &c.Stored, &c.Edited) }, `
select
  count(*) filter (where m.kind = 'note'),
  count(*) filter (where m.kind not in ('note', 'file', 'canvas', 'code') and (m.created_at > ?2 or m.created_at = ?2 and not ?3)),
  count(*) filter (where m.kind not in ('note', 'file', 'canvas', 'code') and (m.created_at < ?2 or m.created_at = ?2 and ?3))
from memories m indexed by memories_recent
where m.status = 'current'
  and ?1 in ('', m.namespace)
  and m.kind <> 'turn'
  and not (m.kind = 'session' and m.origin = 'import')
  and (m.updated_at > ?2 or m.updated_at = ?2 and not ?3)`+concerns, b.Caller.Namespace, c.Since, exclusive, b.Caller.Own(), a.Others)
	if err != nil {
		return err
	}
	return db.Each(ctx, r, func(row *sql.Rows) error { return row.Scan(&c.Superseded, &c.Forgotten) }, `
select
  count(distinct m.key) filter (where m.status = 'superseded'),
  count(distinct m.key) filter (where m.status = 'forgotten')
from journal j
cross join memories m on m.id = j.id
where j.seq > coalesce((select b.seq from journal b where b.at < ?2 order by b.seq desc limit 1), 0)
  and j.action in ('supersede', 'forget')
  and j.thing = 'memory'
  and (j.at > ?2 or j.at = ?2 and not ?3)
  and ?1 in ('', m.namespace)
  and m.kind not in ('note', 'file', 'canvas', 'code', 'turn')`+concerns, b.Caller.Namespace, c.Since, exclusive, b.Caller.Own(), a.Others)
}
