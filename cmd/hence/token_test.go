package main

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"hence/cmd/hence/internal/screen"
	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/tools/httpserve/token"
)

// A token is revoked by its name, so that a narrow window does not cut it.
func TestDrawTokens_NamesAreWhole(t *testing.T) {
	var out strings.Builder
	names := []string{"ci", "the-agent-that-reviews-what-others-have-written-at-night"}
	v := &view{Page: screen.NewPage(&out, 60, false)}
	v.draw(showTokens([]token.Token{{Name: names[0], Namespace: "a namespace that may be cut"}, {Name: names[1]}}))
	if err := v.Close(); err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if !strings.Contains(out.String(), "\n"+name+" ") {
			t.Errorf("%q is not there whole:\n%s", name, &out)
		}
	}
}

// The error says that a token was revoked only if it was.
func TestRevokeUnprinted_SaysWhetherTheTokenIsRevoked(t *testing.T) {
	for _, c := range []struct {
		name      string
		isStopped bool // the context has ended, so that the store refuses the write
		remaining int
		want      string
	}{
		{"Revoked", false, 0, "token add ci: the token could not be printed and was revoked; run the command again: disk full"},
		{"NotRevoked", true, 1, "token add ci: the token could not be printed and could not be revoked; run hence token revoke ci: disk full; "},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := db.Open(t.Context(), filepath.Join(t.TempDir(), "hence.db"), db.Options{State: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = d.Close() }()
			if _, err := token.Add(t.Context(), d, "ada", token.Token{Name: "ci"}); err != nil {
				t.Fatal(err)
			}
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			if c.isStopped {
				stop()
			}
			err = revokeUnprinted(ctx, ref.View{DB: d, Caller: ref.Caller{Actor: "ada"}}, "ci", errors.New("disk full"))
			if fault.CodeOf(err) != fault.Unavailable || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("%s: %v, want %s", fault.CodeOf(err), err, c.want)
			}
			if all, err := token.List(t.Context(), d); err != nil || len(all) != c.remaining {
				t.Errorf("%d tokens remain, %v; want %d", len(all), err, c.remaining)
			}
		})
	}
}
