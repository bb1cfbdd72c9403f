package db_test

import (
	"database/sql"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/internal/db"
	"hence/internal/db/dbtest"
)

func TestPack(t *testing.T) {
	d := dbtest.New(t)
	for name, c := range map[string]struct {
		query string
		want  [][]int64
	}{
		"Nothing":  {`select pack(1, 2) where false`, [][]int64{}},
		"Row":      {`select pack(1, 2)`, [][]int64{{1, 2}}},
		"Rows":     {`select pack(value, -value) from json_each('[7, 8, 9]')`, [][]int64{{7, -7}, {8, -8}, {9, -9}}},
		"Real":     {`select pack(2, 0.25)`, [][]int64{{2, int64(math.Float64bits(0.25))}}},
		"Extremes": {`select pack(9223372036854775807, -9223372036854775807 - 1)`, [][]int64{{math.MaxInt64, math.MinInt64}}},
	} {
		t.Run(name, func(t *testing.T) {
			got := [][]int64{}
			for row := range pack(t, d, c.query).Rows(2) {
				got = append(got, []int64{row[0], row[1]})
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPack_OfManyRows(t *testing.T) {
	const rows = 100_000
	d := dbtest.New(t)
	packed := pack(t, d, `
with recursive n (i) as (select 0 union all select i + 1 from n where i < 99999)
select pack(i, i * i, 7 - i) from n`)
	if packed.Len(3) != rows {
		t.Fatalf("%d rows", packed.Len(3))
	}
	i := int64(0)
	for row := range packed.Rows(3) {
		if row[0] != i || row[1] != i*i || row[2] != 7-i {
			t.Fatalf("row %d is %v", i, row)
		}
		i++
	}
}

func pack(t *testing.T, d *db.DB, query string) (packed db.Packed) {
	t.Helper()
	err := d.Read(t.Context(), func(r *db.Reader) error {
		return db.Each(t.Context(), r, func(row *sql.Rows) error { return row.Scan(&packed) }, query)
	})
	if err != nil {
		t.Fatal(err)
	}
	return packed
}

func TestNumberOf(t *testing.T) {
	d := dbtest.New(t)
	packed := pack(t, d, `
select pack(number_of(r, 0), number_of(r, 1), number_of(r, 2), number_of(r, 3), number_of(null, 0))
from (select x'05817f00' as r)`)
	for row := range packed.Rows(5) {
		if diff := cmp.Diff([]int64{5, 255, 0, 0, 0}, row); diff != "" {
			t.Errorf("numbers (-want +got):\n%s", diff)
		}
	}
	if packed.Len(5) != 1 {
		t.Errorf("%d rows", packed.Len(5))
	}
}
