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
	"hence/internal/ref"
	"hence/tools"
	"hence/tools/explore"
	"hence/tools/httpserve/oauth"
	"hence/tools/httpserve/token"
)

const (
	sessionIdle    = time.Hour        // unused sessions are dropped after this time
	heartbeat      = 30 * time.Second // between messages on an idle stream
	checkEvery     = 5 * time.Second  // between checks of tokens with open streams
	maxWrongTokens = 10               // per second, before the answer is to wait
)

// door checks the token of each request. Each token has a server of its own, so
// that no session or notification reaches the holder of another token.
type door struct {
	db      *db.DB
	options Options
	secret  string          // hash of Options.Secret; "": none
	locked  atomic.Bool     // a token is needed; never reset
	remote  *oauth.Verifier // of the identity provider; nil: none
	proxies proxies
	wrong   wrongTokens
	writing func() map[string]bool // names of tools that write memories
	mu      sync.Mutex
	faces   map[holder]*face
}

// face is the server for the holder of one token.
type face struct {
	handler *server.StreamableHTTPServer
	page    http.Handler // API of the explorer; nil: off
	who     holder
	open    *sessions
	limit   *rate.Limiter // nil: none
	most    int64         // bytes of a request
	lease   lease         // of a holder whom the identity provider admitted
	life    context.Context
	end     context.CancelFunc // ends its streams
}

func (g *door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f := faceOf(r)
	// Listening on, or closing, a session that is not open is refused. mcp-go checks the
	// session of a POST only, so that a client would wait forever on a session of an
	// earlier server.
	if r.Method == http.MethodGet || r.Method == http.MethodDelete {
		id := r.Header.Get(mcp.HeaderSessionID)
		_, err := f.open.Validate(id)
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
	if r.Method == http.MethodPost && hasSessions(r) && r.Header.Get(mcp.HeaderSessionID) == "" && f.open.full() {
		w.Header().Set("Retry-After", "60")
		http.Error(w, "too many sessions are open; close some", http.StatusServiceUnavailable)
		return
	}
	if g.asksForMore(w, r) {
		return
	}
	f.serve(f.handler, w, r)
}

// serve answers a request; a stream ends with the face at the latest.
func (f *face) serve(handler http.Handler, w http.ResponseWriter, r *http.Request) {
	if r.Context().Value(streaming{}) != nil {
		ctx, end := context.WithCancel(r.Context())
		defer context.AfterFunc(f.life, end)()
		defer end()
		r = r.WithContext(ctx)
	}
	handler.ServeHTTP(w, r)
}

// faceKey is the context key of the face that serves a request.
type faceKey struct{}

// faceOf returns the face that serves a request, after enter.
func faceOf(r *http.Request) *face { return r.Context().Value(faceKey{}).(*face) }

// enter finds the face for a request by its headers, before the body is read.
// It answers requests without a valid token, and those over the limit of rate.
func (g *door) enter(w http.ResponseWriter, r *http.Request) (in *http.Request, ok bool) {
	r, who, ok := g.admit(w, r)
	if !ok {
		return nil, false
	}
	f, err := g.face(who)
	if err != nil {
		g.options.Tools.Log.Error("a token cannot be served", "token", who.Name, "error", err)
		refuse(w, r, http.StatusInternalServerError, "the server failed; its log says why")
		return nil, false
	}
	if f.limit != nil && !f.limit.Allow() {
		w.Header().Set("Retry-After", "1")
		refuse(w, r, http.StatusTooManyRequests, "too many requests; slow down")
		return nil, false
	}
	if claims, ok := r.Context().Value(claimsKey{}).(oauth.Claims); ok {
		f.lease.renew(claims)
	}
	return r.WithContext(context.WithValue(r.Context(), faceKey{}, f)), true
}

// refuse answers a request with an error: as JSON for the API of the explorer,
// else as text.
func refuse(w http.ResponseWriter, r *http.Request, status int, message string) {
	if strings.HasPrefix(r.URL.Path, explore.APIPath) {
		explore.Refuse(w, status, message)
		return
	}
	http.Error(w, message, status)
}

// hasSessions reports whether the protocol version of a request has sessions.
func hasSessions(r *http.Request) bool {
	return !mcp.IsModernProtocol(r.Header.Get(mcp.HeaderProtocolVersion))
}

// admit returns the holder of a request's token: the zero holder if the caller has the
// secret, or if none is needed. It answers requests that it does not admit.
func (g *door) admit(w http.ResponseWriter, r *http.Request) (*http.Request, holder, bool) {
	tokens, err := g.tokens(r.Context())
	if err != nil {
		refuse(w, r, http.StatusServiceUnavailable, "the store cannot be read")
		return r, holder{}, false
	}
	// A request holds one token, and in one way (RFC 6750, section 3.1). A token in the
	// address alone is not looked at.
	headers := r.Header.Values("Authorization")
	if len(headers) > 1 || len(headers) == 1 && r.URL.RawQuery != "" && r.URL.Query().Has("access_token") {
		w.Header().Set("WWW-Authenticate", g.challenge(r, nil, `error="invalid_request"`))
		refuse(w, r, http.StatusBadRequest, "a request has one Authorization header, and no token in its address")
		return r, holder{}, false
	}
	scheme, secret, given := strings.Cut(strings.Join(headers, ""), " ")
	secret, given = strings.TrimSpace(secret), given && strings.EqualFold(scheme, "Bearer")
	who, known := token.Find(tokens, secret)
	master := g.secret != "" && subtle.ConstantTimeCompare([]byte(g.secret), []byte(db.Hash(secret))) == 1
	switch {
	case given && master, !g.locked.Load():
		return r, holder{}, true
	case given && known:
		return r, holder{Token: who}, true
	case given && g.remote != nil && oauth.LooksLikeOne(secret):
		return g.admitRemote(w, r, secret)
	case given && !g.wrongOf(r).Allow():
		w.Header().Set("Retry-After", "1")
		refuse(w, r, http.StatusTooManyRequests, "too many wrong tokens")
	default:
		rules, wrong := []oauth.Rule(nil), ""
		if g.remote != nil {
			rules, _ = oauth.Rules(r.Context(), g.db) // without scopes at worst
			if given {
				wrong = `error="invalid_token"`
			}
		}
		w.Header().Set("WWW-Authenticate", g.challenge(r, rules, wrong))
		refuse(w, r, http.StatusUnauthorized, "a token is needed: Authorization: Bearer …")
	}
	return r, holder{}, false
}

// tokens reads all tokens. The first one locks the door.
func (g *door) tokens(ctx context.Context) ([]token.Token, error) {
	all, err := token.List(ctx, g.db)
	if len(all) > 0 {
		g.locked.Store(true)
	}
	return all, err
}

// face returns the face of a token. The first call makes it.
func (g *door) face(who holder) (*face, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if f := g.faces[who]; f != nil {
		return f, nil
	}
	offered := g.options.Tools
	offered.ReadOnly = offered.ReadOnly || who.ReadOnly
	offered.CodeWrite = who.Code
	s, err := tools.New(g.db, limitTo(g.options.Caller, who.Token), offered)
	if err != nil {
		return nil, err
	}
	f := &face{who: who, open: &sessions{open: map[string]bool{}}, most: MaxBody}
	if who.MaxBody > 0 {
		f.most = min(who.MaxBody, MaxBody)
	}
	f.handler = server.NewStreamableHTTPServer(s,
		server.WithSessionIdManager(f.open),
		server.WithSessionIdleTTL(sessionIdle),
		server.WithHeartbeatInterval(heartbeat),
		server.WithStreamableHTTPLogger(offered.Log),
		server.WithDisableLocalhostProtection(true), // guard does this, with --allow-host
	)
	if g.options.Explore {
		person := limitTo(g.options.Person, who.Token)
		if who.subject != "" {
			person.Origin = "agent" // a client elsewhere confirms nothing in a person's name
		}
		f.page = explore.New(g.db, person, offered, g.locked.Load)
	}
	f.life, f.end = context.WithCancel(context.Background())
	if each := cmp.Or(who.Rate, g.options.Rate); each > 0 {
		f.limit = rate.NewLimiter(rate.Limit(each), max(1, int(2*each)))
	}
	g.faces[who] = f
	return f, nil
}

// limitTo returns a caller with the name and the namespace of a token.
func limitTo(c ref.Caller, who token.Token) ref.Caller {
	c.Actor = cmp.Or(who.Name, c.Actor)
	if who.Namespace != "" {
		c.Namespace, c.Confined = who.Namespace, true
	}
	return c
}

// watch closes the streams of revoked tokens, and those opened without a token
// before one was needed. Other requests check their token themselves.
func (g *door) watch(ctx context.Context) {
	tick := time.NewTicker(checkEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			g.drop(ctx)
		}
	}
}

// drop closes the faces of tokens that are no longer valid, and those of holders whose
// last token has expired.
func (g *door) drop(ctx context.Context) {
	tokens, err := g.tokens(ctx)
	if err != nil {
		return // the next check will see it
	}
	good := map[holder]bool{{}: g.secret != "" || !g.locked.Load()}
	for _, t := range tokens {
		good[holder{Token: t}] = true
	}
	var rules []oauth.Rule
	if g.remote != nil {
		if rules, err = oauth.Rules(ctx, g.db); err != nil {
			return
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for who, f := range g.faces {
		if !good[who] && (who.subject == "" || !f.isStillHeld(who, rules)) {
			f.end()
			_ = f.handler.Shutdown(ctx)
			delete(g.faces, who)
		}
	}
}

// closeStreams ends the streams, which would keep the server open.
func (g *door) closeStreams() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, f := range g.faces {
		f.end()
	}
}

func (g *door) close() {
	g.closeStreams()
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, f := range g.faces {
		_ = f.handler.Shutdown(context.Background())
	}
	clear(g.faces)
}
