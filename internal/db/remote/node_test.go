package remote

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"hence/internal/fault"
)

// answering is a client of a node that answers every request with a body.
func answering(t *testing.T, body string) *Client {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(body)) }))
	t.Cleanup(s.Close)
	c, err := New(Address{File: "db.sqlite", Nodes: []string{strings.TrimPrefix(s.URL, "http://")}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// rqlite writes a number where the text of a statistic has only digits, as the 0 of a leader.
func TestContact(t *testing.T) {
	for _, c := range []struct {
		name, state, contact string
		want                 time.Duration
	}{
		{"Leader", "Leader", `0`, 0},
		{"LeaderThatFollowed", "Leader", `"2m3s"`, 0},
		{"Follower", "Follower", `"12.5ms"`, 12500 * time.Microsecond},
		{"NeverHeard", "Candidate", `"never"`, -1},
		{"Missing", "Follower", `null`, -1},
	} {
		t.Run(c.name, func(t *testing.T) {
			body := `{"build":{"version":"8"},"store":{"node_id":"n2","leader":{"addr":"h:4002","node_id":"n1"},"sqlite3":{"version":"3.45.1"},
				"raft":{"state":"` + c.state + `","last_contact":` + c.contact + `,"applied_index":7,"commit_index":9}}}`
			got, err := answering(t, body).Contact(t.Context())
			want := Contact{ID: "n2", State: c.state, Leader: "h:4002", Silence: c.want, Applied: 7, Commit: 9, Version: "8", Engine: "3.45.1"}
			if err != nil || got != want {
				t.Errorf("got %+v, %v\nwant %+v", got, err, want)
			}
		})
	}
	if _, err := answering(t, `[`).Contact(t.Context()); fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("a broken answer: %v", err)
	}
}

func TestCopy(t *testing.T) {
	var to strings.Builder
	c := answering(t, "the bytes of a file")
	if err := c.Copy(t.Context(), c.address.Nodes[0], &to); err != nil || to.String() != "the bytes of a file" {
		t.Errorf("got %q, %v", to.String(), err)
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no room", http.StatusInternalServerError) }))
	defer s.Close()
	if err := c.Copy(t.Context(), strings.TrimPrefix(s.URL, "http://"), &to); fault.CodeOf(err) != fault.Unavailable || !strings.Contains(err.Error(), "no room") {
		t.Errorf("a node that fails: %v", err)
	}
}
