package exchange_test

import (
	"path/filepath"
	"testing"

	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/memory/exchange/notes"
)

func TestNotesWarnOfAWordOnce(t *testing.T) {
	d := dbtest.New(t)
	lines := many(4)
	for _, ends := range []string{`"from":"m0","to":"m1"`, `"from":"m1","to":"m2"`, `"from":"m2","to":"m3"`} {
		for _, word := range []string{`"edge_type":"causes","rel":"so"`, `"edge_type":"supports","rel":"so"`, `"edge_type":"follows","rel":"a: b"`} {
			lines += `{"type":"edge",` + ends + "," + word + "}\n"
		}
	}
	if _, err := take(d, lines); err != nil {
		t.Fatal(err)
	}
	done, err := notes.Export(t.Context(), ref.View{DB: d}, filepath.Join(t.TempDir(), "notes"))
	if err != nil {
		t.Fatal(err)
	}
	if done.Edges != 9 || len(done.Warnings) != 2 {
		t.Errorf("%d edges and the warnings %q, want 9 and one of each word", done.Edges, done.Warnings)
	}
}
