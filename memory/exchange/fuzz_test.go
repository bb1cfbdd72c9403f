package exchange_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/memory/exchange/lines"
	"hence/memory/exchange/team"
)

// FuzzImport checks that an import of any bytes stores all lines or names a wrong line, and
// that the stored lines survive an export and import unchanged.
func FuzzImport(f *testing.F) {
	all, err := os.ReadFile("testdata/mcp-memory.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(all)
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
		_, err := lines.Import(context.Background(), ref.View{DB: d}, bytes.NewReader(text), lines.ImportArgs{Name: "f"})
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

// FuzzTeamFile checks that a sync of a team's folder with a file of any bytes, with a store
// that has a memory of that id, reports an error or leaves nothing for a second sync to do.
func FuzzTeamFile(f *testing.F) {
	const head = "---\nid: \"a\"\ntitle: \"A\"\nkind: \"fact\"\ncreated: \"2026-01-01T00:00:00.000Z\"\n"
	for _, seed := range []string{
		head + "by: \"ada\"\norigin: \"person\"\ntext: \"x y\"\n---\ntext\n",
		head + "tags: [x, y]\nproperties:\n  \"k\": [1e3,null]\n  plain: word\nlinks:\n  - {\"type\":\"caused_by\",\"to\":\"b\",\"id\":\"e\"}\n---\n\\======= \n",
		"<<<<<<< HEAD\n" + head + "---\r\nmine\r\n=======\n---\nid: \"a\"\n---\ntheirs\n>>>>>>> other\n",
		head + "changed:\n  \"kind\": {\"is\":[\"fact\"],\"at\":[\"2026-12-31T23:59:59.999Z~\"]}\nforgotten: \"2026-01-02T00:00:00Z\"\n---\n",
		"---\r\nprivate: true\r\n---\r\n", "\ufeff---\n---\n\xff", "# README\n",
	} {
		f.Add([]byte(seed))
	}
	empty := dbtest.NewEmpties(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		dbtest.SkipOnCluster(t, "folders are read by a plain store too")
		d, remove := empty.Next(t)
		defer remove()
		if _, err := take(d, `{"type":"memory","id":"a","title":"A","tags":["x"],"content":"text"}`); err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "a.md"), text, 0o644); err != nil {
			t.Fatal(err)
		}
		s, a := ref.View{DB: d}, team.Args{Dir: dir, First: true}
		done, err := team.Sync(t.Context(), s, a)
		if fault.CodeOf(err) == fault.InvalidArgument {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		again, err := team.Sync(t.Context(), s, a)
		if err != nil || again.Merged.Changes() || len(again.Written)+len(again.Removed) > 0 {
			t.Errorf("after %+v, another sync: %+v, %v", done, again, err)
		}
	})
}
