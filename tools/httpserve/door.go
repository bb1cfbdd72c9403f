package httpserve

import (
	"cmp"
	"context"
	"crypto/subtle"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"golang.org/x/time/rate"

	"hence/internal/db"
	"hence/internal/pause"
	"hence/internal/ref"
	"hence/tools"
	"hence/tools/explore"
	"hence/tools/httpserve/oauth"
	"hence/tools/httpserve/token"
)

const (
	sessionIdle    = time.Hour        // unused sessions are dropped after this time
	heartbeat      = 30 * time.Second // between messages on a stream without notifications
	checkEvery     = 5 * time.Second  // between checks of tokens with open streams
	maxWrongTokens = 10               // per second and address; the answer to more is to wait
)

// door checks the token of each request and passes the request to the server of that token.
// Each token has a server of its own, so that no session or notification reaches the holder of
// another token.
type door struct {
	db      *db.DB
	options Options
	secret  string          // hash of Options.Secret; "": none
	locked  atomic.Bool     // a token is needed; never unset
	remote  *oauth.Verifier // checks tokens of the identity provider; nil: there is none
	proxies proxies
	wrong   wrongTokens
	writing func() map[string]bool // returns the names of the tools that write memories
	mu      sync.Mutex
	servers map[holder]*tokenServer
}

// tokenServer is the server for the holder of one token.
type tokenServer struct {
	handler  *server.StreamableHTTPServer
	page     http.Handler // API of the explorer; nil: off
	holder   holder
	sessions *sessions
	limit    *rate.Limiter // nil: none
	maxBody  int64         // bytes of a request
	lease    lease         // of a holder with a token of the identity provider
	life     context.Context
	end      context.CancelFunc // ends life, and with it the streams
}

// ServeHTTP passes a request that enter admitted to the server of its token.
func (g *door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s := serverOf(r)
	// A request to listen on, or to close, a session that is not open is refused here. mcp-go
	// checks only the session of a POST, so that a client would wait forever on a session of
	// an earlier process.
	if r.Method == http.MethodGet || r.Method == http.MethodDelete {
		id := r.Header.Get(mcp.HeaderSessionID)
		_, err := s.sessions.Validate(id)
		switch {
		case !hasSessions(r):
		case id == "":
			http.Error(w, "the session id is missing: begin a session with initialize, and send its Mcp-Session-Id", http.StatusBadRequest)
			return
		case err != nil:
			http.Error(w, "the session has ended; begin a new one with initialize", http.StatusNotFound)
			return
		}
	}
	// A POST without a session may start one.
	if r.Method == http.MethodPost && hasSessions(r) && r.Header.Get(mcp.HeaderSessionID) == "" && s.sessions.isFull() {
		w.Header().Set("Retry-After", "60")
		http.Error(w, "too many sessions are open; close some", http.StatusServiceUnavailable)
		return
	}
	if g.refuseForScope(w, r) {
		return
	}
	s.serve(exact(s.handler), w, r)
}

// serve passes a request to a handler. A stream ends when the server of the token does.
func (s *tokenServer) serve(handler http.Handler, w http.ResponseWriter, r *http.Request) {
	if r.Context().Value(streaming{}) != nil {
		ctx, end := context.WithCancel(r.Context())
		defer context.AfterFunc(s.life, end)()
		defer end()
		r = r.WithContext(ctx)
	}
	handler.ServeHTTP(w, r)
}

// tokenServerKey is the context key of the server for a request's token.
type tokenServerKey struct{}

// serverOf returns the server for the token of a request that enter has admitted.
func serverOf(r *http.Request) *tokenServer {
	return r.Context().Value(tokenServerKey{}).(*tokenServer)
}

// enter adds the server for a request's token to its context. It reads only the headers. It
// answers requests without a valid token or over the rate limit, and returns false for them.
func (g *door) enter(w http.ResponseWriter, r *http.Request) (admitted *http.Request, ok bool) {
	r, client, ok := g.admit(w, r)
	if !ok {
		return nil, false
	}
	s, err := g.serverFor(client)
	if err != nil {
		g.options.Tools.Log.Error("a token cannot be served", "token", client.Name, "error", err)
		refuse(w, r, http.StatusInternalServerError, "the server failed; its log says why")
		return nil, false
	}
	if s.limit != nil && !s.limit.Allow() {
		w.Header().Set("Retry-After", "1")
		refuse(w, r, http.StatusTooManyRequests, "too many requests; wait a second")
		return nil, false
	}
	if claims, ok := r.Context().Value(claimsKey{}).(oauth.Claims); ok {
		s.lease.renew(claims)
	}
	return r.WithContext(context.WithValue(r.Context(), tokenServerKey{}, s)), true
}

// refuse answers a request with an error: as JSON for the explorer's API, else as text.
func refuse(w http.ResponseWriter, r *http.Request, status int, message string) {
	if strings.HasPrefix(r.URL.Path, explore.APIPath) {
		explore.Refuse(w, status, message)
		return
	}
	http.Error(w, message, status)
}

// hasSessions reports whether a request is of a version of the protocol that has sessions.
func hasSessions(r *http.Request) bool {
	return !mcp.IsModernProtocol(r.Header.Get(mcp.HeaderProtocolVersion))
}

// admit returns the holder of a request's token, and the request with the claims of a token of
// the identity provider in its context. The holder is zero if the caller has the server's
// secret, or if no token is needed. admit answers requests that it refuses, and returns false
// for them.
func (g *door) admit(w http.ResponseWriter, r *http.Request) (*http.Request, holder, bool) {
	tokens, err := g.tokens(r.Context())
	if err != nil {
		refuse(w, r, http.StatusServiceUnavailable, "the store cannot be read")
		return r, holder{}, false
	}
	// A request must not send several tokens, or one token in several ways (RFC 6750,
	// section 3.1). A token that is only in the address is ignored.
	headers := r.Header.Values("Authorization")
	if len(headers) > 1 || len(headers) == 1 && r.URL.RawQuery != "" && r.URL.Query().Has("access_token") {
		w.Header().Set("WWW-Authenticate", g.challenge(nil, `error="invalid_request"`))
		refuse(w, r, http.StatusBadRequest, "send one Authorization header only, and no token in the address")
		return r, holder{}, false
	}
	scheme, secret, isBearer := strings.Cut(strings.Join(headers, ""), " ")
	secret, isBearer = strings.TrimSpace(secret), isBearer && strings.EqualFold(scheme, "Bearer")
	match, isKnown := token.Find(tokens, secret)
	isServerSecret := g.secret != "" && subtle.ConstantTimeCompare([]byte(g.secret), []byte(db.Hash(secret))) == 1
	switch {
	case isBearer && isServerSecret, !g.locked.Load():
		return r, holder{}, true
	case isBearer && isKnown:
		return r, holder{Token: match}, true
	case isBearer && g.remote != nil && oauth.IsJWT(secret):
		return g.admitProviderToken(w, r, secret)
	case isBearer && g.slowDown(w, r):
	default:
		rules, problem := []oauth.Rule(nil), ""
		if g.remote != nil {
			rules, _ = oauth.Rules(r.Context(), g.db) // if this fails, the challenge names no scopes
			if isBearer {
				problem = `error="invalid_token"`
			}
		}
		w.Header().Set("WWW-Authenticate", g.challenge(rules, problem))
		refuse(w, r, http.StatusUnauthorized, "a token is needed: Authorization: Bearer …")
	}
	return r, holder{}, false
}

// tokens reads all tokens. Once there is one, a token is needed from then on.
func (g *door) tokens(ctx context.Context) ([]token.Token, error) {
	all, err := token.List(ctx, g.db)
	if len(all) > 0 {
		g.locked.Store(true)
	}
	return all, err
}

// serverFor returns the server for a holder. The first call makes it.
func (g *door) serverFor(client holder) (*tokenServer, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if s := g.servers[client]; s != nil {
		return s, nil
	}
	offered := g.options.Tools
	offered.ReadOnly = offered.ReadOnly || client.ReadOnly
	offered.CodeWrite = client.Code
	mcpServer, err := tools.New(g.db, limitTo(g.options.Caller, client.Token), offered)
	if err != nil {
		return nil, err
	}
	s := &tokenServer{holder: client, sessions: &sessions{open: map[string]bool{}}, maxBody: MaxBody}
	if client.MaxBody > 0 {
		s.maxBody = min(client.MaxBody, MaxBody)
	}
	s.handler = server.NewStreamableHTTPServer(mcpServer,
		server.WithSessionIdManager(s.sessions),
		server.WithSessionIdleTTL(sessionIdle),
		server.WithHeartbeatInterval(heartbeat),
		server.WithStreamableHTTPLogger(offered.Log),
		server.WithDisableLocalhostProtection(true), // guard does this, with --allow-host
	)
	if g.options.Explore {
		person := limitTo(g.options.Person, client.Token)
		if client.subject != "" {
			person.Origin = "agent" // a client elsewhere must not confirm memories in a person's name
		}
		s.page = explore.New(g.db, person, offered, g.locked.Load)
	}
	s.life, s.end = context.WithCancel(context.Background())
	if perSecond := cmp.Or(client.Rate, g.options.Rate); perSecond > 0 {
		s.limit = rate.NewLimiter(rate.Limit(perSecond), max(1, int(2*perSecond)))
	}
	g.servers[client] = s
	return s, nil
}

// limitTo returns a caller with the name of a token, confined to its namespace.
func limitTo(c ref.Caller, t token.Token) ref.Caller {
	c.Actor = cmp.Or(db.WithoutControls(t.Name), c.Actor)
	if t.Namespace != "" {
		c.Namespace, c.Confined = t.Namespace, true
	}
	return c
}

// watch closes the streams of revoked tokens, and those that were opened before a token was
// needed, until ctx is done. Other requests need no watch, because each has its token checked.
func (g *door) watch(ctx context.Context) {
	for pause.For(ctx, checkEvery) == nil {
		g.drop(ctx)
	}
}

// drop closes the servers of tokens that are no longer valid, and those of holders whose last
// token of the identity provider has expired.
func (g *door) drop(ctx context.Context) {
	tokens, err := g.tokens(ctx)
	if err != nil {
		return // the next check tries again
	}
	valid := map[holder]bool{{}: g.secret != "" || !g.locked.Load()}
	for _, t := range tokens {
		valid[holder{Token: t}] = true
	}
	var rules []oauth.Rule
	if g.remote != nil {
		if rules, err = oauth.Rules(ctx, g.db); err != nil {
			return
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for client, s := range g.servers {
		if !valid[client] && (client.subject == "" || !s.isStillHeld(client, rules)) {
			s.end()
			_ = s.handler.Shutdown(ctx)
			delete(g.servers, client)
		}
	}
}

// closeStreams ends all streams, because they would keep the HTTP server from stopping.
func (g *door) closeStreams() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, s := range g.servers {
		s.end()
	}
}

// close ends all streams and closes all servers.
func (g *door) close() {
	g.closeStreams()
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, s := range g.servers {
		_ = s.handler.Shutdown(context.Background())
	}
	clear(g.servers)
}
