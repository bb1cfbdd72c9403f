package db_test

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"testing"

	"hence/internal/db/dbtest"

	"pgregory.net/rapid"
)

func TestStale(t *testing.T) {
	for _, c := range []struct {
		name, script string
		want         []string // id|because_id|reason
	}{
		{"NotByItself", "", nil},
		{"Superseded", edge("x", "supersedes", "a"), []string{"b|a|superseded", "c|a|superseded"}},
		{"SupersededByHand", `update memories set status = 'superseded' where id = 'a'`, []string{"b|a|superseded", "c|a|superseded"}},
		{"SupersededNoMore", edge("x", "supersedes", "a") + `delete from edges where kind = 'supersedes'`, nil},
		{"Forgotten", `update memories set status = 'forgotten', forgotten_at = '2026-01-01T00:00:00.000Z' where id = 'a'`, []string{"b|a|forgotten", "c|a|forgotten"}},
		{"Contradicted", edge("x", "contradicts", "a"), []string{"b|a|contradicted", "c|a|contradicted"}},
		{"ContradictedFromTheOtherEnd", edge("a", "contradicts", "x"), []string{"b|a|contradicted", "c|a|contradicted"}},
		{"ContradictedByTheSuperseded", edge("a", "contradicts", "x") + edge("y", "supersedes", "x"), nil},
		{"ContradictedOnce", edge("x", "contradicts", "a") + edge("a", "contradicts", "y") +
			`update edges set valid_to = '2020-01-01T00:00:00.000Z' where kind = 'contradicts'`, nil},
		{"ContradictedInTheFuture", edge("x", "contradicts", "a") + edge("a", "contradicts", "y") +
			`update edges set valid_from = '9000-01-01T00:00:00.000Z' where kind = 'contradicts'`, nil},
		{"Changed", `update memories set content = 'other' where id = 'a'`, []string{"b|a|changed", "c|a|changed"}},
		{"ChangedInTheMiddle", `update memories set content = 'other' where id = 'b'`, []string{"c|b|changed"}},
		{"ChangedInTitleOnly", `update memories set title = 'other' where id = 'a'`, nil},
		{"TwoReasons", edge("x", "supersedes", "a") + `update memories set content = 'other' where id = 'b'`,
			[]string{"b|a|superseded", "c|a|superseded", "c|b|changed"}},
		{"OnlyWhatIsCurrent", edge("x", "supersedes", "a") + edge("y", "supersedes", "b"), []string{"c|a|superseded", "c|b|superseded"}},
		{"NotAlongOtherKinds", edge("x", "causes", "y") + edge("x", "supports", "y") + edge("x", "part-of", "y") +
			`update memories set status = 'superseded' where id = 'y'`, nil},
		{"NotAlongEdgesThatAreOver", `update edges set valid_to = '2020-01-01T00:00:00.000Z';` + edge("x", "supersedes", "a"), nil},
		{"NotAlongEdgesToCome", `update edges set valid_from = '9000-01-01T00:00:00.000Z';` + edge("x", "supersedes", "a"), nil},
		{"Verified", edge("x", "supersedes", "a") + verified("b", "a", "superseded", "x-supersedes-a"), nil},
		{"VerifiedFurtherOn", edge("x", "supersedes", "a") + verified("c", "a", "superseded", "x-supersedes-a"), []string{"b|a|superseded"}},
		{"VerifiedOfAnotherSuccessor", edge("x", "supersedes", "a") + verified("b", "a", "superseded", "x-supersedes-a") +
			`delete from edges where kind = 'supersedes';` + edge("y", "supersedes", "a"), []string{"b|a|superseded", "c|a|superseded"}},
		{"VerifiedForAnotherReason", edge("x", "supersedes", "a") + verified("b", "a", "forgotten", "x-supersedes-a"), []string{"b|a|superseded", "c|a|superseded"}},
		{"VerifiedByHand", `update memories set status = 'superseded' where id = 'a';` + verified("b", "a", "superseded", "declared"), nil},
		{"SupersededByHandAgain", `update memories set status = 'superseded' where id = 'a';` + verified("b", "a", "superseded", "declared") +
			`update memories set status = 'current' where id = 'a'; update memories set status = 'superseded' where id = 'a';`,
			[]string{"b|a|superseded", "c|a|superseded"}},
		{"BasisRenewed", `
update memories set content = 'other' where id = 'a';
update edges set basis = (select content_hash from memories where id = 'a') where id = 'b-depends-on-a'`, nil},
		{"NotByItsOwnDoubt", edge("b", "supersedes", "a") + edge("c", "contradicts", "b"), nil},
		{"RoundACycleOfSources", edge("a", "derived-from", "c") + `update memories set status = 'superseded' where id = 'b'`,
			[]string{"a|b|superseded", "c|b|superseded"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newShell(t)
			s.do(t, memories("a", "b", "c", "x", "y")+edge("b", "depends-on", "a")+edge("c", "derived-from", "b"))
			s.do(t, c.script)
			s.want(t, `select id, because_id, reason from stale order by 1, 2, 3`, c.want...)
		})
	}
}

func verified(memory, because, reason, evidence string) string {
	return fmt.Sprintf(`
insert into verifications
select m.key, b.key, '%s', '%s', ''
from memories m, memories b
where m.id = '%s' and b.id = '%s';
`, reason, evidence, memory, because)
}

// ground is an edge by which one memory depends on another; basis is the text of the other when the
// edge was made.
type ground struct{ from, to, basis string }

func TestStaleIsWhatRecomputationSays(t *testing.T) {
	dbtest.CheckTimes(t, 20)
	s := newShell(t)
	ids := []string{"a", "b", "c", "d", "e"}
	rapid.Check(t, func(t *rapid.T) {
		s.do(t, `delete from memories; delete from journal;`+memories(ids...))
		pick := func(name string) string { return rapid.SampledFrom(ids).Draw(t, name) }
		try := func(script string) { _, _ = s.sql.Exec(script) } // what the schema refuses does not happen
		for range rapid.IntRange(1, 14).Draw(t, "operations") {
			one, two := pick("one"), pick("two")
			switch rapid.IntRange(0, 9).Draw(t, "operation") {
			case 0, 1, 2:
				try(edge(one, "depends-on", two))
			case 3, 4:
				try(edge(one, "derived-from", two))
			case 5:
				try(edge(one, "supersedes", two))
			case 6:
				try(edge(one, "contradicts", two))
			case 7:
				try(fmt.Sprintf(`update memories set content = content || '.' where id = '%s'`, one))
			case 8:
				try(fmt.Sprintf(`update memories set status = 'forgotten', forgotten_at = '2026-01-01T00:00:00.000Z' where id = '%s'`, one))
			case 9:
				if rapid.Bool().Draw(t, "verify") {
					s.do(t, `
insert or ignore into verifications
select s.memory, s.because, s.reason, s.evidence, ''
from stale_because s
join memories m on m.key = s.memory
where m.id = ?`, one)
				} else {
					s.do(t, `delete from edges where from_key = (select key from memories where id = ?) and kind <> 'derived-from'`, one)
				}
			}
		}
		if got, want := s.rows(t, `select id, because_id, reason from stale order by 1, 2, 3`), staleOf(t, s); !slices.Equal(got, want) {
			t.Fatalf("stale = %v, want %v\n%v\n%v", got, want, s.rows(t, `select * from edge_list`), s.rows(t, `select * from verifications`))
		}
	})
}

// staleOf computes the rows of the view stale from the plain tables.
func staleOf(t tb, s shell) []string {
	status, hash := map[string]string{}, map[string]string{}
	for _, row := range s.rows(t, `select id, status, content_hash from memories`) {
		f := strings.Split(row, "|")
		status[f[0]], hash[f[0]] = f[1], f[2]
	}
	type doubt struct{ reason, evidence, by string }
	doubts := map[string][]doubt{}
	grounds := []ground{}
	for _, row := range s.rows(t, `
select e.id, f.id, t.id, e.kind, e.basis
from edges e
join memories f on f.key = e.from_key
join memories t on t.key = e.to_key`) {
		f := strings.Split(row, "|")
		id, from, to := f[0], f[1], f[2]
		switch f[3] {
		case "supersedes":
			doubts[to] = append(doubts[to], doubt{"superseded", id, from})
		case "contradicts":
			if status[from] == "current" {
				doubts[to] = append(doubts[to], doubt{"contradicted", id, from})
			}
			if status[to] == "current" {
				doubts[from] = append(doubts[from], doubt{"contradicted", id, to})
			}
		default:
			grounds = append(grounds, ground{from, to, f[4]})
		}
	}
	for id, st := range status {
		if st == "forgotten" {
			doubts[id] = append(doubts[id], doubt{"forgotten", "2026-01-01T00:00:00.000Z", ""})
		}
	}
	looked := map[string]bool{}
	for _, row := range s.rows(t, `
select m.id, b.id, v.reason, v.evidence
from verifications v
join memories m on m.key = v.memory
join memories b on b.key = v.because`) {
		looked[row] = true
	}
	lines := map[string]bool{}
	for because := range status {
		spread := func(first []string, d doubt) {
			seen := map[string]bool{}
			for len(first) > 0 {
				at := first[0]
				first = first[1:]
				if seen[at] || at == d.by { // nobody is stale by a doubt of their own
					continue
				}
				seen[at] = true
				if status[at] == "current" {
					lines[at+"|"+because+"|"+d.reason] = true
				}
				for _, g := range grounds {
					if g.to == at && g.from != because && !looked[strings.Join([]string{g.from, because, d.reason, d.evidence}, "|")] {
						first = append(first, g.from)
					}
				}
			}
		}
		changed := []string{}
		for _, g := range grounds {
			if g.to == because && g.basis != hash[because] {
				changed = append(changed, g.from)
			}
		}
		spread(changed, doubt{"changed", hash[because], ""})
		for _, d := range doubts[because] {
			direct := []string{}
			for _, g := range grounds {
				if g.to == because && !looked[strings.Join([]string{g.from, because, d.reason, d.evidence}, "|")] {
					direct = append(direct, g.from)
				}
			}
			spread(direct, d)
		}
	}
	all := []string{}
	for line := range lines {
		all = append(all, line)
	}
	sort.Strings(all)
	return all
}
