package exchange_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/memory/exchange/lines"
	"hence/memory/exchange/merge"
)

func takeFrom(t *testing.T, d *db.DB, source, text string) lines.Imported {
	t.Helper()
	done, err := lines.Import(context.Background(), ref.View{DB: d, Caller: ref.Caller{Actor: "importer"}}, strings.NewReader(text), lines.ImportArgs{Name: "lines", Source: source})
	if err != nil {
		t.Fatal(err)
	}
	return done
}

// No line of a file is trusted more than the source of the file, whatever the line says.
func TestASourceIsTheMostThatAFileIsTrusted(t *testing.T) {
	const lines = `{"type":"memory","id":"a","title":"A"}
{"type":"memory","id":"b","title":"B","origin":"person"}
{"type":"memory","id":"c","title":"C","origin":"agent","source":"person"}
{"type":"memory","id":"d","title":"D","content_hash":"h","confirmed":"h D"}
{"type":"memory","id":"e","title":"E","source":"web","source_url":"https://e.example"}
{"type":"memory","id":"f","title":"F","origin":"vault","uri":"obsidian-fs://v/f.md"}
{"type":"memory","id":"g","title":"G","origin":"agent"}`
	for source, want := range map[string]string{
		"":       "a3 b6 c5 d6 e1 f5 g4",
		"person": "a5 b6 c5 d6 e1 f5 g4",
		"agent":  "a4 b4 c4 d4 e1 f4 g4",
		"import": "a3 b3 c3 d3 e1 f3 g3",
		"tool":   "a2 b2 c2 d2 e1 f2 g2",
		"web":    "a1 b1 c1 d1 e1 f1 g1",
	} {
		d := dbtest.New(t)
		takeFrom(t, d, source, lines)
		got := strings.Join(dbtest.Texts(t, d, `select m.id || t.rank from trusts t join memories m on m.key = t.memory order by m.id`), " ")
		if got != want {
			t.Errorf("from %q: %s, want %s", source, got, want)
		}
	}
}

// An edge of a stranger, or without a source, becomes a proposal if it would supersede or
// contradict a memory that is trusted more.
func TestEdgesOfStrangersAreProposals(t *testing.T) {
	const mine = `{"type":"memory","id":"rule","title":"Rule","origin":"person"}
{"type":"memory","id":"other","title":"Other","origin":"person"}
{"type":"memory","id":"old","title":"Old","origin":"person"}
{"type":"edge","id":"e0","from":"rule","to":"old","edge_type":"supersedes","origin":"person"}`
	const theirs = `{"type":"memory","id":"x","title":"X","origin":"person"}
{"type":"memory","id":"y","title":"Y"}
{"type":"edge","id":"e1","from":"x","to":"rule","edge_type":"supersedes","origin":"person"}
{"type":"edge","id":"e2","from":"rule","to":"x","edge_type":"contradicts","origin":"person"}
{"type":"edge","id":"e3","from":"other","to":"rule","edge_type":"contradicts"}
{"type":"edge","id":"e4","from":"x","to":"y","edge_type":"supersedes","origin":"person"}
{"type":"edge","id":"e5","from":"rule","to":"x","edge_type":"derived-from","origin":"person"}
{"type":"edge","id":"e6","from":"x","to":"other","edge_type":"supersedes","origin":"person","unsettled":"missing"}
{"type":"unlinked","id":"e0","from":"rule","to":"old","edge_type":"supersedes","at":"2030-01-01T00:00:00Z"}
{"type":"purged","id":"z","at":"2030-01-01T00:00:00Z"}`
	const shown = `select from_id || ' ' || kind || iif(rel <> '', ' (' || rel || ')', '') || ' ' || to_id from edge_list order by 1`
	for source, want := range map[string][]string{
		"web": {
			"other relates-to (proposed: contradicts) rule", "rule derived-from x", "rule relates-to (proposed: contradicts) x",
			"rule supersedes old", "x relates-to (proposed: supersedes) rule", "x supersedes y",
		},
		"": { // the lines name the source
			"other relates-to (proposed: contradicts) rule", "rule contradicts x", "rule derived-from x", "rule supersedes old",
			"x supersedes rule", "x supersedes y",
		},
	} {
		d := dbtest.New(t)
		takeFrom(t, d, "", mine)
		done := takeFrom(t, d, source, theirs)
		if diff := cmp.Diff(want, dbtest.Texts(t, d, shown)); diff != "" {
			t.Errorf("from %q (-want +got):\n%s", source, diff)
		}
		proposals := map[string]int{"web": 3, "": 1}[source]
		if len(done.Warnings) != proposals || done.Edges.Added != 5-proposals {
			t.Errorf("from %q: %+v", source, done)
		}
		if again := takeFrom(t, d, source, theirs); again.Memories.Added+again.Edges.Added > 0 {
			t.Errorf("from %q, again: %+v", source, again)
		}
		if diff := cmp.Diff(want, dbtest.Texts(t, d, shown)); diff != "" {
			t.Errorf("from %q, again (-want +got):\n%s", source, diff)
		}
		ranks := dbtest.Texts(t, d, `select m.id || t.rank from trusts t join memories m on m.key = t.memory where m.id in ('rule', 'other') order by 1`)
		left := dbtest.Count(t, d, `select (select count(*) from unsettled) + (select count(*) from purged)`)
		if source == "web" && (strings.Join(ranks, " ") != "other6 rule6" || left != 0) {
			t.Errorf("%q, and %d left for a merge", ranks, left)
		}
	}
}

// A line with a time in the far future is left out of a merge, with a warning.
func TestAMergeLeavesOutLinesOfTheFarFuture(t *testing.T) {
	d := dbtest.New(t)
	takeFrom(t, d, "", `{"type":"memory","id":"a","title":"A","content":"mine"}
{"type":"memory","id":"b","title":"B"}`)
	done, err := merge.Lines(context.Background(), ref.View{DB: d, Caller: ref.Caller{Actor: "importer"}}, strings.NewReader(
		`{"type":"memory","id":"a","title":"A","content":"theirs","changed":{"content":["9000-01-01T00:00:00.000Z~evil"]}}
{"type":"edge","from":"a","to":"b","edge_type":"causes","created_at":"9000-01-01T00:00:00Z"}
{"type":"purged","id":"b","at":"9000-01-01T00:00:00Z"}
{"type":"memory","id":"c","title":"C","valid_to":"9000-01-01T00:00:00Z"}`), lines.ImportArgs{Name: "lines"})
	if err != nil || done.LeftOut != 3 || done.Memories.Added != 1 || !strings.Contains(strings.Join(done.Warnings, "\n"), "line 1 was left out: its time 9000-01-01T00:00:00.000Z is more than 10 years from now") {
		t.Errorf("%+v, %v", done, err)
	}
	if diff := cmp.Diff([]string{"a mine", "b ", "c "}, dbtest.Texts(t, d, `select id || ' ' || content from memories order by id`)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A merge that writes in groups is planned again, and counts omitted lines only once.
func TestALargeMergeCountsOnceWhatItLeavesOut(t *testing.T) {
	dbtest.SkipUnderRace(t)
	d := dbtest.New(t)
	takeFrom(t, d, "", `{"type":"memory","id":"a","title":"A","namespace":"work"}`)
	var given strings.Builder
	for i := range 2100 { // more than a group
		fmt.Fprintf(&given, `{"type":"memory","id":"m%d","title":"M %d"}`+"\n", i, i)
	}
	given.WriteString(`{"type":"memory","id":"a","title":"A"}`)
	done, err := merge.Lines(context.Background(), ref.View{DB: d, Caller: ref.Caller{Actor: "importer"}}, strings.NewReader(given.String()), lines.ImportArgs{Name: "lines"})
	if err != nil || done.LeftOut != 1 || len(done.Warnings) != 1 || done.Memories.Added != 2100 {
		t.Errorf("%d left out, %+v, %q, %v", done.LeftOut, done.Memories, done.Warnings, err)
	}
}
