package recall

import (
	"context"

	"hence/memory/recall/vectors"

	"hence/internal/db"
)

const (
	shortlist  = 400 // sections that codes choose for the exact distance
	longer     = 8   // times as many if few of them pass
	maxNearest = 50  // memories near in meaning that are ranked, whatever the limit of a hybrid search
)

// nearest returns the memories that pass the filter and whose sections are
// nearest to a vector, the nearest first. The signs of the vectors' numbers choose
// a shortlist of sections, and the exact distances decide. If too few of the
// shortlist pass, all sections that pass are compared, or a longer list if nearly
// every memory passes: then the shortlist is of few memories, or of superseded
// ones.
func nearest(ctx context.Context, r *db.Reader, q *vectors.Question, f filter, limit int) ([]hit, error) {
	bound, ranges := f.bind(vectors.Code(q.Vector), q.Model, vectors.Blob(q.Vector), limit), giveRanges(f.part.ranges)
	for listed := shortlist; ; listed *= longer {
		hits, err := db.Select(ctx, r, scanHit, selectNearest, append(bound, listed, ranges)...)
		if err != nil || len(hits) >= limit {
			return hits, err
		}
		if !f.passesAll() {
			return db.Select(ctx, r, scanHit, selectNearestOfAll, bound...)
		}
		more, _, err := db.One[bool](ctx, r, `select exists (select 1 `+codesIn("?3", "?1")+` limit 1 offset ?2)`, q.Model, listed, ranges)
		if err != nil || !more {
			return hits, err
		}
	}
}

// codesIn is the end of a query: the codes of the model in one argument, of sections in
// the ranges of another.
func codesIn(ranges, model string) string {
	return `
from given(` + ranges + `) keys
cross join vector_codes on embedder = ` + model + ` and section between keys.c1 and keys.c2`
}

var selectNearest = `
with listed as materialized (
  select
    section
` + codesIn("?14", "?10") + `
  order by vec_distance_hamming(vec_bit(code), vec_bit(?1)), section
  limit ?13
),` + measured + `
  from listed l
  cross join vectors v on v.embedder = ?10 and v.section = l.section
  cross join sections s on s.key = v.section
  cross join memories m on m.key = s.memory
  where ` + passes + `
)` + nearestFirst

var selectNearestOfAll = `
with` + measured + `
  from memories m
  cross join sections s on s.memory = m.key
  cross join vectors v on v.embedder = ?10 and v.section = s.key
  where ?1 is not null
    and ` + passes + `
)` + nearestFirst

// measured is the beginning of the table of sections with their exact distances.
const measured = `
measured as materialized (
  select
    m.key as memory,
    s.key as section,
    m.id as id,
    octet_length(m.content) as size,
    ` + asLast + ` as last,
    vec_distance_cosine(v.vector, ?11) as distance`

// nearestFirst leaves out vectors of zeros, which have no angle.
const nearestFirst = `
select
  memory,
  section,
  id,
  size,
  1 - min(distance),
  true
from measured
where distance is not null
group by memory
order by max(last), min(distance), id
limit ?12`

// rankByMeaning returns the memories whose sections are nearest to a question, and
// their cosine as their score. Every memory with a vector is more or less near, so that
// those are counted.
func rankByMeaning(ctx context.Context, r *db.Reader, q *vectors.Question, f filter, limit int) ([]*candidate, total, error) {
	near, err := nearest(ctx, r, q, f, limit)
	if err != nil {
		return nil, total{}, err
	}
	results := []*candidate{}
	for i, h := range near {
		results = append(results, &candidate{hit: h, vectorRank: i + 1})
	}
	if err := readTrust(ctx, r, results); err != nil {
		return nil, total{}, err
	}
	putStrangersBehind(results)
	if len(near) < limit {
		return results, total{len(near), true}, nil
	}
	n, _, err := db.One[int](ctx, r, countNear, f.bind(vectors.Blob(q.Vector), q.Model, counted+1, giveRanges(f.part.ranges))...)
	return results, total{min(n, counted), n <= counted}, err
}

// countNear counts up to ?11 memories that pass and have a vector with an angle to ?1.
var countNear = `
select count(*)
from (
  select distinct m.key
  from given(?12) keys
  cross join vectors v on v.embedder = ?10 and v.section between keys.c1 and keys.c2
  cross join sections s on s.key = v.section
  cross join memories m on m.key = s.memory
  where vec_distance_cosine(v.vector, ?1) is not null
    and ` + passes + `
  limit ?11
)`
