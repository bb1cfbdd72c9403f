package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"hence/internal/db"
	"hence/internal/fault"
)

func TestReadyAsksAServer(t *testing.T) {
	answer := func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/readyz" {
			t.Errorf("it asks for %s", r.URL.Path)
		}
		if strings.Contains(r.Host, "localhost") {
			http.Error(w, "outdated: heard from the leader 20.0 s ago", http.StatusServiceUnavailable)
			return
		}
		_, _ = w.Write([]byte("ok\n"))
	}
	plain, secure := httptest.NewServer(http.HandlerFunc(answer)), httptest.NewTLSServer(http.HandlerFunc(answer))
	defer plain.Close()
	defer secure.Close()
	port := plain.URL[strings.LastIndex(plain.URL, ":"):]
	for _, c := range []struct {
		name, address, said string
		code                fault.Code
		words               string
	}{
		{"ByHostAndPort", "127.0.0.1" + port, "ok", "", ""},
		{"ByURLOfTheProtocol", plain.URL + "/mcp", "ok", "", ""},
		{"ByTLSOfThisMachine", secure.URL, "ok", "", ""},
		{"Outdated", "localhost" + port, "", fault.Unavailable, "503 Service Unavailable: outdated"},
		{"NobodyThere", "127.0.0.1:1", "", fault.Unavailable, "no answer"},
		{"NotAnAddress", "ftp://127.0.0.1", "", fault.InvalidArgument, "is not an address"},
	} {
		t.Run(c.name, func(t *testing.T) {
			said, err := askReady(t.Context(), c.address)
			if said != c.said || fault.CodeOf(err) != c.code || err != nil && !strings.Contains(err.Error(), c.words) {
				t.Errorf("%q, %v; want %q, %s", said, err, c.said, c.words)
			}
		})
	}
}

func TestAMigrationIsToldOnStandardError(t *testing.T) {
	var out, errs strings.Builder
	s := &session{out: &out, err: &errs}
	s.options().Migrated(db.Migration{Saved: "/x/hence.db.before-schema-2-1", From: 1, To: 2, WrittenBy: "0.1.0"})
	want := "hence: the store was written by Hence 0.1.0 and now has schema 2 instead of 1; as it was, it is saved as /x/hence.db.before-schema-2-1\n"
	if out.Len() > 0 || errs.String() != want {
		t.Errorf("%q, %q; want %q", out.String(), errs.String(), want)
	}
}
