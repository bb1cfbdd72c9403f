package httpserve

import (
	"crypto/tls"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"hence/internal/fault"
)

// proxies are the addresses of proxies that do TLS in front of the server. If there are any,
// the server answers only requests from them and from this machine.
type proxies []netip.Prefix

// parseProxies parses addresses and ranges, such as 10.0.0.0/8. It fails with invalid_argument
// for anything else.
func parseProxies(texts []string) (all proxies, err error) {
	for _, text := range texts {
		prefix, err := netip.ParsePrefix(text)
		if addr, addrErr := netip.ParseAddr(text); err != nil && addrErr == nil {
			prefix, err = addr.Prefix(addr.BitLen())
		}
		if err != nil {
			return nil, fault.New(fault.InvalidArgument, "serve: --trusted-proxy %q is not an address or a range; write it as 127.0.0.1 or 10.0.0.0/8", text)
		}
		all = append(all, prefix.Masked())
	}
	return all, nil
}

// has reports whether an address is one of a trusted proxy.
func (p proxies) has(addr netip.Addr) bool {
	return slices.ContainsFunc(p, func(prefix netip.Prefix) bool { return prefix.Contains(addr) })
}

// clientAddr returns the address that a request comes from. If a trusted proxy sent it, that is
// the last address of X-Forwarded-For that is not a trusted proxy, because each proxy appends
// the address that it sees, and a client can write anything before that.
func (p proxies) clientAddr(r *http.Request) netip.Addr {
	client := remoteAddr(r)
	if !p.has(client) {
		return client
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, hop := range slices.Backward(hops) {
		addr, err := netip.ParseAddr(hostOf(strings.TrimSpace(hop)))
		if err != nil {
			return client
		}
		if client = addr.Unmap(); !p.has(client) {
			return client
		}
	}
	return client
}

// remoteAddr returns the address of the other end of a request's connection.
func remoteAddr(r *http.Request) netip.Addr {
	remote, _ := netip.ParseAddrPort(r.RemoteAddr)
	return remote.Addr().Unmap()
}

// wrap returns a handler that refuses requests that bypass the proxies, and so are not
// encrypted.
func (p proxies) wrap(next http.Handler) http.Handler {
	if len(p) == 0 {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if remote := remoteAddr(r); !p.has(remote) && !remote.IsLoopback() {
			refuse(w, r, http.StatusForbidden, "requests must come through the proxy of this server; see --trusted-proxy")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// wrongTokens limits how often each address may try wrong tokens, so that one client cannot
// lock out the others.
type wrongTokens struct {
	mu       sync.Mutex
	limiters map[netip.Addr]*rate.Limiter
}

const maxAddresses = 10_000 // with a limiter; beyond that all limiters are reset

// limiter returns the limiter of an address. The addresses of an IPv6 /64 share one.
func (t *wrongTokens) limiter(addr netip.Addr) *rate.Limiter {
	if addr.Is6() {
		prefix, _ := addr.Prefix(64)
		addr = prefix.Addr()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.limiters == nil || len(t.limiters) >= maxAddresses {
		t.limiters = map[netip.Addr]*rate.Limiter{}
	}
	if t.limiters[addr] == nil {
		t.limiters[addr] = rate.NewLimiter(maxWrongTokens, 5*maxWrongTokens)
	}
	return t.limiters[addr]
}

// slowDown answers a request with a wrong token if its client may not try another one now, and reports whether it did.
func (g *door) slowDown(w http.ResponseWriter, r *http.Request) bool {
	if g.wrong.limiter(g.proxies.clientAddr(r)).Allow() {
		return false
	}
	w.Header().Set("Retry-After", "1")
	refuse(w, r, http.StatusTooManyRequests, "too many wrong tokens; wait a second")
	return true
}

// certificate is a certificate and its key in two files. They are read again and again, so that a
// renewal needs no restart of the server.
type certificate struct {
	cert, key   string // paths
	mu          sync.Mutex
	loaded      *tls.Certificate
	loadedAt    time.Time
	onError     func(error) // called once for files that cannot be read
	hasReported bool        // onError was called since the last success
}

// loadEvery is the shortest time between two reads of the files.
const loadEvery = time.Second

// loadCertificate reads the two files. It fails with invalid_argument if they do not hold
// a certificate and its key.
func loadCertificate(cert, key string, onError func(error)) (*certificate, error) {
	c := &certificate{cert: cert, key: key, onError: onError}
	if _, err := c.get(nil); err != nil {
		return nil, fault.Wrap(fault.InvalidArgument, err, "serve: the files of --tls-cert and --tls-key cannot be used")
	}
	return c, nil
}

// get returns the certificate for a connection. If the files cannot be read, it returns
// the previous one.
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.loaded != nil && time.Since(c.loadedAt) < loadEvery {
		return c.loaded, nil
	}
	c.loadedAt = time.Now()
	fresh, err := tls.LoadX509KeyPair(c.cert, c.key)
	switch {
	case err == nil:
		c.loaded, c.hasReported = &fresh, false
	case c.loaded == nil:
		return nil, err
	case !c.hasReported:
		c.hasReported = true
		c.onError(err)
	}
	return c.loaded, nil
}
