package httpserve

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"hence/tools/explore"
	"hence/tools/httpserve/oauth"
	"hence/tools/wire"
)

// guard refuses requests of foreign web pages. A page can make a browser send requests to this
// machine under a name that the page's owner controls (DNS rebinding). So the Host header must
// be a name that nobody else controls, and the Origin header must be this server or an allowed
// name.
type guard struct {
	local bool     // the server listens on a loopback address
	hosts []string // further names of this server
}

// wrap returns a handler that passes only the requests that guard accepts to next.
func (g guard) wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !g.isOurs(r.Host):
			refuse(w, r, http.StatusForbidden, "the Host header is not a name of this server; allow it with --allow-host")
		case !g.isOriginAllowed(r):
			refuse(w, r, http.StatusForbidden, "pages of this origin may not use this server; allow its host with --allow-host")
		default:
			w.Header().Set("X-Content-Type-Options", "nosniff")
			next.ServeHTTP(w, r)
		}
	})
}

// isOurs reports whether a Host header names this server: a loopback name, an allowed name or,
// unless the server is local, any IP address. Only names can be rebound, not addresses.
func (g guard) isOurs(header string) bool {
	host := hostOf(header)
	if oauth.IsLoopback(host) || g.isAllowed(host) {
		return true
	}
	_, err := netip.ParseAddr(host)
	return err == nil && !g.local
}

// isOriginAllowed reports whether a request comes from a page of this machine, of an allowed
// name or of the server itself, or does not come from a page. The explorer's frame sends the
// origin "null"; it may load its scripts, which hold no data.
func (g guard) isOriginAllowed(r *http.Request) bool {
	origins := r.Header.Values("Origin")
	if len(origins) == 0 {
		return true // not from a page
	}
	if origins[0] == "null" && r.Method == http.MethodGet && strings.HasPrefix(r.URL.Path, explore.FramePath) && len(origins) == 1 {
		return true
	}
	page, err := url.Parse(origins[0])
	if err != nil || len(origins) > 1 || page.Scheme != "http" && page.Scheme != "https" || page.User != nil {
		return false
	}
	host := hostOf(page.Host)
	return oauth.IsLoopback(host) || g.isAllowed(host) || strings.EqualFold(page.Host, r.Host)
}

// isAllowed reports whether a name is allowed. Ports are ignored.
func (g guard) isAllowed(host string) bool {
	return slices.ContainsFunc(g.hosts, func(h string) bool { return strings.EqualFold(hostOf(h), host) })
}

// hostOf returns the host of "host", "host:port" or "[address]:port".
func hostOf(header string) string {
	if host, _, err := net.SplitHostPort(header); err == nil {
		return host
	}
	return strings.TrimSuffix(strings.TrimPrefix(header, "["), "]")
}

// withLimits returns a handler that applies the limits of size and time to requests to next.
// enter checks the headers before the body is read, so that no client without a token can fill
// memory; it answers requests that it refuses. withLimits reads the body itself, so that its
// answer tells a body that is too large from one that breaks off.
func withLimits(enter func(w http.ResponseWriter, r *http.Request) (*http.Request, bool), next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		_ = control.SetReadDeadline(time.Now().Add(bodyTime))
		r, ok := enter(w, r)
		if !ok {
			return
		}
		limit := int64(MaxBody)
		if s, ok := r.Context().Value(tokenServerKey{}).(*tokenServer); ok {
			limit = s.maxBody
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
		switch tooLong, isTooLong := errors.AsType[*http.MaxBytesError](err); {
		case isTooLong:
			refuse(w, r, http.StatusRequestEntityTooLarge, fmt.Sprintf("a message may have at most %d bytes", tooLong.Limit))
			return
		case err != nil:
			refuse(w, r, http.StatusBadRequest, "the body cannot be read")
			return
		}
		if err := wire.CheckMembers(body); err != nil {
			refuse(w, r, http.StatusBadRequest, err.Error())
			return
		}
		_ = control.SetReadDeadline(time.Time{})
		r.Body = io.NopCloser(bytes.NewReader(body))
		if isStream(r, body) {
			_ = control.SetWriteDeadline(time.Time{}) // an earlier call on the connection set one
			next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), streaming{}, true)))
			return
		}
		_ = control.SetWriteDeadline(time.Now().Add(callTime + bodyTime))
		ctx, end := context.WithTimeout(r.Context(), callTime)
		defer end()
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// dropBody admits every request and ignores its body.
func dropBody(_ http.ResponseWriter, r *http.Request) (*http.Request, bool) {
	r = r.WithContext(r.Context())
	r.Body = http.NoBody
	return r, true
}

// streaming is the context key that marks requests that open a stream.
type streaming struct{}

// isStream reports whether a request opens a stream: of notifications to a client, or of
// events to the explorer's page.
func isStream(r *http.Request, body []byte) bool {
	if r.URL.Path == explore.EventsPath {
		return r.Method == http.MethodGet
	}
	if r.URL.Path != Path {
		return false
	}
	if r.Method == http.MethodGet {
		return true
	}
	var message struct{ Method mcp.MCPMethod }
	return r.Header.Get(mcp.HeaderMethod) == string(mcp.MethodSubscriptionsListen) &&
		json.Unmarshal(body, &message) == nil && message.Method == mcp.MethodSubscriptionsListen
}

// maxSessions is the limit of open sessions per token.
const maxSessions = 1000

// sessions holds the open sessions of one token. It replaces the default of mcp-go, which
// accepts any well-formed id, so that a client would not notice that the server was restarted
// and its subscriptions are lost.
type sessions struct {
	mu   sync.Mutex
	open map[string]bool
}

// Generate opens a session and returns its id.
func (s *sessions) Generate() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := rand.Text()
	s.open[id] = true
	return id
}

// Validate returns an error if a session is not open, so that the client begins a new one.
func (s *sessions) Validate(id string) (isTerminated bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.open[id] {
		return false, errors.New("there is no open session with this id")
	}
	return false, nil
}

// Terminate closes a session.
func (s *sessions) Terminate(id string) (isNotAllowed bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, id)
	return false, nil
}

// isFull reports whether no more sessions may be opened.
func (s *sessions) isFull() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.open) >= maxSessions
}
