package belief

import (
	"fmt"
	"slices"
	"testing"

	"hence/internal/db"
	"hence/internal/db/dbtest"
)

// In a store with many suspects, Latest finds the stale memories that changed last, and returns
// how many memories it examined.
func TestLatest(t *testing.T) {
	d := dbtest.New(t)
	// The memories 1 to 2,100 are superseded, and 2,101 to 7,000 change one after the
	// other. Each thousandth of these rests on a superseded one.
	dbtest.Script(t, d.Path(), `
with recursive n (i) as (select 1 union all select i + 1 from n where i < 7000)
insert into memories (title, namespace, status, updated_at)
select 'm' || i, 'default', iif(i <= 2100, 'superseded', 'current'), strftime('%Y-%m-%dT%H:%M:%fZ', 1.7e9 + i, 'unixepoch')
from n;
insert into edges (from_key, to_key, kind) select key, key - 2500, 'depends-on' from memories where key > 2100 and key % 1000 = 0;
`)
	for _, c := range []struct {
		limit     int
		namespace string
		among     int
		newest    []int64 // of the found ones; others may be among them
	}{
		{1, "", 0, []int64{4000}},
		{10, "", maxExamined, []int64{4000}},
		{10, "default", maxExamined, []int64{4000}},
		{10, "elsewhere", 0, []int64{}},
	} {
		t.Run(fmt.Sprint(c.limit, c.namespace), func(t *testing.T) {
			err := d.Read(t.Context(), func(r *db.Reader) error {
				keys, among, err := Latest(t.Context(), r, c.namespace, c.limit)
				slices.Sort(keys)
				if !slices.Equal(keys, c.newest) || among != c.among {
					t.Errorf("found %v among %d; want %v among %d", keys, among, c.newest, c.among)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}
