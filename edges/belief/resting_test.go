package belief_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hence/edges/belief"
	"hence/internal/db"
	"hence/internal/db/dbtest"
)

// RestingOn returns the same memories as a naive search along depends-on and derived-from, each
// once, the nearest first, with a route of existing edges.
func TestRestingOnIsTheNaiveSearch(t *testing.T) {
	dbtest.CheckTimes(t, 20)
	empties := dbtest.NewEmpties(t)
	rapid.Check(t, func(rt *rapid.T) {
		d, close := empties.Next(t)
		defer close()
		const memories = 8
		script := ""
		for n := range memories {
			status := ""
			if rapid.IntRange(0, 7).Draw(rt, "forgotten") == 0 {
				status = ", status = 'forgotten', forgotten_at = '2026-01-01T00:00:00.000Z'"
			}
			script += fmt.Sprintf("insert into memories (key, id, title) values (%d, 'm%d', 'M%d'); update memories set title = title%s where key = %d;\n", n+1, n, n, status, n+1)
		}
		rests := map[string][]string{}
		for from := range memories {
			for to := range from { // no cycles
				kind := rapid.SampledFrom([]string{"", "", "", "depends-on", "derived-from", "causes"}).Draw(rt, "kind")
				if kind == "" {
					continue
				}
				script += fmt.Sprintf("insert into edges (from_key, to_key, kind) values (%d, %d, '%s');\n", from+1, to+1, kind)
				if kind != "causes" {
					rests[fmt.Sprint("m", to)] = append(rests[fmt.Sprint("m", to)], fmt.Sprint("m", from))
				}
			}
		}
		dbtest.Script(t, d.Path(), script)
		current := dbtest.Texts(t, d, `select id from memories where status = 'current'`)
		starts := []string{"m0", "m3"}
		level, seen, want := starts, map[string]bool{"m0": true, "m3": true}, []string{}
		for len(level) > 0 {
			next := []string{}
			for _, id := range level {
				for _, above := range rests[id] {
					if !seen[above] && slices.Contains(current, above) {
						seen[above] = true
						next = append(next, above)
					}
				}
			}
			slices.Sort(next)
			want, level = append(want, next...), next
		}
		err := d.Read(t.Context(), func(r *db.Reader) error {
			all, count, err := belief.RestingOn(t.Context(), r, starts, 3)
			if err != nil {
				return err
			}
			got := []string{}
			for _, m := range all {
				got = append(got, m.ID)
				for i := 0; i+1 < len(m.Route); i++ {
					if !slices.Contains(rests[m.Route[i+1]], m.Route[i]) {
						rt.Errorf("%v is not a route", m.Route)
					}
				}
			}
			if diff := cmp.Diff(want[:min(len(want), 3)], got); diff != "" || count != len(want) {
				rt.Errorf("%d, want %d (-want +got):\n%s", count, len(want), diff)
			}
			return nil
		})
		if err != nil {
			rt.Fatal(err)
		}
	})
}
