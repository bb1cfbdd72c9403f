package remote

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"os"
	"sync/atomic"
	"time"

	"hence/internal/fault"
)

// Client speaks with the nodes of a cluster. It may be used by many goroutines.
type Client struct {
	address Address
	http    *http.Client
	last    atomic.Int64 // the place among the nodes of the one that answered last

	// Try is how long a node may take to answer a small request, before the next one
	// is asked; Patience is for how long nodes are asked in turn; Settle is for how long
	// they are asked to make a batch void that may still be on its way.
	Try, Patience, Settle time.Duration
}

const (
	usualTry      = 3 * time.Second
	usualPatience = 10 * time.Second
	usualSettle   = 3 * time.Second
	perMegabyte   = time.Second // more for a try, for each megabyte of the request
)

// New returns a client. It fails with invalid_argument if a certificate cannot be read.
func New(a Address) (*Client, error) {
	secured := &tls.Config{MinVersion: tls.VersionTLS12}
	if a.CA != "" {
		text, err := os.ReadFile(a.CA)
		secured.RootCAs = x509.NewCertPool()
		if err != nil || !secured.RootCAs.AppendCertsFromPEM(text) {
			return nil, fault.New(fault.InvalidArgument, "--db rqlite: ca is not a file of certificates in PEM that can be read")
		}
	}
	if a.Cert != "" {
		pair, err := tls.LoadX509KeyPair(a.Cert, a.Key)
		if err != nil {
			return nil, fault.New(fault.InvalidArgument, "--db rqlite: cert and key are not a certificate and its key in PEM that can be read")
		}
		secured.Certificates = []tls.Certificate{pair}
	}
	transport := &http.Transport{TLSClientConfig: secured, MaxIdleConnsPerHost: 8, IdleConnTimeout: time.Minute}
	return &Client{
		address: a, Try: usualTry, Patience: usualPatience, Settle: usualSettle,
		http: &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
	}, nil
}

// Close closes the connections that are idle.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Ask sends any request to one node, HOST:PORT, and returns its HTTP status and what it
// answers.
func (c *Client) Ask(ctx context.Context, node, method, path string, body []byte) (status int, answer []byte, err error) {
	r, err := c.ask(ctx, method, node, path, "application/json", body)
	return r.status, r.body, err
}

// node is the address of the node that a try asks: first the one that answered last.
func (c *Client) node(try int) (place int, address string) {
	place = (int(c.last.Load()) + try) % len(c.address.Nodes)
	return place, c.address.Nodes[place]
}

// reply is the answer of a node to a request.
type reply struct {
	status int
	body   []byte
	sent   bool // false: the request has certainly not reached a node
}

// ask sends a request to one node, and reads its answer. An error with sent true leaves open whether the node carries
// the request out.
func (c *Client) ask(ctx context.Context, method, node, path, kind string, body []byte) (r reply, err error) {
	// A node may have the request as soon as there is a connection to it.
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { r.sent = true }})
	answer, err := c.send(ctx, method, node, path, kind, body)
	if err != nil {
		r.sent = r.sent && !errors.Is(err, errDenied)
		return r, err
	}
	defer answer.Body.Close()
	r.status = answer.StatusCode
	if r.body, err = io.ReadAll(answer.Body); err != nil {
		return r, plainError(err)
	}
	return r, nil
}

// send sends a request to one node. A node passes requests on to its leader itself, and redirects nobody.
func (c *Client) send(ctx context.Context, method, node, path, kind string, body []byte) (*http.Response, error) {
	scheme := "http"
	if c.address.TLS {
		scheme = "https"
	}
	request, err := http.NewRequestWithContext(ctx, method, scheme+"://"+node+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	// Without it the transport does not repeat by itself what a closed connection left
	// without an answer: Execute does, which knows why.
	request.GetBody = nil
	request.Header.Set("Content-Type", kind)
	if c.address.user != "" {
		request.SetBasicAuth(c.address.user, c.address.password)
	}
	answer, err := c.http.Do(request)
	// By an alert of TLS a node refuses the certificate, before it reads a request.
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "remote error" {
		return nil, errDenied
	}
	return answer, plainError(err)
}

// plainError takes the address of the request out of an error.
func plainError(err error) error {
	if of, ok := errors.AsType[*url.Error](err); ok {
		return of.Err
	}
	return err
}
