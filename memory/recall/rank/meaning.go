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
)

// Nearest returns at most limit memories that pass the filter, those whose sections are nearest
// to a vector first. The signs of the vectors select a shortlist of sections, and exact
// distances rank these. If too few of the shortlist pass, it compares all sections that pass.
// But if the filter excludes hardly anything, it takes a longer shortlist: then the short one
// was full of superseded memories, or of many sections of few memories.
func Nearest(ctx context.Context, r *db.Reader, q *vectors.Question, f question.Filter, limit int) (found []*Candidate, err error) {
	bound, ranges := f.Bind(q.Vector, q.Model, limit), db.List(f.Scope.Ranges)
	for listed, more := shortlistSize, true; more; listed *= shortlistGrowth {
		found, err = db.Select(ctx, r, scanCandidate, selectNearest, append(bound, listed, ranges)...)
		if err != nil || len(found) >= limit {
			break
		}
		if !f.PassesAll() {
			found, err = db.Select(ctx, r, scanCandidate, selectNearestOfAll, bound...)
			break
		}
		if more, _, err = db.One[bool](ctx, r, `select exists (select 1 `+vectorsIn("?3", "?1", "?4")+` limit 1 offset ?2)`, q.Model, listed, ranges, q.Vector); err != nil {
			break
		}
	}
	for i, c := range found {
		c.VectorRank = i + 1
	}
	return found, err
}

// vectorsIn returns the SQL from clause for the vectors by the model in force, if that is the given one,
// of sections in ranges of keys, that can be compared with a vector. The arguments are SQL expressions.
func vectorsIn(ranges, model, vector string) string {
	return `
from embedders e
cross join ` + question.RangesIn(ranges) + ` keys on e.key = ` + model + ` and e.state = 'in force'
cross join vectors v on v.section between keys.first and keys.last and length(v.vector) = length(` + vector + `)`
}

var selectNearest = `
with listed as materialized (
  select
    v.section
` + vectorsIn("?13", "?10", "?1") + `
  order by signs_apart(v.vector, ?1), v.section
  limit ?12
),` + measuredTable + `
  from listed l
  cross join vectors v on v.section = l.section
  cross join sections s on s.key = v.section
  cross join memories m on m.key = s.memory
  where ` + question.Passes + `
)` + orderByDistance

var selectNearestOfAll = `
with` + measuredTable + `
  from memories m
  cross join sections s on s.memory = m.key
  cross join vectors v on v.section = s.key and length(v.vector) = length(?1)
  where exists (select 1 from embedders where key = ?10 and state = 'in force')
    and ` + question.Passes + `
)` + orderByDistance

// measuredTable is the beginning of the SQL for the sections with their exact distances.
var measuredTable = `
measured as materialized (
  select` + candidateOf("s.key", "vec_distance_cosine(vec_int8(v.vector), vec_int8(?1))", "true")

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
limit ?11`

// countNear counts the memories that pass the filter and have a vector, up to one more than
// alwaysCounted.
func countNear(ctx context.Context, r *db.Reader, f question.Filter, q *vectors.Question) (int, error) {
	n, _, err := db.One[int](ctx, r, `
select count(*)
from (
  select distinct m.key`+vectorsIn("?12", "?10", "?1")+`
cross join sections s on s.key = v.section
cross join memories m on m.key = s.memory
  where `+question.Passes+`
  limit ?11
)`, f.Bind(q.Vector, q.Model, alwaysCounted+1, db.List(f.Scope.Ranges))...)
	return n, err
}
