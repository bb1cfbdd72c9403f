package ref_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/lineartest"
	"hence/internal/ref"
)

func trustOf(t *testing.T, d *db.DB, keys []int64) (trust map[int64]string) {
	t.Helper()
	if err := d.Read(t.Context(), func(r *db.Reader) (err error) {
		trust, err = ref.Trust(t.Context(), r, keys)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return trust
}

func TestTrustOfManyIsThatOfTheView(t *testing.T) {
	dbtest.CheckTimes(t, 15)
	empties := dbtest.NewEmpties(t)
	rapid.Check(t, func(rt *rapid.T) {
		d, close := empties.Next(t)
		defer close()
		const memories = 9
		sources := rapid.SampledFrom([][]string{{"agent"}, {"agent", "import"}, {"agent", "note", "import", "tool"}, {"person", "import", "tool", "web"}}).Draw(rt, "sources")
		script := ""
		for n := range memories {
			script += fmt.Sprintf("insert into memories (key, id, title, content_hash, origin, source, confirmed) values (%d, 'm%d', 'M', 'h', 'agent', '%s', iif(%t, 'h M', null));\n",
				n+1, n, rapid.SampledFrom(sources).Draw(rt, "source"), rapid.IntRange(0, 4).Draw(rt, "confirmed") == 0)
		}
		for from := range memories {
			for to := range memories {
				if kind := rapid.SampledFrom([]string{"", "", "", "derived-from", "part-of", "supports"}).Draw(rt, "kind"); kind != "" && from != to {
					script += fmt.Sprintf("insert into edges (from_key, to_key, kind) values (%d, %d, '%s');\n", from+1, to+1, kind)
				}
			}
		}
		dbtest.Script(t, d.Path(), script)
		keys := rapid.SliceOfN(rapid.Int64Range(1, memories+1), 0, memories).Draw(rt, "keys") // memories+1 is not a memory
		want := map[int64]string{}
		for _, key := range keys {
			if mark := dbtest.Texts(t, d, fmt.Sprintf("select mark from trusts where memory = %d and mark <> ''", key)); len(mark) == 1 {
				want[key] = mark[0]
			}
		}
		if got := trustOf(t, d, keys); !maps.Equal(got, want) {
			rt.Fatalf("%v, want %v\n%s", got, want, script)
		}
	})
}

// mesh returns a store of imported memories that are derived from one another in all
// directions. The source of the first is given.
func mesh(t *testing.T, size int, first string) *db.DB {
	d := dbtest.New(t)
	dbtest.Script(t, d.Path(), strings.NewReplacer("{n}", fmt.Sprint(size), "{first}", first).Replace(`
create table numbers as
with recursive numbers (n) as (
  select 1
  union all
  select n + 1
  from numbers
  where n < {n}
)
select n
from numbers;
insert into memories (key, id, title, content_hash, origin, source)
select n, 'm' || n, 'M', 'h', 'import', iif(n = 1, '{first}', 'import')
from numbers;
insert into edges (from_key, to_key, kind)
select n, n * 7919 % {n} + 1, 'derived-from'
from numbers
where n <> n * 7919 % {n} + 1;
insert into edges (from_key, to_key, kind)
select n, n * 104729 % {n} + 1, 'part-of'
from numbers
where n <> n * 104729 % {n} + 1;
drop table numbers;
`))
	return d
}

// The query must be fast, because every answer needs it.
func TestTheLeastTrustIsReadFromAnIndex(t *testing.T) {
	d := dbtest.New(t)
	plan := dbtest.Plan(t, d, "select "+ref.LeastRank)
	reads := slices.DeleteFunc(slices.Clone(plan), func(step string) bool { return !strings.Contains(step, "memories") })
	byIndex := slices.DeleteFunc(slices.Clone(reads), func(step string) bool { return !strings.Contains(step, "INDEX strangers") })
	if len(reads) != 1 || len(byIndex) != 1 {
		t.Errorf("%q", plan)
	}
}

func TestTrustOfManyTakesOneWalk(t *testing.T) {
	lineartest.Check(t, 16_000, func(size int) func() {
		d, keys := mesh(t, size, "web"), make([]int64, size)
		for i := range keys {
			keys[i] = int64(i + 1)
		}
		return func() {
			if marks := trustOf(t, d, keys); len(marks) != size || marks[1] != "web" {
				t.Errorf("%d of %d are marked", len(marks), size)
			}
		}
	})
}

func TestTheLeastTrustedIsNotWalkedFrom(t *testing.T) {
	lineartest.Check(t, 16_000, func(size int) func() {
		d := mesh(t, size, "import")
		return func() {
			if marked := dbtest.Count(t, d, "select count(*) from trusts where mark = 'import'"); int(marked) != size {
				t.Errorf("%d of %d are marked", marked, size)
			}
		}
	})
}
