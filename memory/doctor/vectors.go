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

// vectorProblem identifies a vector or its code, and describes its problem.
type vectorProblem struct {
	embedder, section int64
	problem           string
}

// findVectorProblems returns the vectors that do not match their section, embedder or code, and
// the codes without a vector.
func (d Doctor) findVectorProblems(ctx context.Context) (problems []vectorProblem, err error) {
	err = db.Each(ctx, d.DB, func(row *sql.Rows) error {
		var w vectorProblem
		var dimensions int
		var hasSection bool
		var vector, code sql.RawBytes
		if err := row.Scan(&w.embedder, &w.section, &dimensions, &hasSection, &vector, &code); err != nil {
			return err
		}
		const floatBytes = 4 // bytes
		switch {
		case dimensions < 0:
			w.problem = "belongs to an embedder that does not exist"
		case !hasSection:
			w.problem = "belongs to a section that does not exist"
		case vector == nil:
			w.problem = "is missing: only its code exists"
		case len(vector) != floatBytes*dimensions:
			w.problem = fmt.Sprintf("has %d bytes, and its embedder makes vectors of %d numbers", len(vector), dimensions)
		case !isNormalized(vector):
			w.problem = "is not of length one"
		case !bytes.Equal(code, signs(vector)):
			w.problem = "has a code that differs from its numbers"
		default:
			return nil
		}
		problems = append(problems, w)
		return nil
	}, sqlOf("vectors"))
	return problems, err
}

// isNormalized reports whether the length of a vector is one or zero.
func isNormalized(vector []byte) bool {
	const tolerance = 1e-3
	square := 0.0
	for i := 0; i+4 <= len(vector); i += 4 {
		x := float64(math.Float32frombits(binary.LittleEndian.Uint32(vector[i:])))
		square += x * x
	}
	return square == 0 || math.Abs(math.Sqrt(square)-1) < tolerance
}

// signs returns the code of a vector: one bit for each number, set if the number is above
// zero, with the first number in the lowest bit of the first byte.
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

// examineVectors lists the vectors of findVectorProblems.
func examineVectors(ctx context.Context, d Doctor) (problems []string, err error) {
	vectors, err := d.findVectorProblems(ctx)
	for _, w := range vectors {
		problems = append(problems, fmt.Sprintf("the vector of section %d by embedder %d %s", w.section, w.embedder, w.problem))
	}
	return problems, err
}

// fixVectors deletes wrong vectors, whose sections are then queued to get new ones.
func fixVectors(ctx context.Context, d Doctor) error {
	vectors, err := d.findVectorProblems(ctx)
	if err != nil {
		return err
	}
	keys := [][2]int64{}
	for _, w := range vectors {
		keys = append(keys, [2]int64{w.embedder, w.section})
	}
	const condition = `
where (embedder, section) in (
  select
    value ->> 0,
    value ->> 1
  from json_each(?)
)`
	return d.write(ctx, db.S(`delete from vector_codes`+condition, db.List(keys)), db.S(`delete from vectors`+condition, db.List(keys)))
}

// vectorTriggers names the triggers that delete the vector of a changed text.
var vectorTriggers = []string{"memory_text_changed", "section_updated", "section_deleting"}
