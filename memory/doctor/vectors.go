package doctor

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"fmt"
	"math"

	"hence/internal/db"
)

// wrongVector is a vector or its code, and what is wrong with it.
type wrongVector struct {
	embedder, section int64
	problem           string
}

// selectVectors lists vectors with their codes, then codes without a vector.
const selectVectors = `
select
  v.embedder,
  v.section,
  coalesce(e.dimensions, -1),
  s.key is not null,
  v.vector,
  c.code
from vectors v
left join embedders e on e.key = v.embedder
left join sections s on s.key = v.section
left join vector_codes c on c.embedder = v.embedder and c.section = v.section
union all
select
  c.embedder,
  c.section,
  0,
  true,
  null,
  c.code
from vector_codes c
where not exists (select 1 from vectors v where v.embedder = c.embedder and v.section = c.section)`

// wrongVectors compares every vector with its section, its embedder and its code.
func (d Doctor) wrongVectors(ctx context.Context) (wrong []wrongVector, err error) {
	err = db.Each(ctx, d.DB, func(row *sql.Rows) error {
		var w wrongVector
		var dimensions int
		var sectioned bool
		var vector, code sql.RawBytes
		if err := row.Scan(&w.embedder, &w.section, &dimensions, &sectioned, &vector, &code); err != nil {
			return err
		}
		const float = 4 // bytes
		switch {
		case dimensions < 0:
			w.problem = "is of an embedder that does not exist"
		case !sectioned:
			w.problem = "is of a section that does not exist"
		case vector == nil:
			w.problem = "is missing: only its code exists"
		case len(vector) != float*dimensions:
			w.problem = fmt.Sprintf("has %d bytes, and its embedder makes vectors of %d numbers", len(vector), dimensions)
		case !isDirection(vector):
			w.problem = "is not of length one"
		case !bytes.Equal(code, signs(vector)):
			w.problem = "has a code that differs from its numbers"
		default:
			return nil
		}
		wrong = append(wrong, w)
		return nil
	}, selectVectors)
	return wrong, err
}

// isDirection reports whether the length of a vector is one or zero.
func isDirection(vector []byte) bool {
	const near = 1e-3
	square := 0.0
	for i := 0; i+4 <= len(vector); i += 4 {
		x := float64(math.Float32frombits(binary.LittleEndian.Uint32(vector[i:])))
		square += x * x
	}
	return square == 0 || math.Abs(math.Sqrt(square)-1) < near
}

// signs returns the code of a vector: one bit for each number, set if it is above
// zero, the first number in the lowest bit.
func signs(vector []byte) []byte {
	numbers := len(vector) / 4
	code := make([]byte, (numbers+7)/8)
	for i := range numbers {
		if math.Float32frombits(binary.LittleEndian.Uint32(vector[4*i:])) > 0 {
			code[i/8] |= 1 << (i % 8)
		}
	}
	return code
}

// unwaiting are the sections that have no vector and do not wait for one.
const (
	unwaiting = `
from embedders e
cross join sections s
where s.key >= -1099511627776 -- not of source code
  and not exists (select 1 from vectors v where v.embedder = e.key and v.section = s.key)
  and not exists (select 1 from vectors_waiting w where w.section = s.key and w.embedder = e.key)`
	selectUnwaiting = `
select 'section ' || s.key || ' has no vector of ' || e.name || ', and does not wait for one'` + unwaiting + `
order by s.key
limit 100`
	insertWaiting = `
insert into vectors_waiting (section, embedder)
select s.key, e.key` + unwaiting
)

func examineVectors(ctx context.Context, d Doctor) (problems []string, err error) {
	wrong, err := d.wrongVectors(ctx)
	for _, w := range wrong {
		problems = append(problems, fmt.Sprintf("the vector of section %d by embedder %d %s", w.section, w.embedder, w.problem))
	}
	return problems, err
}

// fixVectors deletes wrong vectors. Their sections wait for new ones.
func fixVectors(ctx context.Context, d Doctor) error {
	wrong, err := d.wrongVectors(ctx)
	if err != nil {
		return err
	}
	keys := [][2]int64{}
	for _, w := range wrong {
		keys = append(keys, [2]int64{w.embedder, w.section})
	}
	const chosen = `
where (embedder, section) in (
  select
    value ->> 0,
    value ->> 1
  from json_each(?)
)`
	return d.write(ctx, db.S(`delete from vector_codes`+chosen, db.List(keys)), db.S(`delete from vectors`+chosen, db.List(keys)))
}

// keepVectors are the triggers that delete the vector of a changed text.
var keepVectors = []string{"memory_text_changed", "section_updated", "section_deleting"}
