package walk_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hence/edges"
	"hence/edges/walk"
	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
)

// The view orphans has the memories without edges other than plain links and mentions. The
// overview's orphans are those of them that have no plain link either.
func TestTheViewOfOrphansAgreesWithTheOverview(t *testing.T) {
	d := dbtest.New(t)
	kinds := []edges.Kind{edges.Causes, edges.RelatesTo, edges.RefersTo, edges.LinksTo, edges.Embeds, edges.Mentions}
	plain := []edges.Kind{edges.LinksTo, edges.Embeds}
	run := 0
	rapid.Check(t, func(t *rapid.T) {
		run++
		namespace := fmt.Sprint("orphans", run)
		n := rapid.IntRange(1, 8).Draw(t, "memories")
		batch, statuses := []db.Stmt{}, []string{}
		for i := range n {
			status := rapid.SampledFrom([]string{"current", "current", "current", "superseded", "forgotten"}).Draw(t, "status")
			statuses = append(statuses, status)
			batch = append(batch, db.S(`
insert into memories (id, namespace, title, status, forgotten_at)
values (?1, ?2, ?1, ?3, iif(?3 = 'forgotten', '2026-01-01T00:00:00.000Z', null))`, fmt.Sprint(namespace, "-", i), namespace, status))
		}
		links, tied := make([]int, n), make([]bool, n)
		seen := map[string]bool{}
		for range rapid.IntRange(0, 12).Draw(t, "edges") {
			from, to := rapid.IntRange(0, n-1).Draw(t, "from"), rapid.IntRange(0, n-1).Draw(t, "to")
			kind := rapid.SampledFrom(kinds).Draw(t, "kind")
			if edge := fmt.Sprint(min(from, to), max(from, to), kind); from == to || seen[edge] {
				continue
			} else {
				seen[edge] = true
			}
			batch = append(batch, db.S(`
insert into edges (from_key, to_key, kind)
select f.key, t.key, ?3
from memories f, memories t
where f.id = ?1 and t.id = ?2`, fmt.Sprint(namespace, "-", from), fmt.Sprint(namespace, "-", to), kind))
			for _, ends := range [][2]int{{from, to}, {to, from}} {
				switch {
				case kind == edges.Mentions || statuses[ends[1]] == "forgotten":
				case slices.Contains(plain, kind):
					links[ends[0]]++
				default:
					tied[ends[0]] = true
				}
			}
		}
		dbtest.Fill(t, d, batch...)
		orphans, alone := []string{}, []string{}
		for i, status := range statuses {
			if status != "current" || tied[i] {
				continue
			}
			orphans = append(orphans, fmt.Sprintf("%s-%d %d", namespace, i, links[i]))
			if links[i] == 0 {
				alone = append(alone, fmt.Sprint(namespace, "-", i))
			}
		}
		got := dbtest.Texts(t, d, `select id || ' ' || links from orphans where namespace = ? order by id`, namespace)
		if diff := cmp.Diff(orphans, got); diff != "" {
			t.Fatalf("the view (-want +got):\n%s", diff)
		}
		o, err := (walk.Graph{DB: d, Caller: ref.Caller{Namespace: namespace}}).Overview(t.Context(), walk.OverviewArgs{Limit: 20})
		if err != nil {
			t.Fatal(err)
		}
		told := []string{}
		for _, end := range o.Orphans {
			told = append(told, end.ID)
		}
		slices.Sort(told)
		if diff := cmp.Diff(alone, told); diff != "" {
			t.Fatalf("the overview (-want +got):\n%s", diff)
		}
	})
}
