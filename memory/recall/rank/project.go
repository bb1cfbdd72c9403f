package rank

import (
	"cmp"
	"context"
	"database/sql"
	"math"
	"slices"

	"hence/edges"
	"hence/internal/db"
	"hence/internal/ref"
)

// PutProjectFirst moves memories of the caller's project before other memories that are equally
// good, and memories of other projects after them. Memories are equally good if the ratios of
// the best score to theirs are between the same powers of two. So hundreds of memories of
// the project that have one common word of the question do not hide the note that answers it.
// Otherwise the order stays. Nothing is filtered.
func PutProjectFirst(ctx context.Context, r *db.Reader, c ref.Caller, ranked []*Candidate) error {
	if c.Project == "" || len(ranked) == 0 {
		return nil
	}
	nearness := map[int64]int{}
	err := db.Each(ctx, r, func(row *sql.Rows) error {
		var key int64
		var text string
		if err := row.Scan(&key, &text); err != nil {
			return err
		}
		var tags []string
		err := db.ReadColumn("a memory", "tags", text, &tags)
		nearness[key] = c.Nearness(tags)
		return err
	}, `
select
  m.key,
  m.tags
from json_each(?) k
cross join memories m on m.key = k.value`, db.List(edges.Keys(ranked, func(one *Candidate) int64 { return one.Memory })))
	if err != nil {
		return err
	}
	best := 0.0
	for _, one := range ranked {
		best = max(best, one.Score)
	}
	group := func(one *Candidate) float64 {
		if one.Score <= 0 {
			return math.Inf(1)
		}
		return math.Floor(math.Log2(best / one.Score))
	}
	slices.SortStableFunc(ranked, func(a, b *Candidate) int {
		return cmp.Or(cmp.Compare(group(a), group(b)), cmp.Compare(nearness[a.Memory], nearness[b.Memory]))
	})
	for _, one := range ranked {
		one.OfProject = nearness[one.Memory] == ref.OfProject
	}
	return nil
}

// nearnessTo is the SQL expression for how near a memory m is to the project with the tag ?15,
// as ref.Caller.Nearness returns it: 0 is nearest.
const nearnessTo = `case
    when ?15 = '' then 0
    when exists (
      select 1
      from json_each(m.tags) has
      where lower(has.value) = lower(?15)
        or substr(lower(has.value), 1, length(?15) + 1) = lower(?15) || '/'
    ) then 0
    when exists (
      select 1
      from json_each(m.tags) has
      where lower(has.value) glob 'project/*'
    ) then 2
    else 1
  end`
