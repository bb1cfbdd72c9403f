package db_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"hence/internal/db/dbtest"
)

// The trust of a memory is the lowest of its own source and of the strangers' texts that it is
// derived from or part of; a text that a person confirmed is derived from nothing. This agrees
// with a naive walk, also after a source was purged. For a person's text, an edge that somebody
// else declared later does not count.
func TestTrustIsTheNaiveWalk(t *testing.T) {
	dbtest.CheckTimes(t, 15)
	empties := dbtest.NewEmpties(t)
	ranks := map[string]int{"person": 6, "note": 5, "agent": 4, "code": 4, "import": 3, "tool": 2, "web": 1}
	rapid.Check(t, func(rt *rapid.T) {
		d, close := empties.Next(t)
		defer close()
		const memories = 7
		script, own, confirmed, isSaid, origins := "", [memories]int{}, [memories]bool{}, [memories]bool{}, [memories]string{}
		for n := range memories {
			origin := rapid.SampledFrom([]string{"person", "agent", "import", "vault", "code"}).Draw(rt, "origin")
			source := rapid.SampledFrom([]string{"", "", "person", "agent", "note", "code", "tool", "web", "import"}).Draw(rt, "source")
			said := source
			if said == "" {
				said = strings.Replace(origin, "vault", "note", 1)
			}
			own[n], isSaid[n], origins[n] = ranks[said], ranks[said] >= 5, origin
			if said == "person" && origin != "person" {
				own[n] = 5
			}
			if confirmed[n] = rapid.IntRange(0, 4).Draw(rt, "confirmed") == 0; confirmed[n] {
				own[n] = 6
			}
			script += fmt.Sprintf("insert into memories (key, id, title, content_hash, created_at, origin, source, confirmed) values (%d, 'm%d', 'M%d', 'h', '2026-01-01T00:00:00.000Z', '%s', nullif('%s', ''), iif(%t, 'h M%d', iif(%d %% 2, 'g M%d', null)));\n",
				n+1, n, n, origin, source, confirmed[n], n, n, n)
		}
		goes := [memories][]int{}
		for from := range memories {
			for to := range memories {
				kind := rapid.SampledFrom([]string{"", "", "", "derived-from", "part-of", "depends-on"}).Draw(rt, "kind")
				if kind == "" || from == to || kind == "depends-on" && from < to {
					continue
				}
				origin := rapid.SampledFrom([]string{"person", "agent", "import", "frontmatter"}).Draw(rt, "origin of the edge")
				isLater := rapid.Bool().Draw(rt, "later")
				script += fmt.Sprintf("insert into edges (from_key, to_key, kind, origin, created_at) values (%d, %d, '%s', '%s', iif(%t, '2026-01-02T00:00:00.000Z', '2026-01-01T00:00:00.000Z'));\n",
					from+1, to+1, kind, origin, isLater)
				byOthers := origin == "agent" || origin == "import" && origins[from] != "import"
				if kind != "depends-on" && !(isSaid[from] && byOthers && isLater) {
					goes[from] = append(goes[from], to)
				}
			}
		}
		dbtest.Script(t, d.Path(), script)
		naive := func(start int) int {
			least, seen := own[start], []int{}
			var walk func(at int)
			walk = func(at int) {
				if slices.Contains(seen, at) {
					return
				}
				seen = append(seen, at)
				if own[at] < 4 {
					least = min(least, own[at])
				}
				if confirmed[at] {
					return
				}
				for _, next := range goes[at] {
					walk(next)
				}
			}
			walk(start)
			return least
		}
		want, before := []string{}, [memories]int{}
		for n := range memories {
			before[n] = naive(n)
			want = append(want, fmt.Sprint("m", n, " ", before[n]))
		}
		const query = `select m.id || ' ' || t.rank from trusts t join memories m on m.key = t.memory order by m.id`
		if got := dbtest.Texts(t, d, query); !slices.Equal(got, want) {
			rt.Fatalf("%q, want %q\n%s", got, want, script)
		}
		gone := rapid.IntRange(0, memories-1).Draw(rt, "purged")
		dbtest.Script(t, d.Path(), fmt.Sprintf("delete from memories where key = %d", gone+1))
		for n := range memories { // none is trusted more than before
			if n == gone {
				continue
			}
			rank := dbtest.Count(t, d, fmt.Sprintf(`select rank from trusts where memory = %d`, n+1))
			if int(rank) > max(before[n], 3) && before[n] < 4 {
				rt.Errorf("m%d has rank %d after m%d was purged, and had %d\n%s", n, rank, gone, before[n], script)
			}
		}
	})
}
