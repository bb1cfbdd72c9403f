package httpserve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"hence/internal/db"
	"hence/internal/ref"
	"hence/tools"
	"hence/tools/httpserve/oauth"
	"hence/tools/httpserve/token"
)

// metadataPath is where a client finds who issues tokens for this server (RFC 9728): at
// the root, and with the path of the protocol behind it.
const metadataPath = "/.well-known/oauth-protected-resource"

// holder is who a face serves: a token of our own, or somebody whom the identity provider
// has named. The zero holder has the secret, or needs none.
type holder struct {
	token.Token
	subject string // "" for tokens of our own
}

// lease is until when the holder of a face was admitted by the identity provider.
type lease struct {
	mu     sync.Mutex
	claims oauth.Claims
	until  time.Time
}

// renew keeps the latest of the tokens of a holder.
func (l *lease) renew(c oauth.Claims) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if until := c.Expiry.Add(oauth.Skew); until.After(l.until) {
		l.claims, l.until = c, until
	}
}

// claimsKey is the context key of the claims of a request.
type claimsKey struct{}

// admitRemote returns the holder of a token of the identity provider. It answers requests
// that it does not admit.
func (g *door) admitRemote(w http.ResponseWriter, r *http.Request, raw string) (*http.Request, holder, bool) {
	claims, err := g.remote.Verify(r.Context(), raw)
	switch {
	case errors.Is(err, oauth.ErrUnavailable):
		g.options.Tools.Log.Warn("tokens cannot be checked", "error", err)
		w.Header().Set("Retry-After", "5")
		refuse(w, r, http.StatusServiceUnavailable, "the identity provider cannot be asked for its keys now; try again")
		return r, holder{}, false
	case err != nil && !g.wrongOf(r).Allow():
		w.Header().Set("Retry-After", "1")
		refuse(w, r, http.StatusTooManyRequests, "too many wrong tokens")
		return r, holder{}, false
	case err != nil:
		// The answer says why, because the client has the token.
		why := strings.Map(func(c rune) rune {
			if c < ' ' || c > '~' || c == '"' || c == '\\' {
				return '\''
			}
			return c
		}, err.Error())
		rules, _ := oauth.Rules(r.Context(), g.db) // without scopes at worst
		w.Header().Set("WWW-Authenticate", g.challenge(r, rules, fmt.Sprintf(`error="invalid_token", error_description="%s"`, why)))
		refuse(w, r, http.StatusUnauthorized, err.Error())
		return r, holder{}, false
	}
	rules, err := oauth.Rules(r.Context(), g.db)
	if err != nil {
		refuse(w, r, http.StatusServiceUnavailable, "the store cannot be read")
		return r, holder{}, false
	}
	right, ok := oauth.Right(rules, claims)
	if !ok {
		w.Header().Set("WWW-Authenticate", g.challenge(r, rules, `error="insufficient_scope", error_description="no row of the map of tokens is for this token"`))
		refuse(w, r, http.StatusForbidden, "the token is valid, and gives access to nothing here: see hence token map")
		return r, holder{}, false
	}
	return r.WithContext(context.WithValue(r.Context(), claimsKey{}, claims)), holderOf(claims, right), true
}

func holderOf(c oauth.Claims, right oauth.Rule) holder {
	return holder{
		Token:   token.Token{Name: c.Name, Namespace: right.Namespace, ReadOnly: right.ReadOnly, Rate: right.Rate, MaxBody: right.MaxBody},
		subject: c.Subject,
	}
}

// challenge is what a client needs to get a token: where the metadata is, and which scopes
// the map knows.
func (g *door) challenge(r *http.Request, rules []oauth.Rule, wrong string) string {
	parts := []string{`Bearer realm="hence"`}
	if g.remote != nil {
		parts = append(parts, fmt.Sprintf("resource_metadata=%q", strings.TrimSuffix(g.options.Resource, Path)+metadataPath+Path))
		if scopes := oauth.ScopesOf(rules); len(scopes) > 0 {
			parts = append(parts, fmt.Sprintf("scope=%q", strings.Join(scopes, " ")))
		}
	}
	if wrong != "" {
		parts = append(parts, wrong)
	}
	return strings.Join(parts, ", ")
}

// asksForMore answers a call of a tool that writes, by a token of the identity provider
// that may only read, where another scope would let it write: the client may then ask for
// that scope too (step-up authorization).
func (g *door) asksForMore(w http.ResponseWriter, r *http.Request) bool {
	claims, isRemote := r.Context().Value(claimsKey{}).(oauth.Claims)
	if r.Method != http.MethodPost || !isRemote || !faceOf(r).who.ReadOnly || g.options.Tools.ReadOnly {
		return false
	}
	body, err := io.ReadAll(r.Body) // withLimits has read it
	r.Body = io.NopCloser(bytes.NewReader(body))
	var call struct {
		Method mcp.MCPMethod
		Params struct{ Name string }
	}
	if err != nil || json.Unmarshal(body, &call) != nil || call.Method != mcp.MethodToolsCall || !g.writing()[call.Params.Name] {
		return false
	}
	rules, err := oauth.Rules(r.Context(), g.db)
	if err != nil {
		return false // the call itself says so
	}
	needed, ok := oauth.ScopeToWrite(rules, claims)
	if !ok {
		return false
	}
	w.Header().Set("WWW-Authenticate", g.challenge(r, []oauth.Rule{needed}, `error="insufficient_scope", error_description="the token may only read"`))
	refuse(w, r, http.StatusForbidden, "the token may only read; the scope "+needed.Value+" lets it write")
	return true
}

// writingTools returns the names of the tools for memories that change something.
func writingTools(d *db.DB) map[string]bool {
	names := map[string]bool{}
	for _, t := range tools.All(d, ref.Caller{}) {
		names[t.Name] = t.Toolset == tools.MemorySet && !t.Hints.ReadOnly
	}
	return names
}

// metadata says who issues tokens for this server (RFC 9728).
func (g *door) metadata(w http.ResponseWriter, r *http.Request) {
	rules, err := oauth.Rules(r.Context(), g.db)
	if err != nil {
		http.Error(w, "the store cannot be read", http.StatusServiceUnavailable)
		return
	}
	raw, err := json.Marshal(map[string]any{
		"resource":                 g.options.Resource,
		"resource_name":            "Hence",
		"authorization_servers":    []string{g.options.Issuer},
		"bearer_methods_supported": []string{"header"},
		"scopes_supported":         oauth.ScopesOf(rules),
	})
	if err != nil {
		panic(err) // texts
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "max-age=300")
	_, _ = w.Write(raw)
}

// isStillHeld reports whether a holder whom the identity provider admitted still has the
// rights of its face: its last token has not expired, and the map has not changed.
func (f *face) isStillHeld(who holder, rules []oauth.Rule) bool {
	f.lease.mu.Lock()
	defer f.lease.mu.Unlock()
	right, ok := oauth.Right(rules, f.lease.claims)
	return ok && time.Now().Before(f.lease.until) && holderOf(f.lease.claims, right) == who
}
