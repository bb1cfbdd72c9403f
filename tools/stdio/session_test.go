package stdio

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hence/internal/db/dbtest"
	"hence/internal/ref"
	"hence/tools"
)

// A memory that a client stores has the client's name as its actor and the origin agent,
// also in the journal.
func TestServe_WritesInTheNameOfTheClient(t *testing.T) {
	for _, test := range []struct {
		name    string
		options tools.Options
		client  string
		want    string
	}{
		{"the client's name", tools.Options{NameClients: true}, "claude-code", "claude-code"},
		{"a name on one line", tools.Options{NameClients: true}, " a\n\x00 b\u202e ", "a b"},
		{"a long name", tools.Options{NameClients: true}, strings.Repeat("n", 100), strings.Repeat("n", 64)},
		{"no name", tools.Options{NameClients: true}, " ", "agent"},
		{"a server with an actor", tools.Options{}, "claude-code", "agent"},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := dbtest.New(t)
			test.options.Log = slog.New(slog.DiscardHandler)
			server, err := tools.New(d, ref.Caller{Actor: "agent", Origin: "agent"}, test.options)
			if err != nil {
				t.Fatal(err)
			}
			name, err := json.Marshal(test.client)
			if err != nil {
				t.Fatal(err)
			}
			in := strings.Join([]string{
				request(1, "initialize", fmt.Sprintf(`{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":%s,"version":"1"}}`, name)),
				toolCall(2, "memory_store", `{"content": "The ferry leaves at nine."}`),
			}, "\n")
			var out strings.Builder
			if err := Serve(t.Context(), server, strings.NewReader(in), &out); err != nil {
				t.Fatal(err)
			}
			got := slices.Concat(
				dbtest.Texts(t, d, `select origin || ' ' || actor from memories`),
				dbtest.Texts(t, d, `select distinct actor from journal`))
			if diff := cmp.Diff([]string{"agent " + test.want, test.want}, got); diff != "" {
				t.Errorf("origin and actor, and the journal's (-want +got):\n%s", diff)
			}
		})
	}
}
