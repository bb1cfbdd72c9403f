package httpserve

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// Over HTTP too an answer has the id of its request, and a list of messages gets a list of
// answers in the version that has them.
func TestMessages_IDsAndBatches(t *testing.T) {
	w := open(t, Options{})
	s := w.meet("")
	ping := func(id string) string { return `{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}` }
	for _, id := range []string{"9007199254740993", "-9007199254740993", "12345678901234567890", "1.0", `"a"`, `"9007199254740993"`, "7"} {
		if got := w.post(ping(id), s.sign); got.status != http.StatusOK || !strings.Contains(got.body, `"id":`+id+`,`) && !strings.Contains(got.body, `"id":`+id+`}`) {
			t.Errorf("%s is answered by %d %s", id, got.status, got.body)
		}
	}
	version := func(v string) func(*http.Request) {
		return func(r *http.Request) { s.sign(r); r.Header.Set("Mcp-Protocol-Version", v) }
	}
	store, note := toolCall("memory_store", `{"content": "In a batch."}`), `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	for _, c := range []struct {
		name, version, batch string
		status               int
		ids                  []string
	}{
		{"Two", "2025-03-26", "[" + ping("1") + "," + ping("9007199254740993") + "]", 200, []string{"1", "9007199254740993"}},
		{"NoVersion", "", "[" + store + "," + note + "]", 200, []string{"2"}},
		{"Malformed", "2025-03-26", "[" + store + `,{"jsonrpc":"2.0","id":9007199254740993,"method":7},1,` + ping("4") + "]", 200, []string{"2", "9007199254740993", "null", "4"}},
		{"Notes", "2025-03-26", "[" + note + "," + note + "]", 202, nil},
		{"Empty", "2025-03-26", "[]", 400, nil},
		{"TooMany", "2025-03-26", "[" + strings.Repeat(ping("1")+",", maxBatch) + ping("2") + "]", 400, nil},
		{"LaterVersion", "2025-06-18", "[" + ping("1") + "]", 400, nil},
	} {
		got := w.post(c.batch, version(c.version))
		var answers []struct{ ID json.RawMessage }
		ids := []string{}
		if c.ids != nil && json.Unmarshal([]byte(got.body), &answers) != nil {
			t.Errorf("%s: %s is not a list", c.name, got.body)
		}
		for _, a := range answers {
			ids = append(ids, string(a.ID))
		}
		if got.status != c.status || !slices.Equal(ids, append([]string{}, c.ids...)) {
			t.Errorf("%s: %d, answers to %v: %s; want %d, %v", c.name, got.status, ids, got.body, c.status, c.ids)
		}
	}
	if got := w.post("["+ping("1")+"]", func(r *http.Request) { r.Header.Set("Mcp-Session-Id", "none") }); got.status < 400 {
		t.Errorf("a batch of an unknown session: %d %s", got.status, got.body)
	}
}
