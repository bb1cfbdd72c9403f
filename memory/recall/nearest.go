package recall

import (
	"context"
	"database/sql"
	"encoding/binary"
	"math"

	"hence/internal/db"
)

const (
	shortlist  = 400 // sections that codes choose for the exact distance
	longer     = 8   // times as many, where few of them are left
	maxNearest = 50  // memories near in meaning that take part in a ranking
)

// nearest returns the memories that pass the filter and whose sections lie
// nearest to a vector, the nearest first. The signs of the vectors' numbers
// choose a shortlist among all sections, and the exact distances decide.
// Where few of the shortlist are left, all that pass are compared, or a longer
// list where nearly all may pass: its sections may be of few memories, or of
// superseded ones.
func nearest(ctx context.Context, r *db.Reader, q *question, f filter, limit int) ([]hit, error) {
	scan := func(row *sql.Rows) (h hit, err error) {
		h.passes = true
		err = row.Scan(&h.memory, &h.section, &h.id, &h.size, &h.score)
		return h, err
	}
	bound := f.bind(code(q.vector), q.model, blob(q.vector), limit)
	for listed := shortlist; ; listed *= longer {
		found, err := db.Select(ctx, r, scan, selectNearest, append(bound, listed)...)
		if err != nil || len(found) >= limit {
			return found, err
		}
		if !f.isOpen() {
			return db.Select(ctx, r, scan, selectNearestOfAll, bound...)
		}
		more, _, err := db.One[bool](ctx, r, `select exists (select 1 from vector_codes where embedder = ? limit 1 offset ?)`, q.model, listed)
		if err != nil || !more {
			return found, err
		}
	}
}

// isOpen reports whether nearly every memory passes the filter.
func (f filter) isOpen() bool {
	return f.namespace == "" && len(f.kinds) == 0 && len(f.tags) == 0 && len(f.paths) == 0 && len(f.properties) == 0 && f.asOf == "" && f.unwanted == ""
}

const selectNearest = `
with listed as materialized (
  select
    section
  from vector_codes
  where embedder = ?10
  order by vec_distance_hamming(vec_bit(code), vec_bit(?1)), section
  limit ?13
),
measured as materialized (
  select
    m.key as memory,
    s.key as section,
    m.id as id,
    octet_length(m.content) as size,
    vec_distance_cosine(v.vector, ?11) as distance
  from listed l
  cross join vectors v on v.embedder = ?10 and v.section = l.section
  cross join sections s on s.key = v.section
  cross join memories m on m.key = s.memory
  where ` + passes + `
)` + nearestFirst

const selectNearestOfAll = `
with measured as materialized (
  select
    m.key as memory,
    s.key as section,
    m.id as id,
    octet_length(m.content) as size,
    vec_distance_cosine(v.vector, ?11) as distance
  from memories m
  cross join sections s on s.memory = m.key
  cross join vectors v on v.embedder = ?10 and v.section = s.key
  where ?1 is not null
    and ` + passes + `
)` + nearestFirst

// nearestFirst leaves out what says nothing: a vector of zeros has no angle.
const nearestFirst = `
select
  memory,
  section,
  id,
  size,
  1 - min(distance)
from measured
where distance is not null
group by memory
order by min(distance), id
limit ?12`

// blob writes a vector as sqlite-vec reads it.
func blob(v []float32) []byte {
	raw := make([]byte, 0, 4*len(v))
	for _, x := range v {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(x))
	}
	return raw
}

func unblob(raw []byte) []float32 {
	v := make([]float32, len(raw)/4)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
	}
	return v
}

// code is what vec_quantize_binary makes of a vector, a bit for each number
// above zero. Unlike that function it takes any number of dimensions.
func code(v []float32) []byte {
	bits := make([]byte, (len(v)+7)/8)
	for i, x := range v {
		if x > 0 {
			bits[i/8] |= 1 << (i % 8)
		}
	}
	return bits
}
