package nodetest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

// Proxy is a proxy before a node that drops some answers.
type Proxy struct {
	Address string       // host:port
	Dropped atomic.Int64 // number of answers dropped
	writes  atomic.Int64
	every   int64 // drops every n-th answer to a write
}

// Drop starts a proxy that forwards every request to a node, but drops every n-th answer to a
// write, after the node has carried out the write.
func Drop(t testing.TB, node *Node, n int) *Proxy {
	p := &Proxy{every: int64(n)}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		out, err := http.NewRequestWithContext(r.Context(), r.Method, "http://"+node.HTTP+r.URL.RequestURI(), r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		out.Header = r.Header.Clone()
		response, err := client.Do(out)
		if err != nil {
			panic(http.ErrAbortHandler) // closes the connection, as a node that dies does
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		if p.drops(r) {
			p.Dropped.Add(1)
			panic(http.ErrAbortHandler)
		}
		for name, values := range response.Header {
			w.Header()[name] = values
		}
		w.WriteHeader(response.StatusCode)
		_, _ = w.Write(body)
	}))
	t.Cleanup(server.Close)
	p.Address = strings.TrimPrefix(server.URL, "http://")
	return p
}

// drops reports whether the proxy drops the answer to a request, and counts writes.
func (p *Proxy) drops(r *http.Request) bool {
	if r.Method != http.MethodPost || !strings.HasPrefix(r.URL.Path, "/db/execute") && !strings.HasPrefix(r.URL.Path, "/db/request") {
		return false
	}
	return p.writes.Add(1)%p.every == 0
}
