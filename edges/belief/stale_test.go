package belief

import (
	"testing"

	"hence/internal/db"
	"hence/internal/db/dbtest"
)

func BenchmarkStale(b *testing.B) {
	d := dbtest.New(b)
	dbtest.Script(b, d.Path(), `
insert into memories (title) select 'm' || value from (with recursive n(value) as (select 1 union all select value + 1 from n where value < 100000) select value from n);
insert into edges (from_key, to_key, kind) select value + 1, value, 'depends-on' from (with recursive n(value) as (select 1 union all select value + 1 from n where value < 100000 - 1) select value from n) where value % 10 <> 0;
insert into edges (from_key, to_key, kind) select value + 50000, value, 'supersedes' from (with recursive n(value) as (select 1 union all select value + 7 from n where value < 40000) select value from n);
`)
	b.ResetTimer()
	for i := range b.N {
		err := d.Read(b.Context(), func(r *db.Reader) error {
			_, err := Stale(b.Context(), r, []int64{int64(i%30000 + 9), int64(i%20000 + 12), int64(i%20000 + 22)})
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	b.StopTimer()
	b.Logf("%d", dbtest.Count(b, d, `select count(*) from stale`))
}
