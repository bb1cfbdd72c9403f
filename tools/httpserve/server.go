// Package httpserve serves the tools over streamable HTTP. By default it listens on this
// machine only, refuses foreign web pages, and limits the size and time of requests. To listen
// on other addresses it needs a token.
//
// Each token has a server object of its own, made for a caller that is confined to the token's
// namespace, so that its sessions, subscriptions and notifications are separate from those of
// other tokens. A test calls every tool on two stores, one of which also has memories of other
// namespaces, and compares the answers byte for byte. It excludes scores, because BM25 counts
// words over the whole file.
package httpserve

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/node"
	"hence/internal/ref"
	"hence/tools"
	"hence/tools/explore"
	"hence/tools/httpserve/oauth"
	"hence/tools/httpserve/token"
)

// Path is the path of the protocol in URLs.
const Path = "/mcp"

// The limits of one request.
const (
	MaxBody    = 16 << 20         // bytes; a memory's text is at most 8 MB before escapes
	maxHeaders = 64 << 10         // bytes
	headerTime = 10 * time.Second // to send the headers
	bodyTime   = 30 * time.Second // to send the body
	callTime   = 60 * time.Second // to answer a call
	idleTime   = 2 * time.Minute  // of a connection without requests
	finishTime = 10 * time.Second // for running calls, at shutdown
)

// Options configure a server.
type Options struct {
	Addr    string     // host:port as in net.Listen
	Secret  string     // a token with access to everything; "": none
	Hosts   []string   // further host names of this server
	Rate    float64    // requests a second per token, with bursts of twice that; 0: no limit
	Metrics bool       // offer /metrics
	Caller  ref.Caller // caller with the secret, or without a token if none is needed
	Explore bool       // offer the explorer
	Person  ref.Caller // caller of the explorer
	Tools   tools.Options
	Lag     func() node.Lag // of the store of a cluster; nil: the store is a plain file

	URL      string       // address of the protocol for clients, if not by Addr: behind a proxy, or by name
	Issuer   string       // identity provider whose tokens are accepted; "": none
	Audience string       // value in the claim aud of those tokens; "": Resource
	Keys     *http.Client // client for requests to the provider; nil: the default of oauth.Options
	TLSCert  string       // file of the certificate; "": no TLS
	TLSKey   string       // file of its key
	Proxies  []string     // addresses of proxies that do TLS
	Resource string       // set by Listen: address for which clients request tokens
}

// Server serves a store over HTTP.
type Server struct {
	http     *http.Server
	listener net.Listener
	door     *door
	log      *slog.Logger
	scheme   string // http or https
}

// Listen starts to listen; Serve answers requests. Listen fails with invalid_argument if an
// option is not valid, or if the address is open to other machines without a token, and with
// unavailable if the address is in use.
func Listen(ctx context.Context, d *db.DB, o Options) (*Server, error) {
	o.Tools.Log = cmp.Or(o.Tools.Log, slog.Default())
	host, _, err := net.SplitHostPort(o.Addr)
	if err != nil {
		return nil, fault.New(fault.InvalidArgument, "serve: %q is not an address; write it as 127.0.0.1:7420", o.Addr)
	}
	for _, name := range o.Hosts {
		if hostOf(name) == "" || strings.ContainsAny(name, "/ ") {
			return nil, fault.New(fault.InvalidArgument, "serve: --allow-host %q is not a host name; write it as hence.example", name)
		}
	}
	tokens, err := token.List(ctx, d)
	if err != nil {
		return nil, err
	}
	local := oauth.IsLoopback(host)
	if o.Issuer != "" && !local && o.TLSCert == "" && len(o.Proxies) == 0 {
		return nil, fault.New(fault.InvalidArgument, "serve: tokens of %s would cross the network in the clear; give --tls-cert and --tls-key, or --trusted-proxy for a proxy that does TLS", o.Issuer)
	}
	if !local && o.Secret == "" && len(tokens) == 0 && o.Issuer == "" {
		return nil, fault.New(fault.InvalidArgument,
			"serve: %s is open to other machines, which needs a token: set HENCE_TOKEN or --token-file, or make one with hence token add", o.Addr)
	}
	counters := &metrics{series: map[string]float64{}}
	if o.Metrics {
		o.Tools.Observers = append(o.Tools.Observers, counters.call)
	}
	entry := &door{db: d, options: o, servers: map[holder]*tokenServer{}, writing: sync.OnceValue(writingTools)}
	if o.Secret != "" {
		entry.secret = db.Hash(o.Secret)
	}
	if entry.proxies, err = parseProxies(o.Proxies); err != nil {
		return nil, err
	}
	var files *certificate
	if o.TLSCert+o.TLSKey != "" {
		if files, err = loadCertificate(o.TLSCert, o.TLSKey, func(err error) { o.Tools.Log.Error("the changed certificate cannot be read", "error", err) }); err != nil {
			return nil, err
		}
	}
	entry.locked.Store(!local || o.Secret != "" || len(tokens) > 0 || o.Issuer != "")
	if _, err := entry.serverFor(holder{}); err != nil { // fail now if a toolset is unknown
		return nil, err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", o.Addr)
	if err != nil {
		entry.close()
		return nil, fault.Wrap(fault.Unavailable, err, "serve: cannot listen on %s", o.Addr)
	}
	s := &Server{listener: listener, door: entry, log: o.Tools.Log, scheme: "http"}
	if files != nil {
		s.scheme = "https"
	}
	if err := s.acceptRemote(&o); err != nil {
		entry.close()
		return nil, errors.Join(err, listener.Close())
	}
	s.http = &http.Server{
		Handler:           entry.proxies.wrap(guard{local, o.Hosts}.wrap(counters.count(s.routes(d, o, counters)))),
		ReadHeaderTimeout: headerTime,
		IdleTimeout:       idleTime,
		MaxHeaderBytes:    maxHeaders,
		ErrorLog:          slog.NewLogLogger(o.Tools.Log.Handler(), slog.LevelWarn),
	}
	if files != nil {
		s.http.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: files.get}
	}
	return s, nil
}

// acceptRemote sets Resource, makes the door accept tokens of the identity provider, and adds
// the host of URL to the host names of the server. It fails with invalid_argument if URL or
// Issuer is not valid.
func (s *Server) acceptRemote(o *Options) (err error) {
	o.Resource = cmp.Or(strings.TrimSuffix(o.URL, "/"), s.URL())
	address, err := url.Parse(o.Resource)
	if err != nil || address.Host == "" || address.Scheme != "http" && address.Scheme != "https" || address.Fragment+address.RawQuery != "" || !strings.HasSuffix(address.Path, Path) {
		return fault.New(fault.InvalidArgument, "serve: --url %q is not the address of this server; write it as https://hence.example%s", o.URL, Path)
	}
	if o.URL != "" {
		o.Hosts = append(slices.Clone(o.Hosts), address.Host)
	}
	if o.Issuer != "" {
		s.door.remote, err = oauth.New(oauth.Options{Issuer: o.Issuer, Audience: cmp.Or(o.Audience, o.Resource), Client: o.Keys})
	}
	s.door.options = *o
	return err
}

// routes returns the handler of all addresses that the options offer.
func (s *Server) routes(d *db.DB, o Options, counters *metrics) http.Handler {
	mux := http.NewServeMux()
	mux.Handle(Path, withLimits(s.door.enter, s.door))
	state := health{d, o.Lag}
	mux.HandleFunc("GET /healthz", state.live)
	mux.HandleFunc("GET /readyz", state.ready)
	if o.Issuer != "" {
		mux.HandleFunc("GET "+metadataPath, s.door.metadata)
		mux.HandleFunc("GET "+metadataPath+Path, s.door.metadata)
	}
	if o.Explore {
		mux.Handle(explore.APIPath, withLimits(s.door.enter, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			ts := serverOf(r)
			ts.serve(ts.page, w, r)
		})))
		mux.Handle(explore.Path, withLimits(dropBody, http.HandlerFunc(explore.Pages)))
		mux.Handle("GET /{$}", http.RedirectHandler(explore.Path, http.StatusFound))
	}
	if o.Metrics {
		mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, r *http.Request) {
			switch _, client, ok := s.door.admit(w, r); {
			case !ok:
			case client.Namespace != "":
				http.Error(w, "a token of one namespace may not read the metrics", http.StatusForbidden)
			default:
				counters.ServeHTTP(w, r)
				state.metrics(w)
			}
		})
	}
	return mux
}

// URL returns the address of the protocol, by the address that the server listens on.
func (s *Server) URL() string { return s.scheme + "://" + s.listener.Addr().String() + Path }

// PageURL returns the address of the explorer.
func (s *Server) PageURL() string {
	return s.scheme + "://" + s.listener.Addr().String() + explore.Path
}

// Serve answers requests until ctx is done. It then ends all streams and waits up to finishTime
// for running calls. It fails with unavailable if the server stops by itself.
func (s *Server) Serve(ctx context.Context) error {
	defer s.door.close()
	failed := make(chan error, 1)
	go func() {
		if s.http.TLSConfig != nil {
			failed <- s.http.ServeTLS(s.listener, "", "")
			return
		}
		failed <- s.http.Serve(s.listener)
	}()
	go s.door.watch(ctx)
	select {
	case err := <-failed:
		return fault.Wrap(fault.Unavailable, err, "serve")
	case <-ctx.Done():
	}
	s.door.closeStreams()
	shutdown, end := context.WithTimeout(context.WithoutCancel(ctx), finishTime)
	defer end()
	if err := s.http.Shutdown(shutdown); err != nil {
		s.log.Warn("calls were still running when the server stopped", "error", err)
		return s.http.Close()
	}
	return nil
}
