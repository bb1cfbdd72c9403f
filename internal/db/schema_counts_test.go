package db_test

import (
	"fmt"
	"slices"
	"testing"

	"hence/internal/db/dbtest"

	"pgregory.net/rapid"
)

// After any writes, the counts that triggers maintain are those of the rows, and changed_grounds
// has exactly the edges whose ground has changed.
func TestCountsAreWhatCountingFinds(t *testing.T) {
	dbtest.CheckTimes(t, 20)
	s := newShell(t)
	ids := []string{"a", "b", "c", "d"}
	rapid.Check(t, func(t *rapid.T) {
		s.do(t, `delete from memories; delete from journal;`)
		pick := func(name string, of []string) string { return rapid.SampledFrom(of).Draw(t, name) }
		for range rapid.IntRange(1, 25).Draw(t, "operations") {
			one, two := pick("one", ids), pick("two", ids)
			or := pick("or", []string{"", "or abort", "or ignore", "or fail", "or replace", "or rollback"})
			script := pick("operation", []string{
				fmt.Sprintf(`insert %s into memories (id, title, namespace, kind, origin) values ('%s', 'x', '%s', '%s', 'agent')`,
					or, one, pick("namespace", []string{"default", "other"}), pick("kind", []string{"fact", "note"})),
				fmt.Sprintf(`delete from memories where id = '%s'`, one),
				fmt.Sprintf(`update %s memories set kind = 'decision', namespace = 'other' where id = '%s'`, or, one),
				fmt.Sprintf(`update %s memories set content = content || '.' where id in ('%s', '%s')`, or, one, two),
				fmt.Sprintf(`update memories set content = '', content_hash = 'none' where id = '%s'`, one),
				fmt.Sprintf(`update memories set status = 'forgotten', forgotten_at = '2026-01-01T00:00:00.000Z' where id = '%s'`, one),
				fmt.Sprintf(`update edges set basis = (select content_hash from memories where key = to_key) where id like '%s-%%'`, one),
				fmt.Sprintf(`insert %s into edges (from_key, to_key, kind, basis) select f.key, t.key, 'derived-from', '%s' from memories f, memories t where f.id = '%s' and t.id = '%s'`,
					or, pick("basis", []string{"none", "other"}), one, two),
				edge(one, "depends-on", two),
				edge(one, "supersedes", two),
				`delete from edges where kind = 'supersedes'`,
				fmt.Sprintf(`delete from edges where from_key = (select key from memories where id = '%s')`, one),
			})
			_, _ = s.sql.Exec(script) // what the schema refuses does not happen
		}
		for _, same := range [][2]string{
			{
				`select namespace, status, kind, origin, number from memory_counts where number <> 0 order by 1, 2, 3, 4`,
				`select namespace, status, kind, origin, count(*) from memories group by 1, 2, 3, 4 order by 1, 2, 3, 4`,
			}, {
				`select namespace, kind, number from edge_counts where number <> 0 order by 1, 2`,
				`select m.namespace, e.kind, count(*) from edges e join memories m on m.key = e.from_key group by 1, 2 order by 1, 2`,
			}, {
				`select edge from changed_grounds order by 1`,
				`select e.key from edges e join memories m on m.key = e.to_key where e.kind in ('depends-on', 'derived-from') and e.basis <> m.content_hash order by 1`,
			},
		} {
			if got, want := s.rows(t, same[0]), s.rows(t, same[1]); !slices.Equal(got, want) {
				t.Fatalf("kept:\n%v\ncounted:\n%v", got, want)
			}
		}
	})
}
