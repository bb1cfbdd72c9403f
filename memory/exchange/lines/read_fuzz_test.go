package lines

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// FuzzLine checks that a line of the exchange format or of the MCP memory server is refused,
// or read as a record that is the same after it is written and read again.
func FuzzLine(f *testing.F) {
	server, err := os.ReadFile("../testdata/mcp-memory.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	for line := range strings.Lines(string(server)) {
		f.Add([]byte(strings.TrimSpace(line)), true)
	}
	for _, seed := range []string{
		`{"type":"memory","id":"a","content":"# One\nmore","tags":["#y","x"],"properties":{"k":[1e3,null,{"ö":"\u2028"}]},"status":"forgotten"}`,
		`{"type":"memory","title":"t","verifications":[{"because":"a","reason":"changed","mark":"m","at":"t"}],"content_hash":"h","aliases":["b"],"confidence":1e-300}`,
		`{"type":"edge","from":"b","to":"a","edge_type":"caused_by","rel":"by","weight":0.5,"sites":[{"line":3,"anchor":"#A","context":"x","backward":true}],"declared":true}`,
		`{"type":"entity","name":"N","entityType":" ","observations":["a\nb",""],"more":1}`, `{"type":"relation","from":"A","to":"B","relationType":"Caused By"}`,
		`{"type":"memory","title":"\ud800","created_at":"2026-01-01T00:00:00+14:00","valid_to":"0000-01-01T00:00:00Z"}`, `{"TYPE":"memory","title":"x","type":"edge"}`, `null`, `[]`, ``, `{"type":"memory","title":"x"} {}`, `{"type":"edge","from":"a","to":"b","edge_type":"causes","type":"memory"}`,
	} {
		f.Add([]byte(seed), false)
	}
	f.Fuzz(func(t *testing.T, line []byte, confined bool) {
		r := Reader{Actor: "me", Now: "2026-11-21T08:00:00.000Z"}
		if confined {
			r.Namespace = "team"
		}
		rec, err := r.Read(line)
		if err != nil || rec.Memory == nil && rec.Edge == nil {
			return
		}
		if !json.Valid(line) {
			t.Fatalf("%q is not JSON, and is read", line)
		}
		var out strings.Builder
		w := newWriter(&out)
		if rec.Memory != nil {
			err = w.memory(*rec.Memory)
		} else {
			err = w.edge(*rec.Edge)
		}
		if err == nil {
			err = w.out.Flush()
		}
		if err != nil {
			t.Fatal(err)
		}
		if strings.Count(out.String(), "\n") != 1 || !json.Valid([]byte(out.String())) || w.replaced > 0 {
			t.Fatalf("%q is written as %q", line, &out)
		}
		again, err := r.Read([]byte(strings.TrimSpace(out.String())))
		if err != nil {
			t.Fatalf("%s, written of %q, is refused: %v", &out, line, err)
		}
		again.Foreign = rec.Foreign
		if diff := cmp.Diff(rec, again, cmp.AllowUnexported(Line{}), cmpopts.EquateEmpty(), cmpopts.IgnoreFields(Edge{}, "Word")); diff != "" {
			t.Errorf("%q (-first +second):\n%s", line, diff)
		}
	})
}
