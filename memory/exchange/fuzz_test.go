package exchange_test

import (
	"bytes"
	"context"
	"os"
	"testing"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/memory/exchange"
)

// FuzzImport: whatever the bytes, an import stores all of them or says which
// line is wrong, and what was stored goes out and in again as it is.
func FuzzImport(f *testing.F) {
	lines, err := os.ReadFile("testdata/mcp-memory.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(lines)
	for _, seed := range []string{
		`{"type":"memory","id":"a","content":"# One\nmore","tags":["#y","x"],"properties":{"k":[1e3,null,{"ö":"\u2028"}]},"status":"forgotten"}`,
		`{"type":"edge","from":"b","to":"a","edge_type":"caused_by","rel":"by","weight":0.5,"sites":[{"line":3,"anchor":"#A","context":"x","backward":true}]}` +
			"\n" + `{"type":"memory","id":"a","title":"A"}` + "\r\n\n" + `{"type":"memory","id":"b","title":"B","verifications":[{"because":"a","reason":"changed","mark":"m","at":"t"}]}`,
		"\ufeff" + `{"type":"memory","title":"\ud800","created_at":"2026-01-01T00:00:00+14:00","valid_to":"0000-01-01T00:00:00Z"}`,
		`{"type":"memory","title":"x","TITLE":"y","revision":9223372036854775807,"importance":-0}`,
		"{\"type\":\"memory\",\"title\":\"\xff\"}\n[1]\nnull\n{\"type\":7}",
	} {
		f.Add([]byte(seed))
	}
	empty := dbtest.NewEmpties(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		d, remove := empty.Next(t)
		defer remove()
		_, err := exchange.Store{DB: d}.Import(context.Background(), bytes.NewReader(text), exchange.ImportArgs{Name: "f"})
		switch fault.CodeOf(err) {
		case "":
			again, remove := empty.Next(t)
			defer remove()
			roundTrip(t, d, again)
		case fault.InvalidArgument, fault.Conflict, fault.Cycle:
		default:
			t.Errorf("Import: %v", err)
		}
	})
}

func roundTrip(t *testing.T, d, again *db.DB) {
	lines := export(t, d)
	if _, err := take(again, lines); err != nil {
		t.Fatalf("what was exported is refused: %v\n%s", err, lines)
	}
	if second := export(t, again); second != lines {
		t.Errorf("the second export differs:\n%s\n%s", lines, second)
	}
}
