package edges

import (
	"context"
	"database/sql"

	"hence/internal/args"
	"hence/internal/db"
)

// HistoryArgs ask for a memory's line of succession.
type HistoryArgs struct {
	ID string `json:"id" jsonschema:"id, path or title"`
}

// Version is one memory of a line of succession.
type Version struct {
	ID        string `json:"id"`
	Title     string `json:"title"`
	Status    string `json:"status"`
	CreatedAt string `json:"created_at"`
	Reason    string `json:"reason,omitempty"`
}

// Merged is a memory beside the line that was replaced by one of it too.
type Merged struct {
	ID     string `json:"id"`
	Title  string `json:"title"`
	Status string `json:"status"`
	Into   string `json:"into" jsonschema:"id in the chain"`
	Reason string `json:"reason,omitempty"`
}

// HistoryResult is a line of succession, oldest first.
type HistoryResult struct {
	Chain      []Version `json:"chain"`
	Current    End       `json:"current" jsonschema:"the newest of the line"`
	MergedFrom []Merged  `json:"merged_from,omitempty"`
}

// succession is one supersedes edge at a memory of the line.
type succession struct {
	old, new       int64
	oldEnd, newEnd Version
	reason         string
}

// History returns what a memory replaced, step by step, and what replaced it.
// Where one memory replaced several, the chain follows the one replaced
// first, and the others are in MergedFrom.
func (g Graph) History(ctx context.Context, a HistoryArgs) (result HistoryResult, err error) {
	if err := args.Check("history", &a); err != nil {
		return result, err
	}
	err = g.DB.Read(ctx, func(r *db.Reader) error {
		m, err := g.Caller.Find(ctx, r, a.ID)
		if err != nil {
			return err
		}
		created, _, err := db.One[string](ctx, r, `select created_at from memories where key = ?`, m.Key)
		if err != nil {
			return err
		}
		steps, err := successions(ctx, r, m.Key)
		if err != nil {
			return err
		}
		self := Version{ID: m.ID, Title: m.Title, Status: m.Status, CreatedAt: created}
		result = lineOf(m.Key, self, steps)
		return nil
	})
	return result, err
}

// successions returns the supersedes edges of the whole family: up to the
// newest successor, and from there down to everything replaced, the edges of
// one memory in the order in which they were made.
func successions(ctx context.Context, r *db.Reader, key int64) ([]succession, error) {
	return db.Select(ctx, r, func(row *sql.Rows) (s succession, err error) {
		err = row.Scan(
			&s.old, &s.oldEnd.ID, &s.oldEnd.Title, &s.oldEnd.Status, &s.oldEnd.CreatedAt,
			&s.new, &s.newEnd.ID, &s.newEnd.Title, &s.newEnd.Status, &s.newEnd.CreatedAt, &s.reason)
		return s, err
	}, `
with recursive up (key) as (
  select ?1
  union
  select e.from_key
  from up u
  join edges e on e.to_key = u.key and e.kind = 'supersedes'
),
family (key) as (
  select key from up
  union
  select e.to_key
  from family f
  join edges e on e.from_key = f.key and e.kind = 'supersedes'
)
select
  o.key,
  o.id,
  o.title,
  o.status,
  o.created_at,
  n.key,
  n.id,
  n.title,
  n.status,
  n.created_at,
  e.note
from family f
join edges e on e.from_key = f.key and e.kind = 'supersedes'
join memories o on o.key = e.to_key
join memories n on n.key = e.from_key
order by e.created_at, o.created_at, o.id`, key)
}

// lineOf puts the successions in a line through the memory: its successors
// after it, and before each memory the first that it replaced.
func lineOf(key int64, self Version, steps []succession) HistoryResult {
	after := map[int64]succession{}
	before := map[int64][]succession{}
	for _, s := range steps {
		after[s.old] = s
		before[s.new] = append(before[s.new], s)
	}
	newer := []Version{}
	inLine := map[int64]bool{key: true}
	for s, ok := after[key]; ok; s, ok = after[s.new] {
		s.newEnd.Reason = s.reason
		newer = append(newer, s.newEnd)
		inLine[s.new] = true
	}
	older := []Version{}
	for at := key; len(before[at]) > 0; {
		s := before[at][0]
		if len(older) == 0 {
			self.Reason = s.reason
		} else {
			older[0].Reason = s.reason
		}
		older = append([]Version{s.oldEnd}, older...)
		inLine[s.old] = true
		at = s.old
	}
	result := HistoryResult{Chain: append(append(older, self), newer...)}
	for _, s := range steps {
		if inLine[s.new] && !inLine[s.old] {
			result.MergedFrom = append(result.MergedFrom, Merged{
				ID: s.oldEnd.ID, Title: s.oldEnd.Title, Status: s.oldEnd.Status, Into: s.newEnd.ID, Reason: s.reason,
			})
		}
	}
	newest := result.Chain[len(result.Chain)-1]
	result.Current = End{ID: newest.ID, Title: newest.Title, Status: newest.Status}
	return result
}
