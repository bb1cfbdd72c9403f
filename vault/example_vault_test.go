package vault_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/edges"
	"hence/edges/walk"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/vault"
)

var update = flag.Bool("update", false, "rewrite the goldens")

// example imports examples/vault into an empty store.
func example(t testing.TB) (vault.Importer, vault.Report) {
	t.Helper()
	i := vault.Importer{DB: dbtest.New(t), Caller: ref.Caller{Actor: "tester"}}
	report, err := i.Import(t.Context(), vault.ImportArgs{Dir: "../examples/vault", Name: "fairlead"})
	if err != nil {
		t.Fatal(err)
	}
	return i, report
}

// golden compares lines with a golden file in testdata.
func golden(t *testing.T, name string, lines []string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	got := strings.Join(lines, "\n") + "\n"
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got; go test -update writes it again):\n%s", path, diff)
	}
}

const allEdges = `
select
  f.title,
  e.kind,
  e.rel,
  t.title,
  e.origin,
  (select group_concat(line, ',') from (select n.title || ':' || s.line as line from sites s join memories n on n.key = s.note where s.edge = e.key order by n.title, s.line))
from edges e
join memories f on f.key = e.from_key
join memories t on t.key = e.to_key
order by 1, 2, 3, 4`

func TestExampleVaultGolden(t *testing.T) {
	i, _ := example(t)
	golden(t, "example.edges", rows(t, i.DB, allEdges))
	golden(t, "example.memories", rows(t, i.DB, `
select
  uri,
  kind,
  status,
  title,
  aliases,
  tags,
  properties,
  (select group_concat(line, '; ') from (select s.heading || ' ' || s.start_line || '-' || s.end_line as line from sections s where s.memory = m.key order by s.ordinal))
from memories m
order by uri`))
	golden(t, "example.sites", rows(t, i.DB, `
select
  n.uri,
  s.line,
  s.origin,
  s.kind,
  s.rel,
  s.backward,
  s.target,
  s.anchor,
  s.lenient,
  s.resolved_by,
  s.candidates,
  s.refused,
  (select title from memories where key = iif(s.backward, e.from_key, e.to_key))
from sites s
join memories n on n.key = s.note
left join edges e on e.key = s.edge
order by n.uri, s.start_byte, s.line`))
}

func TestExampleVaultTellsItsStory(t *testing.T) {
	i, report := example(t)
	want := []vault.Place{
		{Path: "decisions/Refund without a claim form.md", Line: 8, Target: "Refund limits agreed with the auditor", Rel: "depends-on"},
		{Path: "incidents/2026-05-30 Kråkø scanners refused paid cars.md", Line: 21, Target: "Scanner firmware 3.9", Rel: "links-to"},
	}
	if diff := cmp.Diff(want, report.DanglingLinks); diff != "" {
		t.Errorf("dangling links (-want +got):\n%s", diff)
	}
	graph := walk.Graph{DB: i.DB}
	path, err := graph.Path(t.Context(), walk.PathArgs{From: "2026-02-14 Double-sold car deck", To: "Refund without a claim form"})
	if err != nil {
		t.Fatal(err)
	}
	wantPath := "2026-02-14 Double-sold car deck ←causes— Cache eviction drops live holds —supports→ " +
		"Hold seats in the ledger for ten minutes ←supersedes— Tie holds to the payment attempt ←depends-on— Refund without a claim form"
	if got := edges.Arrows(path.Path); got != wantPath {
		t.Errorf("path = %s\nwant   %s", got, wantPath)
	}
	history, err := edges.Graph(graph).History(t.Context(), edges.HistoryArgs{ID: "decisions/Hold seats in the ledger for ten minutes"})
	if err != nil {
		t.Fatal(err)
	}
	line := []string{}
	for _, v := range history.Chain {
		line = append(line, v.Title)
	}
	if diff := cmp.Diff([]string{"Hold seats in the session cache", "Hold seats in the ledger for ten minutes", "Tie holds to the payment attempt"}, line); diff != "" {
		t.Errorf("history (-want +got):\n%s", diff)
	}
	stale := rows(t, i.DB, `select title, because_title, reason from stale order by 1`)
	wantStale := []string{
		"Refund without a claim form | Charge the card at booking | contradicted",
		"Terminal Scanners | Hold seats in the ledger for ten minutes | superseded",
	}
	if diff := cmp.Diff(wantStale, stale); diff != "" {
		t.Errorf("stale (-want +got):\n%s", diff)
	}
}

func TestSecondImportChangesNothing(t *testing.T) {
	i, _ := example(t)
	dump := func() []string {
		all := []string{}
		for _, table := range []string{"memories", "sections", "edges", "sites", "files", "journal", "mirrors"} {
			all = append(all, rows(t, i.DB, fmt.Sprintf("select * from %s", table))...)
		}
		return all
	}
	before := dump()
	report, err := i.Import(t.Context(), vault.ImportArgs{Dir: "../examples/vault", Name: "fairlead"})
	if err != nil {
		t.Fatal(err)
	}
	if report.HasChanged() || report.Unchanged != report.Notes+report.Files {
		t.Errorf("the second import reports %+v", report)
	}
	if diff := cmp.Diff(before, dump()); diff != "" {
		t.Errorf("the second import wrote (-before +after):\n%s", diff)
	}
}
