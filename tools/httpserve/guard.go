package httpserve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"hence/tools/wire"
)

// guard keeps web pages out. A page of elsewhere can make a browser send
// requests to this machine, under a name that the page's owner points here
// (DNS rebinding): so the name must be one that nobody else can point, and
// the page must be one of ours.
type guard struct {
	local bool     // the server listens on this machine only
	hosts []string // further names it is called by
}

func (g guard) before(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !g.isOurs(r.Host):
			refuse(w, r, http.StatusForbidden, "this server is not called by that name; see --allow-host")
		case !g.mayAsk(r):
			refuse(w, r, http.StatusForbidden, "pages of that origin may not ask this server; see --allow-host")
		default:
			w.Header().Set("X-Content-Type-Options", "nosniff")
			next.ServeHTTP(w, r)
		}
	})
}

// isOurs reports whether a Host header names this server: this machine, a
// name that was allowed, or, where others may come, an address; nobody can
// point an address elsewhere.
func (g guard) isOurs(header string) bool {
	host := hostOf(header)
	if isLoopback(host) || g.isAllowed(host) {
		return true
	}
	_, err := netip.ParseAddr(host)
	return err == nil && !g.local
}

// mayAsk reports whether the page that asks, if it is one, is of this
// machine, of a name that was allowed, or the server's own.
func (g guard) mayAsk(r *http.Request) bool {
	origins := r.Header.Values("Origin")
	if len(origins) == 0 {
		return true // no browser
	}
	page, err := url.Parse(origins[0])
	if err != nil || len(origins) > 1 || page.Scheme != "http" && page.Scheme != "https" || page.User != nil {
		return false
	}
	host := hostOf(page.Host)
	return isLoopback(host) || g.isAllowed(host) || strings.EqualFold(page.Host, r.Host)
}

// isAllowed reports whether a name was allowed, whatever port was named with it.
func (g guard) isAllowed(host string) bool {
	return slices.ContainsFunc(g.hosts, func(h string) bool { return strings.EqualFold(hostOf(h), host) })
}

// hostOf is the host of "host", "host:port" or "[address]:port".
func hostOf(header string) string {
	if host, _, err := net.SplitHostPort(header); err == nil {
		return host
	}
	return strings.TrimSuffix(strings.TrimPrefix(header, "["), "]")
}

// isLoopback reports whether a host can only be this machine.
func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.IsLoopback()
}

// limited holds a request to the limits of size and time. enter says by the
// headers whether it may come in, and answers it where not: nothing is read of
// the body before, so that nobody fills the memory without a token. The body
// is read here, so that one that is too large is told from one that is broken.
func limited(enter func(w http.ResponseWriter, r *http.Request) (*http.Request, bool), next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		_ = control.SetReadDeadline(time.Now().Add(bodyTime))
		r, ok := enter(w, r)
		if !ok {
			return
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxBody))
		var long *http.MaxBytesError
		switch {
		case errors.As(err, &long):
			refuse(w, r, http.StatusRequestEntityTooLarge, "a message has at most 16 MiB")
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
			_ = control.SetWriteDeadline(time.Time{}) // of the connection's last call
			next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), streaming{}, true)))
			return
		}
		_ = control.SetWriteDeadline(time.Now().Add(callTime + bodyTime))
		ctx, end := context.WithTimeout(r.Context(), callTime)
		defer end()
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// bodiless lets everybody in, and nothing that they send.
func bodiless(_ http.ResponseWriter, r *http.Request) (*http.Request, bool) {
	r = r.WithContext(r.Context())
	r.Body = http.NoBody
	return r, true
}

// streaming marks the context of a request that stays open.
type streaming struct{}

// isStream reports whether a request is for what the server says unasked, and
// stays open.
func isStream(r *http.Request, body []byte) bool {
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
