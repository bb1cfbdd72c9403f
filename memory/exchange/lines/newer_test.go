package lines

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/memory/journal"
)

// The stamps of the changed edges of a chunk are decided together, also if an edge has two lines.
func TestChangedEdgesAreStampedTogether(t *testing.T) {
	const edge = `{"type":"edge","id":"e%d","from":"a%d","to":"b","edge_type":"relates-to","created_at":"%d-01-01T00:00:00.000Z","note":"%d"}` + "\n"
	d, text, changed := dbtest.New(t), `{"type":"memory","id":"b","title":"b"}`+"\n", ""
	const many = 30
	for n := range many {
		text += fmt.Sprintf(`{"type":"memory","id":"a%d","title":"a"}`+"\n"+edge, n, n, n, 2020, 2020)
		changed += fmt.Sprintf(edge+edge, n, n, 2021, 2021, n, n, 2022, 2022)
	}
	s := ref.View{DB: d}
	if _, err := Import(t.Context(), s, strings.NewReader(text), ImportArgs{Name: "FILE"}); err != nil {
		t.Fatal(err)
	}
	i := &importer{store: s, name: "FILE", reader: Reader{Now: db.Now()}, latest: "2999"}
	all := []numberedRecord{}
	for n, line := range strings.Split(strings.TrimSuffix(changed, "\n"), "\n") {
		one, err := i.reader.Read([]byte(line))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, numberedRecord{n + 1, []byte(line), one})
	}
	b := &chunk{}
	if _, err := i.decideEdges(t.Context(), all, b); err != nil {
		t.Fatal(err)
	}
	if most := many + len(db.Upkeep) + 3; len(b.statements) != most {
		t.Errorf("%d statements for %d edges, want %d", len(b.statements), many, most)
	}
	done, err := Import(t.Context(), s, strings.NewReader(changed), ImportArgs{Name: "FILE"})
	notes := dbtest.Texts(t, d, `select distinct note from edges`)
	if err != nil || done.Edges.Changed != 2*many || len(notes) != 1 || notes[0] != "2022" {
		t.Errorf("%+v, %v, notes %q, want that of the last lines", done, err, notes)
	}
}

// Lines that were read after an edit by the shell without stamps are not written.
func TestLinesAreNotWrittenWhileStampsWait(t *testing.T) {
	dbtest.SkipOnCluster(t, "edits by hand are refused there")
	d := dbtest.New(t)
	s := ref.View{DB: d}
	if _, err := Import(t.Context(), s, strings.NewReader(`{"type":"memory","id":"a","title":"a"}`), ImportArgs{Name: "FILE"}); err != nil {
		t.Fatal(err)
	}
	i, edits := &importer{store: s, name: "FILE", reader: Reader{Now: db.Now()}, batch: journal.Batch{Number: -1, Operation: "import"}}, 0
	add := func(_ context.Context, _ []numberedRecord, b *chunk) error {
		if edits++; edits <= 2 { // after the upkeep
			dbtest.Script(t, d.Path(), fmt.Sprintf(`update memories set content = '%d' where id = 'a'`, edits))
		}
		b.count(func(changed []int64) { b.done.Memories.Changed += int(changed[0]) }, db.S(`update memories set pinned = 1 where id = 'a'`))
		return nil
	}
	if err := i.writeTogether(t.Context(), nil, add); !errors.Is(err, ErrMoved) {
		t.Errorf("written while stamps wait: %v", err)
	}
	if err := i.writeLines(t.Context(), nil, add); err != nil || edits != 3 || i.done.Memories.Changed != 1 {
		t.Errorf("%v in %d rounds: %+v, want the third to write", err, edits, i.done)
	}
}

// An edge that somebody changes after it was read, or makes where there was none, is not overwritten or left as it is: it is
// read again.
func TestEdgesAreWrittenAsTheyWereRead(t *testing.T) {
	const memories = `{"type":"memory","id":"a","title":"a"}` + "\n" + `{"type":"memory","id":"b","title":"b"}` + "\n" + `{"type":"memory","id":"c","title":"c"}` + "\n"
	const edge = `{"type":"edge","id":"%s","from":"%s","to":"%s","edge_type":"contradicts","created_at":"2020-01-01T00:00:00.000Z","note":"%s"}` + "\n"
	here := fmt.Sprintf(edge, "here", "a", "b", "old")
	insert := `
insert into edges (id, from_key, to_key, kind, note, created_at)
select ?1, f.key, t.key, 'contradicts', 'theirs', '2020-01-01T00:00:00.000Z'
from memories f
cross join memories t on t.id = ?3
where f.id = ?2`
	for _, c := range []struct {
		name, stored string
		between      db.Stmt
		moved        bool
	}{
		{"Changed", here, db.S(`update edges set weight = 0.5 where id = 'here'`), true},
		{"Removed", here, db.S(`delete from edges where id = 'here'`), true},
		{"MadeAtThePlace", "", db.S(insert, "theirs", "a", "b"), true},
		{"MadeTheOtherWayRound", "", db.S(insert, "theirs", "b", "a"), true},
		{"MadeWithTheID", "", db.S(insert, "line", "b", "c"), true},
		{"MadeElsewhere", here, db.S(insert, "theirs", "b", "c"), false},
		{"AMemoryChanged", here, db.S(`update memories set pinned = 1 where id = 'a'`), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := dbtest.New(t)
			s := ref.View{DB: d}
			if _, err := Import(t.Context(), s, strings.NewReader(memories+c.stored), ImportArgs{Name: "FILE"}); err != nil {
				t.Fatal(err)
			}
			i := &importer{store: s, name: "FILE", latest: "2999", reader: Reader{Now: db.Now()}, batch: journal.Batch{Number: -1, Operation: "import"}}
			line := []byte(strings.ReplaceAll(strings.TrimSpace(fmt.Sprintf(edge, "line", "a", "b", "new")), "2020", "2021"))
			one, err := i.reader.Read(line)
			if err != nil {
				t.Fatal(err)
			}
			tries := 0
			add := func(ctx context.Context, lines []numberedRecord, b *chunk) error {
				err := i.edgeStatements(ctx, lines, b)
				if tries++; tries == 1 && err == nil {
					_, err = d.Write(ctx, "somebody", db.Now(), c.between)
				}
				return err
			}
			err = i.writeLines(t.Context(), []numberedRecord{{1, line, one}}, add)
			if want := map[bool]int{true: 2, false: 1}[c.moved]; err != nil || tries != want {
				t.Errorf("%v in %d tries, want %d", err, tries, want)
			}
		})
	}
}
