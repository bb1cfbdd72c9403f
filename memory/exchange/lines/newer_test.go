package lines

import (
	"fmt"
	"strings"
	"testing"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/ref"
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
	if most := many + len(db.Upkeep) + 2; len(b.statements) != most {
		t.Errorf("%d statements for %d edges, want %d", len(b.statements), many, most)
	}
	done, err := Import(t.Context(), s, strings.NewReader(changed), ImportArgs{Name: "FILE"})
	notes := dbtest.Texts(t, d, `select distinct note from edges`)
	if err != nil || done.Edges.Changed != 2*many || len(notes) != 1 || notes[0] != "2022" {
		t.Errorf("%+v, %v, notes %q, want that of the last lines", done, err, notes)
	}
}
