package belief

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hence/edges"
	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/internal/ref"
	_ "hence/internal/repeattest"
)

// said is a contradiction for the naive reference implementation.
type said struct {
	from, to  int
	rel       string
	valid     bool
	createdAt string
}

// findContradicting, and the pages of Conflicts, agree with a naive check of every edge.
func TestContradictions_AgreeWithANaiveLook(t *testing.T) {
	dbtest.CheckTimes(t, 40)
	empties := dbtest.NewEmpties(t)
	rapid.Check(t, func(rt *rapid.T) {
		d, remove := empties.Next(rt)
		defer remove()
		statuses := rapid.SliceOfN(rapid.SampledFrom([]string{"current", "current", "superseded", "forgotten", "over"}), 2, 6).Draw(rt, "statuses")
		batch, keys := []db.Stmt{}, []int64{}
		for i, status := range statuses {
			keys = append(keys, int64(i+1))
			batch = append(batch, db.S(`
insert into memories (key, id, title, status, forgotten_at, valid_to)
values (?1, ?2, ?2, iif(?3 = 'over', 'current', ?3), iif(?3 = 'forgotten', '2026-01-01T00:00:00.000Z', null), iif(?3 = 'over', '2020-01-01T00:00:00.000Z', null))`, i+1, fmt.Sprint("m", i), status))
		}
		all := []said{}
		for range rapid.IntRange(0, 10).Draw(rt, "edges") {
			s := said{
				from: rapid.IntRange(0, len(statuses)-1).Draw(rt, "from"), to: rapid.IntRange(0, len(statuses)-1).Draw(rt, "to"),
				rel: rapid.SampledFrom([]string{"", "disputes"}).Draw(rt, "rel"), valid: rapid.Bool().Draw(rt, "valid"),
				createdAt: fmt.Sprintf("2026-01-0%dT00:00:00.000Z", rapid.IntRange(1, 3).Draw(rt, "day")),
			}
			twice := slices.ContainsFunc(all, func(o said) bool {
				return o.rel == s.rel && (o.from == s.from && o.to == s.to || o.from == s.to && o.to == s.from)
			})
			if s.from == s.to || twice {
				continue
			}
			batch = append(batch,
				db.S(`insert into edges (id, from_key, to_key, kind, rel, valid_to, created_at) values (?, ?, ?, 'contradicts', ?, ?, ?)`,
					fmt.Sprintf("e%02d", len(all)), s.from+1, s.to+1, s.rel, map[bool]any{false: "2020-01-01T00:00:00.000Z"}[s.valid], s.createdAt),
				db.S(`insert into edges (from_key, to_key, kind) values (?, ?, 'causes') on conflict do nothing`, s.from+1, s.to+1))
			all = append(all, s)
		}
		dbtest.Fill(rt, d, batch...)

		open := []int{}
		want := map[int64][]ref.End{}
		for i, s := range all {
			if !s.valid || statuses[s.from] != "current" || statuses[s.to] != "current" {
				continue
			}
			open = append(open, i)
			for _, pair := range [][2]int{{s.from, s.to}, {s.to, s.from}} {
				other, key := ref.End{Named: ref.Named{ID: fmt.Sprint("m", pair[1]), Title: fmt.Sprint("m", pair[1])}, Status: "current"}, int64(pair[0]+1)
				if !slices.Contains(want[key], other) {
					want[key] = append(want[key], other)
				}
			}
		}
		for _, others := range want {
			slices.SortFunc(others, func(a, b ref.End) int { return cmp.Compare(a.ID, b.ID) })
		}
		if err := d.Read(context.Background(), func(r *db.Reader) error {
			got, err := findContradicting(context.Background(), r, keys)
			if diff := gocmp.Diff(want, got); diff != "" {
				rt.Errorf("contradicting (-naive +got):\n%s", diff)
			}
			return err
		}); err != nil {
			rt.Fatal(err)
		}

		slices.SortFunc(open, func(a, b int) int { return cmp.Or(cmp.Compare(all[b].createdAt, all[a].createdAt), a-b) })
		listed, page := []string{}, edges.PageArgs{Limit: rapid.IntRange(1, 4).Draw(rt, "limit")}
		for {
			got, err := Graph{DB: d}.Conflicts(context.Background(), page)
			if err != nil || got.TotalCount != len(open) || got.ReturnedCount != len(got.Conflicts) || got.Truncated != (got.Next != "") {
				rt.Fatalf("%+v, %v; want a total of %d", got, err, len(open))
			}
			for _, c := range got.Conflicts {
				listed = append(listed, c.A.ID+c.B.ID)
			}
			if page.Cursor = got.Next; got.Next == "" {
				break
			}
		}
		pairs := []string{}
		for _, i := range open {
			pairs = append(pairs, fmt.Sprintf("m%dm%d", all[i].from, all[i].to))
		}
		if !slices.Equal(listed, pairs) {
			rt.Errorf("listed %q, want %q", listed, pairs)
		}
	})
}

// A contradiction of which one side is over is settled: what rests on either side, at any
// distance, is not stale for it, and neither side is shown with a conflict.
func TestAContradictionWithWhatIsOverIsSettled(t *testing.T) {
	const past, future = "'2020-01-01T00:00:00.000Z'", "'2999-01-01T00:00:00.000Z'"
	for _, tc := range []struct {
		name, claim, other string // the ends of validity
		reversed, settled  bool
	}{
		{"both hold", "null", "null", false, false},
		{"both hold, told by the claim", "null", "null", true, false},
		{"the other is over", "null", past, false, true},
		{"the other is over, told by the claim", "null", past, true, true},
		{"the claim is over", past, "null", false, true},
		{"the claim is over, told by the claim", past, "null", true, true},
		{"both are over", past, past, false, true},
		{"they will be over", future, future, false, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			d := dbtest.New(t)
			from, to := 2, 1
			if tc.reversed {
				from, to = to, from
			}
			dbtest.Script(t, d.Path(), fmt.Sprintf(`
insert into memories (key, id, title, valid_to) values (1, 'claim', 'Claim', %s), (2, 'other', 'Other', %s), (3, 'plan', 'Plan', null), (4, 'step', 'Step', null);
insert into edges (from_key, to_key, kind) values (3, 1, 'depends-on'), (4, 3, 'derived-from'), (%d, %d, 'contradicts');`, tc.claim, tc.other, from, to))
			if err := d.Read(context.Background(), func(r *db.Reader) error {
				stale, err := Stale(context.Background(), r, []int64{3, 4})
				if err != nil {
					return err
				}
				contradicting, err := findContradicting(context.Background(), r, []int64{1, 2})
				if len(stale) == 0 != tc.settled || len(contradicting) == 0 != tc.settled {
					t.Errorf("stale %v, contradicting %v, want settled: %v", stale, contradicting, tc.settled)
				}
				return err
			}); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func TestConflicts_RefusesAnotherListsCursor(t *testing.T) {
	g := Graph{DB: dbtest.New(t)}
	for _, cursor := range []string{"x", db.Cursor("candidates", struct{ At, ID string }{"a", "b"})} {
		if _, err := g.Conflicts(t.Context(), edges.PageArgs{Cursor: cursor}); fault.CodeOf(err) != fault.InvalidArgument {
			t.Errorf("%s: %v", cursor, err)
		}
	}
}

func TestDoubtful_RefusesAnotherListsCursor(t *testing.T) {
	g := Graph{DB: dbtest.New(t)}
	_, err := g.Doubtful(t.Context(), edges.PageArgs{Cursor: "eyJmIjoiYSIsInQiOiJiIiwiZCI6ImMifQ"})
	if fault.CodeOf(err) != fault.InvalidArgument || strings.Contains(err.Error(), "json") {
		t.Errorf("%v, want %s", err, fault.InvalidArgument)
	}
}

// FirstConflicts counts up to a limit, which it returns; it lists the newest first.
func TestFirstConflicts_CountsUpToABound(t *testing.T) {
	ctx, d := context.Background(), dbtest.New(t)
	dbtest.Fill(t, d, db.S(`
insert into memories (key, id, title, namespace)
select value, 'm' || value, 'm' || value, iif(value > 2 * ?1 + 2, 'other', 'default')
from json_each(?2)`, maxConflicts, dbtest.UpTo(2*maxConflicts+4)), db.S(`
insert into edges (id, from_key, to_key, kind, created_at)
select 'e' || value, 2 * value - 1, 2 * value, 'contradicts', strftime('%Y-%m-%dT%H:%M:%fZ', 1767225600 + value, 'unixepoch')
from json_each(?1)`, dbtest.UpTo(maxConflicts+2)))
	for _, c := range []struct {
		namespace         string
		drop              int // contradictions that are settled before
		total, among      int
		newest, oldestOf3 string
	}{
		{"default", 0, maxConflicts, maxConflicts, fmt.Sprintf("m%d", 2*maxConflicts+1), fmt.Sprintf("m%d", 2*maxConflicts-3)},
		{"other", 0, 1, 0, fmt.Sprintf("m%d", 2*maxConflicts+3), ""},
		{"default", 1, maxConflicts, 0, fmt.Sprintf("m%d", 2*maxConflicts+1), fmt.Sprintf("m%d", 2*maxConflicts-3)},
	} {
		dbtest.Fill(t, d, db.S(`delete from edges where id in (select 'e' || value from json_each(?))`, dbtest.UpTo(c.drop)))
		err := d.Read(ctx, func(r *db.Reader) error {
			first, total, among, err := FirstConflicts(ctx, r, c.namespace, edges.Today(), 3)
			if err != nil {
				return err
			}
			if total != c.total || among != c.among || first[0].A.ID != c.newest || c.oldestOf3 != "" && first[2].A.ID != c.oldestOf3 {
				t.Errorf("%+v: %d among %d, %+v", c, total, among, first)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
