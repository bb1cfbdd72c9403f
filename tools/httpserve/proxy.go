package httpserve

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"

	"golang.org/x/time/rate"

	"hence/internal/fault"
)

// proxies are the addresses from which requests come, where a proxy stands before the
// server and does TLS. Nobody else is answered then, but this machine.
type proxies []netip.Prefix

// parseProxies reads addresses and ranges, such as 10.0.0.0/8. It fails with
// invalid_argument for anything else.
func parseProxies(texts []string) (all proxies, err error) {
	for _, text := range texts {
		prefix, err := netip.ParsePrefix(text)
		if addr, wrong := netip.ParseAddr(text); err != nil && wrong == nil {
			prefix, err = addr.Prefix(addr.BitLen())
		}
		if err != nil {
			return nil, fault.New(fault.InvalidArgument, "serve: --trusted-proxy %q is not an address or a range; write it as 127.0.0.1 or 10.0.0.0/8", text)
		}
		all = append(all, prefix.Masked())
	}
	return all, nil
}

func (p proxies) has(addr netip.Addr) bool {
	return slices.ContainsFunc(p, func(one netip.Prefix) bool { return one.Contains(addr) })
}

// client returns the address that a request comes from: behind a trusted proxy the last
// one of X-Forwarded-For that is not a trusted proxy itself, because the proxy adds at
// the end what it sees, and a client can write anything before that.
func (p proxies) client(r *http.Request) netip.Addr {
	at := remoteAddr(r)
	if !p.has(at) {
		return at
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, hop := range slices.Backward(hops) {
		addr, err := netip.ParseAddr(hostOf(strings.TrimSpace(hop)))
		if err != nil {
			return at
		}
		if at = addr.Unmap(); !p.has(at) {
			return at
		}
	}
	return at
}

func remoteAddr(r *http.Request) netip.Addr {
	at, _ := netip.ParseAddrPort(r.RemoteAddr)
	return at.Addr().Unmap()
}

// wrap refuses requests that come around the proxy, unencrypted.
func (p proxies) wrap(next http.Handler) http.Handler {
	if len(p) == 0 {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if at := remoteAddr(r); !p.has(at) && !at.IsLoopback() {
			refuse(w, r, http.StatusForbidden, "this server is asked through its proxy; see --trusted-proxy")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// wrongTokens limits how often one address may try wrong tokens, so that nobody locks the
// others out.
type wrongTokens struct {
	mu sync.Mutex
	of map[netip.Addr]*rate.Limiter
}

const maxAddresses = 10_000 // that are told apart

func (t *wrongTokens) limiter(of netip.Addr) *rate.Limiter {
	if of.Is6() {
		prefix, _ := of.Prefix(64)
		of = prefix.Addr()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.of == nil || len(t.of) >= maxAddresses {
		t.of = map[netip.Addr]*rate.Limiter{}
	}
	if t.of[of] == nil {
		t.of[of] = rate.NewLimiter(maxWrongTokens, 5*maxWrongTokens)
	}
	return t.of[of]
}

// wrongOf is the limiter for wrong tokens of whoever makes a request.
func (g *door) wrongOf(r *http.Request) *rate.Limiter { return g.wrong.limiter(g.proxies.client(r)) }
