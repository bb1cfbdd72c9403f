package memory

import (
	"context"

	"hence/edges"
	"hence/edges/belief"
	"hence/internal/db"
)

// Doubtful returns the stale memories that changed last, at most limit. In a store with many
// suspects it examines only the latest ones, and among is their number; else among is 0.
func (s Store) Doubtful(ctx context.Context, limit int) (stale []Summary, among int, err error) {
	err = s.DB.Read(ctx, func(r *db.Reader) error {
		var keys []int64
		if keys, among, err = belief.Latest(ctx, r, s.Caller.Namespace, limit); err != nil {
			return err
		}
		memories, err := db.Select(ctx, r, scanMemory, selectMemory+`
where m.key in (select value from json_each(?2))
  and m.status = 'current'
  and ?1 in ('', m.namespace)
order by m.updated_at desc, m.id desc
limit ?3`, s.Caller.Namespace, db.List(keys), limit)
		if err != nil {
			return err
		}
		stale, err = summarise(ctx, r, memories, edges.Today())
		return err
	})
	return stale, among, err
}
