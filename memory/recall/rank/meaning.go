package rank

import (
	"context"

	"hence/internal/db"
	"hence/memory/recall/question"
	"hence/memory/recall/vectors"
)

const (
	shortlistSize   = 400 // sections whose exact distance is computed
	shortlistGrowth = 8   // factor for the next shortlist if too few of them pass
	maxNearest      = 50  // memories near in meaning in a hybrid search, whatever its limit
)

// Nearest returns at most limit memories that pass the filter, those whose sections are nearest
// to a vector first. The sign bits of the vectors select a shortlist of sections, and exact
// distances rank these. If too few of the shortlist pass, it compares all sections that pass.
// But if the filter excludes hardly anything, it takes a longer shortlist: then the short one
// was full of superseded memories, or of many sections of few memories.
func Nearest(ctx context.Context, r *db.Reader, q *vectors.Question, f question.Filter, limit int) (found []*Candidate, err error) {
	bound, ranges := f.Bind(vectors.Code(q.Vector), q.Model, vectors.Blob(q.Vector), limit), db.List(f.Scope.Ranges)
	for listed, more := shortlistSize, true; more; listed *= shortlistGrowth {
		found, err = db.Select(ctx, r, scanCandidate, selectNearest, append(bound, listed, ranges)...)
		if err != nil || len(found) >= limit {
			break
		}
		if !f.PassesAll() {
			found, err = db.Select(ctx, r, scanCandidate, selectNearestOfAll, bound...)
			break
		}
		if more, _, err = db.One[bool](ctx, r, `select exists (select 1 `+codesIn("?3", "?1")+` limit 1 offset ?2)`, q.Model, listed, ranges); err != nil {
			break
		}
	}
	for i, c := range found {
		c.VectorRank = i + 1
	}
	return found, err
}

// codesIn returns the SQL from clause for the vector codes of a model, of sections in ranges of
// keys. Both arguments are SQL expressions.
func codesIn(ranges, model string) string {
	return `
from ` + question.RangesIn(ranges) + ` keys
cross join vector_codes on embedder = ` + model + ` and section between keys.first and keys.last`
}

var selectNearest = `
with listed as materialized (
  select
    section
` + codesIn("?14", "?10") + `
  order by vec_distance_hamming(vec_bit(code), vec_bit(?1)), section
  limit ?13
),` + measuredTable + `
  from listed l
  cross join vectors v on v.embedder = ?10 and v.section = l.section
  cross join sections s on s.key = v.section
  cross join memories m on m.key = s.memory
  where ` + question.Passes + `
)` + orderByDistance

var selectNearestOfAll = `
with` + measuredTable + `
  from memories m
  cross join sections s on s.memory = m.key
  cross join vectors v on v.embedder = ?10 and v.section = s.key
  where ?1 is not null
    and ` + question.Passes + `
)` + orderByDistance

// measuredTable is the beginning of the SQL for the sections with their exact distances.
var measuredTable = `
measured as materialized (
  select` + candidateOf("s.key", "vec_distance_cosine(v.vector, ?11)", "true")

// orderByDistance is the SQL for the memories by the distance of their nearest section. It leaves
// out vectors of zeros, which have no angle.
const orderByDistance = `
select` + candidateNames + `,
  1 - min(score),
  passes
from measured
where score is not null
group by memory
order by max(last), min(score), id
limit ?12`

// countNear counts the memories that pass the filter and have a vector with an angle to a
// question, up to one more than alwaysCounted.
func countNear(ctx context.Context, r *db.Reader, a Asked) (int, error) {
	n, _, err := db.One[int](ctx, r, `
select count(*)
from (
  select distinct m.key
  from `+question.RangesIn("?12")+` keys
  cross join vectors v on v.embedder = ?10 and v.section between keys.first and keys.last
  cross join sections s on s.key = v.section
  cross join memories m on m.key = s.memory
  where vec_distance_cosine(v.vector, ?1) is not null
    and `+question.Passes+`
  limit ?11
)`, a.Filter.Bind(vectors.Blob(a.Vector.Vector), a.Vector.Model, alwaysCounted+1, db.List(a.Filter.Scope.Ranges))...)
	return n, err
}
