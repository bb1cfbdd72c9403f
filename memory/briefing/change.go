package briefing

import (
	"context"
	"database/sql"
	"math"

	"hence/internal/db"
)

// change reads what was done since a time, else since the last session, else what
// changed last. Imported conversations do not count. A change in the moment of the session was stored with it.
func (b Briefer) change(ctx context.Context, r *db.Reader, since, lastSession string, k *known) (err error) {
	own := since == ""
	k.changed = Changed{Since: since}
	if own {
		k.changed.Since = lastSession
	}
	if k.changed.Since != "" {
		if err := b.countChanges(ctx, r, own, &k.changed); err != nil {
			return err
		}
	}
	if k.changes, err = b.readRanked(ctx, r, selectChanged, lately, k.changed.Since, own); err != nil {
		return err
	}
	if k.changed.Since == "" {
		k.changes.omit(k.ruled, k.held, k.claimed) // the other lists are for these
	}
	k.changes.sort()
	k.changed.Entries, err = k.changes.entries(ctx, r, 0, math.MaxInt)
	return err
}

// selectChanged reads the newest of the memories that changed last, which may be notes:
// 4,000 of them at most.
const selectChanged = columns + `
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
      and (updated_at > ?4 or updated_at = ?4 and not ?5)
    order by updated_at desc
    limit 4000
  ) n
  where n.kind not in ('note', 'file', 'canvas', 'session')
  limit ?3
) last
cross join memories m on m.key = last.key
where coalesce(m.valid_from, '') <= ?2
  and coalesce(m.valid_to, '~') > ?2
order by m.updated_at desc, m.id desc`

// countChanges counts the memories by what was done, each once. own: not those of the
// moment itself.
func (b Briefer) countChanges(ctx context.Context, r *db.Reader, own bool, c *Changed) error {
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
  and (m.updated_at > ?2 or m.updated_at = ?2 and not ?3)`, b.Caller.Namespace, c.Since, own)
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
  and m.kind not in ('note', 'file', 'canvas', 'code', 'turn')`, b.Caller.Namespace, c.Since, own)
}
