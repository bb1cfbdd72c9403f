package question

import (
	"math"
	"testing"

	"hence/internal/db"
	"hence/internal/db/dbtest"
)

// storeCommonWords returns a store of 600 memories: every third has the word steady, every second
// of the first half the word early.
func storeCommonWords(t *testing.T) *db.DB {
	d := dbtest.New(t)
	dbtest.Script(t, d.Path(), `
insert into memories (key, title, content)
with recursive n (n) as (select 1 union all select n + 1 from n where n < 600)
select
  n,
  'memory',
  iif(n % 3, '', 'steady ') || iif(n <= 300 and n % 2, 'early', '')
from n`)
	return d
}

// A common word is counted in samples from all over the index, because it may be common at one
// time and rare at another.
func TestEstimateRows(t *testing.T) {
	d := storeCommonWords(t)
	for _, c := range []struct {
		name, text string
		counted    int
		at         sample
		want       int
	}{
		{"CommonEverywhere", `"steady"`, 10, sample{4, 30}, 200},
		{"CommonAtFirst", `"early"`, 10, sample{4, 30}, 150},
		{"AtLeastWhatWasCounted", `"early"`, 150, sample{1, 30}, 300}, // the only sample is where every second memory has it
		{"OfFewerThanTwiceTheSample", `"steady"`, 10, sample{4, 100}, 200},
		{"OfNothing", `"nowhere"`, 10, sample{4, 30}, 10},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := d.Read(t.Context(), func(r *db.Reader) error {
				p, err := ReadScope(t.Context(), r, Filter{}, nil)
				if err != nil {
					return err
				}
				got, err := p.estimateRows(t.Context(), r, c.text, c.counted, c.at)
				if math.Abs(float64(got-c.want)) > 5 {
					t.Errorf("about %d, want %d", got, c.want)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}

// The cached number of a frequent word is the counted one, until the index changes.
func TestFrequent_IsCountedAgainOnceTheIndexChanges(t *testing.T) {
	const steady = `"steady"`
	d, kept := storeCommonWords(t), &Frequent{}
	count := func() (rows int) {
		t.Helper()
		err := d.Read(t.Context(), func(r *db.Reader) error {
			p, err := ReadScope(t.Context(), r, Filter{}, kept)
			if err != nil {
				return err
			}
			counted, err := p.countRows(t.Context(), r, []string{steady}, maxCountedRows)
			rows = counted[steady]
			kept.keep(p.totals, steady, rows)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return rows
	}
	if got := count(); got != 200 {
		t.Fatalf("%d, want 200", got)
	}
	kept.rows[steady] = 7 // a number that no count returns
	if got := count(); got != 7 {
		t.Errorf("%d, want what is kept", got)
	}
	dbtest.Fill(t, d, db.S(`insert into memories (title, content) values ('one more', 'steady')`))
	if got := count(); got != 201 {
		t.Errorf("%d after another memory, want 201", got)
	}
}
