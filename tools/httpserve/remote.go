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
	"hence/tools"
	"hence/tools/httpserve/oauth"
	"hence/tools/httpserve/token"
)

// metadataPath is the address at which a client finds the issuer of tokens for this server
// (RFC 9728). The same answer is at metadataPath + Path.
const metadataPath = "/.well-known/oauth-protected-resource"

// holder identifies the client that a tokenServer serves: the holder of a token that Hence
// issued, or a subject of the identity provider with its rights. The zero holder has the
// server's secret, or needs no token.
type holder struct {
	token.Token
	subject string // oauth.Claims.Subject; "" for tokens that Hence issued
}

// lease holds the latest token with which the identity provider admitted a holder.
type lease struct {
	mu     sync.Mutex
	claims oauth.Claims
	until  time.Time // expiry of the token, plus oauth.Skew
}

// renew replaces the token of a lease by one that expires later.
func (l *lease) renew(c oauth.Claims) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if until := c.Expiry.Add(oauth.Skew); until.After(l.until) {
		l.claims, l.until = c, until
	}
}

// claimsKey is the context key of the claims of a request's token.
type claimsKey struct{}

// admitProviderToken is admit for tokens of the identity provider.
func (g *door) admitProviderToken(w http.ResponseWriter, r *http.Request, raw string) (*http.Request, holder, bool) {
	claims, err := g.remote.Verify(r.Context(), raw)
	switch {
	case errors.Is(err, oauth.ErrUnavailable):
		g.options.Tools.Log.Warn("tokens cannot be checked", "error", err)
		w.Header().Set("Retry-After", "5")
		refuse(w, r, http.StatusServiceUnavailable, "the keys of the identity provider cannot be read now; try again")
		return r, holder{}, false
	case err != nil && g.slowDown(w, r):
		return r, holder{}, false
	case err != nil:
		// The client may read why, because it has the token. A header cannot hold all
		// characters.
		why := strings.Map(func(c rune) rune {
			if c < ' ' || c > '~' || c == '"' || c == '\\' {
				return '\''
			}
			return c
		}, err.Error())
		rules, _ := oauth.Rules(r.Context(), g.db) // if this fails, the challenge names no scopes
		w.Header().Set("WWW-Authenticate", g.challenge(rules, fmt.Sprintf(`error="invalid_token", error_description="%s"`, why)))
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
		w.Header().Set("WWW-Authenticate", g.challenge(rules, `error="insufficient_scope", error_description="no row of the map of tokens is for this token"`))
		refuse(w, r, http.StatusForbidden, "the token is valid, but no row of the map of tokens is for it; add one with hence token map")
		return r, holder{}, false
	}
	return r.WithContext(context.WithValue(r.Context(), claimsKey{}, claims)), holderOf(claims, right), true
}

// holderOf returns the holder of a token with claims, to whom the map gives a right.
func holderOf(c oauth.Claims, right oauth.Rule) holder {
	return holder{
		Token:   token.Token{Name: c.Name, Namespace: right.Namespace, ReadOnly: right.ReadOnly, Rate: right.Rate, MaxBody: right.MaxBody},
		subject: c.Subject,
	}
}

// challenge returns the WWW-Authenticate header of an answer, which tells a client how to get a
// token: the address of the metadata, and the scopes in rules. problem is the error and its
// description as parameters of the header, "" for none.
func (g *door) challenge(rules []oauth.Rule, problem string) string {
	parts := []string{`Bearer realm="hence"`}
	if g.remote != nil {
		parts = append(parts, fmt.Sprintf("resource_metadata=%q", strings.TrimSuffix(g.options.Resource, Path)+metadataPath+Path))
		if scopes := oauth.ScopesOf(rules); len(scopes) > 0 {
			parts = append(parts, fmt.Sprintf("scope=%q", strings.Join(scopes, " ")))
		}
	}
	if problem != "" {
		parts = append(parts, problem)
	}
	return strings.Join(parts, ", ")
}

// refuseForScope answers a call of a tool that writes if the request has a token of the
// identity provider that may only read, and one more scope would let it write. The answer
// names that scope, so that the client may request it (step-up authorization). It returns
// whether it answered.
func (g *door) refuseForScope(w http.ResponseWriter, r *http.Request) bool {
	claims, isRemote := r.Context().Value(claimsKey{}).(oauth.Claims)
	if r.Method != http.MethodPost || !isRemote || !serverOf(r).holder.ReadOnly || g.options.Tools.ReadOnly {
		return false
	}
	body, err := io.ReadAll(r.Body) // from memory: withLimits has read the body
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
		return false // the call itself fails then
	}
	needed, ok := oauth.ScopeToWrite(rules, claims)
	if !ok {
		return false
	}
	w.Header().Set("WWW-Authenticate", g.challenge([]oauth.Rule{needed}, `error="insufficient_scope", error_description="the token may only read"`))
	refuse(w, r, http.StatusForbidden, "the token may only read; the scope "+needed.Value+" lets it write")
	return true
}

// writingTools returns the names of the tools of the memory toolset that write.
func writingTools() map[string]bool {
	names := map[string]bool{}
	for _, t := range tools.All() {
		names[t.Name] = t.Toolset == tools.MemorySet && !t.Hints.ReadOnly
	}
	return names
}

// metadata answers with the issuer and the scopes of tokens for this server (RFC 9728).
func (g *door) metadata(w http.ResponseWriter, r *http.Request) {
	rules, err := oauth.Rules(r.Context(), g.db)
	if err != nil {
		http.Error(w, "the store cannot be read", http.StatusServiceUnavailable)
		return
	}
	raw := db.List(map[string]any{
		"resource":                 g.options.Resource,
		"resource_name":            "Hence",
		"authorization_servers":    []string{g.options.Issuer},
		"bearer_methods_supported": []string{"header"},
		"scopes_supported":         oauth.ScopesOf(rules),
	})
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "max-age=300")
	_, _ = io.WriteString(w, raw) // the client may be gone
}

// isStillHeld reports whether a subject of the identity provider still has the rights of its
// server: its last token has not expired, and the rules still give the same rights.
func (s *tokenServer) isStillHeld(client holder, rules []oauth.Rule) bool {
	s.lease.mu.Lock()
	defer s.lease.mu.Unlock()
	right, ok := oauth.Right(rules, s.lease.claims)
	return ok && time.Now().Before(s.lease.until) && holderOf(s.lease.claims, right) == client
}
