// Package httpserve serves the tools over streamable HTTP, closed by default:
// on this machine only unless there is a token, to no web page of elsewhere,
// and within limits of size, time and rate.
package httpserve

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"hence/internal/db"
	"hence/internal/fault"
	"hence/internal/ref"
	"hence/tools"
	"hence/tools/explore"
	"hence/tools/httpserve/token"
)

// Path is where the protocol is spoken.
const Path = "/mcp"

// The limits of one request.
const (
	MaxBody    = 16 << 20         // bytes; a memory's text is at most 8 MB before escapes
	maxHeaders = 64 << 10         // bytes
	headerTime = 10 * time.Second // to send the headers
	bodyTime   = 30 * time.Second // to send the body
	callTime   = 60 * time.Second // to answer a call
	idleTime   = 2 * time.Minute  // of a connection without a request
	finishTime = 10 * time.Second // for running calls, once the server is to stop
)

// Options say how to serve. The zero value serves this machine only, without
// a token and without a limit of rate.
type Options struct {
	Addr    string        // host:port; no host, or port 0, as net.Listen has it
	Secret  string        // opens everything; "" for none
	Hosts   []string      // further names that the server is called by
	Rate    float64       // requests a second of one token, twice that at once; 0 for no limit
	Metrics bool          // offer /metrics
	Caller  ref.Caller    // of whoever comes with the secret, or without one where none is needed
	Explore bool          // offer the explorer
	Person  ref.Caller    // who looks with it
	Tools   tools.Options // what is offered
}

// Server is a store that listens.
type Server struct {
	http     *http.Server
	listener net.Listener
	door     *door
	log      *slog.Logger
}

// Listen takes the address. It fails with invalid_argument for an address
// that cannot be, or is not this machine's own while there is no token, and
// with unavailable when the address is taken.
func Listen(ctx context.Context, d *db.DB, o Options) (*Server, error) {
	if o.Tools.Log == nil {
		o.Tools.Log = slog.Default()
	}
	host, _, err := net.SplitHostPort(o.Addr)
	if err != nil {
		return nil, fault.New(fault.InvalidArgument, "serve: %q is not an address; write it as 127.0.0.1:7420", o.Addr)
	}
	for _, name := range o.Hosts {
		if hostOf(name) == "" || strings.ContainsAny(name, "/ ") {
			return nil, fault.New(fault.InvalidArgument, "serve: --allow-host %q is no name of a host; write it as hence.example", name)
		}
	}
	tokens, err := token.List(ctx, d)
	if err != nil {
		return nil, err
	}
	local := isLoopback(host)
	if !local && o.Secret == "" && len(tokens) == 0 {
		return nil, fault.New(fault.InvalidArgument,
			"serve: %s is open to other machines, which needs a token: set HENCE_TOKEN or --token-file, or make one with hence token add", o.Addr)
	}
	counted := &metrics{}
	if o.Metrics {
		o.Tools.Observers = append(o.Tools.Observers, counted.call)
	}
	keeper := newDoor(d, o, !local || o.Secret != "" || len(tokens) > 0)
	if _, err := keeper.face(token.Token{}); err != nil { // a wrong toolset is told now
		return nil, err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", o.Addr)
	if err != nil {
		keeper.close()
		return nil, fault.Wrap(fault.Unavailable, err, "serve: %s cannot be listened on", o.Addr)
	}
	s := &Server{listener: listener, door: keeper, log: o.Tools.Log}
	s.http = &http.Server{
		Handler:           guard{local, o.Hosts}.before(counted.count(s.routes(d, o, counted))),
		ReadHeaderTimeout: headerTime,
		IdleTimeout:       idleTime,
		MaxHeaderBytes:    maxHeaders,
		ErrorLog:          slog.NewLogLogger(o.Tools.Log.Handler(), slog.LevelWarn),
	}
	return s, nil
}

func (s *Server) routes(d *db.DB, o Options, counted *metrics) http.Handler {
	mux := http.NewServeMux()
	mux.Handle(Path, limited(s.door.enter, s.door))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, r *http.Request) { healthy(w, r, d) })
	if o.Explore {
		mux.Handle(explore.APIPath, limited(s.door.enter, http.HandlerFunc(s.door.explore)))
		mux.Handle(explore.Path, limited(bodiless, explore.Pages()))
		mux.Handle("GET /{$}", http.RedirectHandler(explore.Path, http.StatusFound))
	}
	if o.Metrics {
		mux.Handle("GET /metrics", s.door.unconfined(counted))
	}
	return mux
}

// healthy answers whether the store can be read. It tells nothing else, and
// needs no token.
func healthy(w http.ResponseWriter, r *http.Request, d *db.DB) {
	err := d.Read(r.Context(), func(reader *db.Reader) error {
		_, _, err := db.One[int](r.Context(), reader, `pragma user_version`)
		return err
	})
	if err != nil {
		http.Error(w, "the store cannot be read", http.StatusServiceUnavailable)
		return
	}
	_, _ = w.Write([]byte("ok\n"))
}

// URL is where clients find the server.
func (s *Server) URL() string { return "http://" + s.listener.Addr().String() + Path }

// PageURL is where the explorer is.
func (s *Server) PageURL() string { return "http://" + s.listener.Addr().String() + explore.Path }

// Serve answers until ctx is done, and then lets calls that run finish.
func (s *Server) Serve(ctx context.Context) error {
	defer s.door.close()
	failed := make(chan error, 1)
	go func() { failed <- s.http.Serve(s.listener) }()
	go s.door.watch(ctx)
	select {
	case err := <-failed:
		return fault.Wrap(fault.Unavailable, err, "serve")
	case <-ctx.Done():
	}
	s.door.closeStreams()
	patience, end := context.WithTimeout(context.WithoutCancel(ctx), finishTime)
	defer end()
	if err := s.http.Shutdown(patience); err != nil {
		s.log.Warn("calls were still running when the server stopped", "error", err)
		return errors.Join(s.http.Close())
	}
	return nil
}
