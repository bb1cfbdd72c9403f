package httpserve

import (
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
	"hence/tools/httpserve/token"
)

const (
	sessionIdle = time.Hour        // a session that nobody uses for so long is dropped
	heartbeat   = 30 * time.Second // on a stream that has nothing to say
	lookAgain   = 5 * time.Second  // whether tokens with an open stream are still good
	maxWrong    = 10               // wrong tokens a second before they are told to wait
)

// door lets requests in by their tokens. Each token has a face of its own, so
// that neither a session nor a notification of one can reach another.
type door struct {
	db      *db.DB
	options Options
	secret  string      // the hash of Options.Secret, "" for none
	locked  atomic.Bool // a token is needed; once it is, it stays so
	wrong   *rate.Limiter
	mu      sync.Mutex
	faces   map[token.Token]*face
}

// face is the server as the holder of one token meets it.
type face struct {
	handler *server.StreamableHTTPServer
	page    http.Handler // what the explorer asks; nil where it is off
	open    *sessions
	limit   *rate.Limiter // nil for none
	life    context.Context
	end     context.CancelFunc // of its streams
}

func newDoor(d *db.DB, o Options, locked bool) *door {
	g := &door{db: d, options: o, wrong: rate.NewLimiter(maxWrong, 5*maxWrong), faces: map[token.Token]*face{}}
	if o.Secret != "" {
		g.secret = db.Hash(o.Secret)
	}
	g.locked.Store(locked)
	return g
}

func (g *door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f := entered(r)
	if status, message := f.without(r); status != 0 {
		http.Error(w, message, status)
		return
	}
	if begins(r) && f.open.full() {
		w.Header().Set("Retry-After", "60")
		http.Error(w, "too many sessions are open; close some", http.StatusServiceUnavailable)
		return
	}
	if r.Context().Value(streaming{}) != nil {
		ctx, end := context.WithCancel(r.Context())
		defer context.AfterFunc(f.life, end)()
		defer end()
		r = r.WithContext(ctx)
	}
	f.handler.ServeHTTP(w, r)
}

// explore answers what the explorer's page asks.
func (g *door) explore(w http.ResponseWriter, r *http.Request) {
	entered(r).page.ServeHTTP(w, r)
}

// facing is the key of the face that a request is for, in its context.
type facing struct{}

// entered is the face that a request is for, once enter has let it in.
func entered(r *http.Request) *face { return r.Context().Value(facing{}).(*face) }

// enter finds the face that a request is for, by its headers alone. It answers
// those that may not come in, or not so often.
func (g *door) enter(w http.ResponseWriter, r *http.Request) (in *http.Request, ok bool) {
	who, ok := g.admit(w, r)
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
	return r.WithContext(context.WithValue(r.Context(), facing{}, f)), true
}

// refuse answers a request that goes no further: the explorer's page in the
// form that it reads, all others in words.
func refuse(w http.ResponseWriter, r *http.Request, status int, message string) {
	if strings.HasPrefix(r.URL.Path, explore.APIPath) {
		explore.Refuse(w, status, message)
		return
	}
	http.Error(w, message, status)
}

// hasSessions reports whether a request is of a protocol version that has
// sessions.
func hasSessions(r *http.Request) bool {
	return !mcp.IsModernProtocol(r.Header.Get(mcp.HeaderProtocolVersion))
}

// begins reports whether a request may begin a session.
func begins(r *http.Request) bool {
	return r.Method == http.MethodPost && hasSessions(r) && r.Header.Get(mcp.HeaderSessionID) == ""
}

// without refuses to listen in, or to close, what is no open session; 0 where
// nothing is wrong. mcp-go looks at the session of a POST only: a client would
// listen in silence to one that ended with the server before.
func (f *face) without(r *http.Request) (status int, message string) {
	if r.Method != http.MethodGet && r.Method != http.MethodDelete || !hasSessions(r) {
		return 0, ""
	}
	id := r.Header.Get(mcp.HeaderSessionID)
	if id == "" {
		return http.StatusBadRequest, "the session is not named: begin one with initialize, and send its Mcp-Session-Id"
	}
	if _, err := f.open.Validate(id); err != nil {
		return http.StatusNotFound, "there is no such session; begin a new one with initialize"
	}
	return 0, ""
}

// admit tells who asks: the zero Token for whoever has the secret, or where
// none is needed. It answers those that may not come in.
func (g *door) admit(w http.ResponseWriter, r *http.Request) (token.Token, bool) {
	tokens, err := g.tokens(r.Context())
	if err != nil {
		refuse(w, r, http.StatusServiceUnavailable, "the store cannot be read")
		return token.Token{}, false
	}
	secret, given := bearer(r)
	who, known := token.Of(tokens, secret)
	master := g.secret != "" && subtle.ConstantTimeCompare([]byte(g.secret), []byte(db.Hash(secret))) == 1
	switch {
	case given && master, !g.locked.Load():
		return token.Token{}, true
	case given && known:
		return who, true
	case !g.wrong.Allow():
		w.Header().Set("Retry-After", "1")
		refuse(w, r, http.StatusTooManyRequests, "too many wrong tokens")
	default:
		w.Header().Set("WWW-Authenticate", `Bearer realm="hence"`)
		refuse(w, r, http.StatusUnauthorized, "a token is needed: Authorization: Bearer …")
	}
	return token.Token{}, false
}

// tokens are those there are. The first one locks the door.
func (g *door) tokens(ctx context.Context) ([]token.Token, error) {
	all, err := token.List(ctx, g.db)
	if len(all) > 0 {
		g.locked.Store(true)
	}
	return all, err
}

// bearer returns the token that a request carries.
func bearer(r *http.Request) (secret string, ok bool) {
	given := r.Header.Values("Authorization")
	if len(given) != 1 {
		return "", false
	}
	scheme, secret, ok := strings.Cut(given[0], " ")
	return strings.TrimSpace(secret), ok && strings.EqualFold(scheme, "Bearer")
}

// unconfined admits those that see the whole store.
func (g *door) unconfined(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who, ok := g.admit(w, r)
		switch {
		case !ok:
		case who.Namespace != "":
			http.Error(w, "this token sees one namespace only", http.StatusForbidden)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// face returns the face of a token, and makes it on the first call.
func (g *door) face(who token.Token) (*face, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if f := g.faces[who]; f != nil {
		return f, nil
	}
	offered := g.options.Tools
	offered.ReadOnly = offered.ReadOnly || who.ReadOnly
	s, err := tools.New(g.db, narrowed(g.options.Caller, who), offered)
	if err != nil {
		return nil, err
	}
	f := &face{open: newSessions()}
	f.handler = server.NewStreamableHTTPServer(s,
		server.WithSessionIdManager(f.open),
		server.WithSessionIdleTTL(sessionIdle),
		server.WithHeartbeatInterval(heartbeat),
		server.WithStreamableHTTPLogger(offered.Log),
		server.WithDisableLocalhostProtection(true), // guard does it, and knows --allow-host
	)
	if g.options.Explore {
		f.page = explore.New(g.db, narrowed(g.options.Person, who), offered, g.locked.Load)
	}
	f.life, f.end = context.WithCancel(context.Background())
	if g.options.Rate > 0 {
		f.limit = rate.NewLimiter(rate.Limit(g.options.Rate), max(1, int(2*g.options.Rate)))
	}
	g.faces[who] = f
	return f, nil
}

// narrowed is a caller as a token lets it be.
func narrowed(c ref.Caller, who token.Token) ref.Caller {
	if who.Name != "" {
		c.Actor = who.Name
	}
	if who.Namespace != "" {
		c.Namespace, c.Confined = who.Namespace, true
	}
	return c
}

// watch closes the streams of tokens that have been revoked, and of those who
// came without one before it was needed. Other requests look at their token
// themselves.
func (g *door) watch(ctx context.Context) {
	tick := time.NewTicker(lookAgain)
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

// drop closes the faces that nobody can come to any more.
func (g *door) drop(ctx context.Context) {
	tokens, err := g.tokens(ctx)
	if err != nil {
		return // the next look says
	}
	good := map[token.Token]bool{{}: g.secret != "" || !g.locked.Load()}
	for _, t := range tokens {
		good[t] = true
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for who, f := range g.faces {
		if !good[who] {
			f.end()
			_ = f.handler.Shutdown(ctx)
			delete(g.faces, who)
		}
	}
}

// closeStreams ends what would keep the server open.
func (g *door) closeStreams() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, f := range g.faces {
		f.end()
	}
}

func (g *door) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, f := range g.faces {
		f.end()
		_ = f.handler.Shutdown(context.Background())
	}
	clear(g.faces)
}
