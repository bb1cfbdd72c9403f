package httpserve

import (
	"net/http"
	"path/filepath"
	"testing"

	"hence/internal/db"
	"hence/internal/db/dbtest"
	"hence/internal/fault"
	"hence/internal/permit"
	"hence/tools/httpserve/oauth"
	"hence/tools/httpserve/token"
)

// A store that was copied from elsewhere opens no door with what it brings: neither by its
// tokens nor by its map of claims, nor by having nothing that counts.
func TestTokensOfAStoreFromElsewhereDoNotCount(t *testing.T) {
	dbtest.SkipOnCluster(t, "it copies a file")
	ctx, theirs := t.Context(), newStore(t)
	secret, err := token.Add(ctx, theirs, "stranger", token.Token{Name: "back door"})
	if err != nil {
		t.Fatal(err)
	}
	if err := oauth.Map(ctx, theirs, "stranger", oauth.Rule{Claim: "email", Value: "stranger@example.com"}); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "copy.db")
	if err := theirs.Backup(ctx, path); err != nil {
		t.Fatal(err)
	}
	d, err := db.Open(ctx, path, db.Options{State: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	w := openOn(t, d, Options{})
	listTools := func(secret string) int {
		return w.post(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, func(r *http.Request) {
			if secret != "" {
				r.Header.Set("Authorization", "Bearer "+secret)
			}
		}).status
	}
	for name, secret := range map[string]string{"its token": secret, "no token": "", "a guess": "hence_guess"} {
		if got := listTools(secret); got != http.StatusUnauthorized {
			t.Errorf("%s: HTTP %d, want 401", name, got)
		}
	}
	rules, err := oauth.Rules(ctx, d)
	if err != nil || len(rules) != 1 || !rules[0].Elsewhere {
		t.Errorf("rules %+v, %v", rules, err)
	}
	if _, err := token.Add(ctx, d, "me", token.Token{Name: "mine"}); fault.CodeOf(err) != fault.Conflict {
		t.Errorf("a token beside theirs: %v", err)
	}
	if err := oauth.Map(ctx, d, "me", oauth.Rule{Claim: "sub", Value: "me"}); fault.CodeOf(err) != fault.Conflict {
		t.Errorf("a row beside theirs: %v", err)
	}
	records, err := permit.Of(ctx, d, d)
	if err != nil {
		t.Fatal(err)
	}
	if err := records.Adopt(); err != nil {
		t.Fatal(err)
	}
	if got := listTools(secret); got == http.StatusUnauthorized {
		t.Error("its token does not count after the store was adopted")
	}
}
