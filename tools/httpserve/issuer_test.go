package httpserve

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

// issuer is an identity provider of tests: it has keys, and signs tokens.
type issuer struct {
	t      testing.TB
	server *httptest.Server
	mu     sync.Mutex
	keys   []jose.JSONWebKey // private; the last one signs
	asked  int               // how often its keys were read
	down   bool
}

func newIssuer(t testing.TB) *issuer {
	i := &issuer{t: t}
	i.rotate("first")
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]any{"issuer": i.url(), "jwks_uri": i.url() + "/keys"})
	})
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, _ *http.Request) {
		i.mu.Lock()
		defer i.mu.Unlock()
		if i.asked++; i.down {
			http.Error(w, "down", http.StatusBadGateway)
			return
		}
		set := jose.JSONWebKeySet{}
		for _, key := range i.keys {
			set.Keys = append(set.Keys, key.Public())
		}
		_ = json.NewEncoder(w).Encode(set)
	})
	i.server = httptest.NewServer(mux)
	t.Cleanup(i.server.Close)
	return i
}

func (i *issuer) url() string { return i.server.URL }

func newKey(t testing.TB, id string) jose.JSONWebKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return jose.JSONWebKey{Key: key, KeyID: id, Algorithm: "ES256", Use: "sig"}
}

// rotate adds a key, which signs from now on.
func (i *issuer) rotate(id string) {
	key := newKey(i.t, id)
	i.mu.Lock()
	defer i.mu.Unlock()
	i.keys = append(i.keys, key)
}

func (i *issuer) signing() jose.JSONWebKey {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.keys[len(i.keys)-1]
}

func (i *issuer) timesAsked() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.asked
}

// claims returns the claims of a valid token for a server, with changes; nil removes a
// claim.
func (i *issuer) claims(audience string, changes map[string]any) map[string]any {
	now := time.Now()
	all := map[string]any{
		"iss": i.url(), "sub": "ada", "aud": audience, "scope": "hence:write", "client_id": "client",
		"iat": now.Unix(), "nbf": now.Unix(), "exp": now.Add(time.Hour).Unix(),
	}
	maps.Copy(all, changes)
	maps.DeleteFunc(all, func(_ string, value any) bool { return value == nil })
	return all
}

// sign signs claims with a key, as a token of a type.
func sign(t testing.TB, key jose.SigningKey, typ string, claims map[string]any) string {
	t.Helper()
	o := &jose.SignerOptions{}
	if typ != "" {
		o = o.WithType(jose.ContentType(typ))
	}
	signer, err := jose.NewSigner(key, o)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := jwt.Signed(signer).Claims(claims).Serialize()
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// token returns a valid token with changes to its claims.
func (i *issuer) token(audience string, changes map[string]any) string {
	i.t.Helper()
	return sign(i.t, jose.SigningKey{Algorithm: jose.ES256, Key: i.signing()}, "at+jwt", i.claims(audience, changes))
}

// withToken returns a change of a request that adds a token.
func withToken(token string) func(r *http.Request) {
	return func(r *http.Request) { r.Header.Set("Authorization", fmt.Sprint("Bearer ", token)) }
}
