package httpserve

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/google/go-cmp/cmp"

	"hence/internal/fault"
	"hence/tools/httpserve/oauth"
	"hence/tools/httpserve/token"
)

const listTools = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`

// openRemote starts a server that accepts the tokens of an identity provider, with rows of
// the map.
func openRemote(t *testing.T, o Options, rules ...oauth.Rule) (*world, *issuer) {
	t.Helper()
	i, d := newIssuer(t), newStore(t)
	for _, r := range rules {
		if err := oauth.Map(t.Context(), d, "person", r); err != nil {
			t.Fatal(err)
		}
	}
	o.Issuer = i.url()
	return openOn(t, d, o), i
}

func writers() oauth.Rule { return oauth.Rule{Claim: "scope", Value: "hence:write"} }

// initialize begins a session, which every valid token may do.
func (w *world) initialize(change ...func(r *http.Request)) answer {
	w.t.Helper()
	return w.post(hello, change...)
}

func TestRemote_Metadata(t *testing.T) {
	w, i := openRemote(t, Options{}, writers(), oauth.Rule{Claim: "scope", Value: "hence:read", ReadOnly: true})
	without := w.initialize()
	address := strings.TrimSuffix(w.server.URL(), Path) + metadataPath + Path
	if want := `Bearer realm="hence", resource_metadata="` + address + `", scope="hence:read hence:write"`; without.status != http.StatusUnauthorized || without.header.Get("WWW-Authenticate") != want {
		t.Errorf("%d, %q; want %q", without.status, without.header.Get("WWW-Authenticate"), want)
	}
	want := map[string]any{
		"resource": w.server.URL(), "resource_name": "Hence", "authorization_servers": []any{i.url()},
		"bearer_methods_supported": []any{"header"}, "scopes_supported": []any{"hence:read", "hence:write"},
	}
	for _, path := range []string{metadataPath, metadataPath + Path} {
		said := w.get(path)
		var got map[string]any
		if err := json.Unmarshal([]byte(said.body), &got); err != nil || said.header.Get("Content-Type") != "application/json" {
			t.Fatalf("%s: %v, %s", path, err, said.body)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
	if said := open(t, Options{}).get(metadataPath); said.status != http.StatusNotFound {
		t.Errorf("without an identity provider: %d", said.status)
	}
}

// Every kind of wrong token in the MCP specification, RFC 8725 and RFC 9068 is refused,
// with the facts that a client needs to get a right one. The provider gets no request for a
// token that cannot be right.
func TestRemote_WrongTokens(t *testing.T) {
	w, i := openRemote(t, Options{}, writers())
	us := w.server.URL()
	if said := w.initialize(withToken(i.token(us, nil))); said.status != http.StatusOK {
		t.Fatalf("a right token: %d, %s", said.status, said.body)
	}
	signed := func(alg jose.SignatureAlgorithm, key any, typ string, changes map[string]any) string {
		return sign(t, jose.SigningKey{Algorithm: alg, Key: key}, typ, i.claims(us, changes))
	}
	shared := make([]byte, 32)
	_, _ = rand.Read(shared)
	key := i.signing()
	own := key.Public()
	public, err := own.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	part := func(value any) string {
		raw, _ := json.Marshal(value)
		return base64.RawURLEncoding.EncodeToString(raw)
	}
	now, stranger := time.Now(), newKey(t, "first")
	right := i.token(us, nil)
	parts := strings.Split(right, ".")
	for name, raw := range map[string]string{
		"OfAnotherIssuer":          i.token(us, map[string]any{"iss": "https://evil.example"}),
		"OfAnIssuerWithASlash":     i.token(us, map[string]any{"iss": i.url() + "/"}),
		"WithoutIssuer":            i.token(us, map[string]any{"iss": nil}),
		"ForAnotherServer":         i.token("https://other.example/mcp", nil),
		"ForTheOriginOnly":         i.token(strings.TrimSuffix(us, Path), nil),
		"ForOthers":                i.token(us, map[string]any{"aud": []string{"a", "b"}}),
		"WithoutAudience":          i.token(us, map[string]any{"aud": nil}),
		"ForAClient":               i.token(us, map[string]any{"aud": "client"}),
		"ForAPathBelow":            i.token(us+"/other", nil),
		"ForAnotherPort":           i.token(strings.Replace(us, "127.0.0.1:", "127.0.0.1:1", 1), nil),
		"ForAPathInOtherCase":      i.token(strings.TrimSuffix(us, Path)+strings.ToUpper(Path), nil),
		"ForSomebodyAtOurName":     i.token(strings.Replace(us, "://", "://x@", 1), nil),
		"ForOursAmongWords":        i.token(us, map[string]any{"aud": us + " https://other.example"}),
		"Expired":                  i.token(us, map[string]any{"exp": now.Add(-2 * time.Minute).Unix()}),
		"WithoutExpiry":            i.token(us, map[string]any{"exp": nil}),
		"NotYet":                   i.token(us, map[string]any{"nbf": now.Add(5 * time.Minute).Unix()}),
		"OfTheFuture":              i.token(us, map[string]any{"iat": now.Add(5 * time.Minute).Unix()}),
		"WithoutSubject":           i.token(us, map[string]any{"sub": nil}),
		"BoundToASender":           i.token(us, map[string]any{"cnf": map[string]any{"jkt": "x"}}),
		"AnIDToken":                i.token(us, map[string]any{"nonce": "n"}),
		"OfAnotherType":            signed(jose.ES256, i.signing(), "dpop+jwt", nil),
		"ALogoutToken":             signed(jose.ES256, i.signing(), "logout+jwt", nil),
		"SignedByAnother":          signed(jose.ES256, stranger, "at+jwt", nil),
		"SignedByAnUnknownKey":     signed(jose.ES256, newKey(t, "unknown"), "at+jwt", nil),
		"SignedByASharedSecret":    signed(jose.HS256, shared, "at+jwt", nil),
		"SignedByThePublicKey":     signed(jose.HS256, public, "at+jwt", nil),
		"OfNoAlgorithm":            part(map[string]string{"alg": "none", "typ": "at+jwt"}) + "." + part(i.claims(us, nil)) + ".",
		"OfNoAlgorithmInCapitals":  part(map[string]string{"alg": "NONE"}) + "." + part(i.claims(us, nil)) + ".",
		"WithOtherClaims":          parts[0] + "." + part(i.claims(us, map[string]any{"scope": "hence:write admin"})) + "." + parts[2],
		"WithoutSignature":         parts[0] + "." + parts[1] + ".",
		"WithItsOwnKey":            part(map[string]any{"alg": "ES256", "jwk": json.RawMessage(public)}) + "." + parts[1] + "." + parts[2],
		"WithACriticalHeader":      part(map[string]any{"alg": "ES256", "kid": "first", "crit": []string{"x"}, "x": 1}) + "." + parts[1] + "." + parts[2],
		"NotBase64":                "a.b.c",
		"Empty":                    "..",
		"TooLong":                  right + strings.Repeat("x", 20_000),
		"ARefreshTokenOrAnyOpaque": "8xLOxBtZp8",
	} {
		t.Run(name, func(t *testing.T) {
			said := w.initialize(withToken(raw))
			header := said.header.Get("WWW-Authenticate")
			if said.status != http.StatusUnauthorized || !strings.Contains(header, `error="invalid_token"`) || !strings.Contains(header, "resource_metadata=") {
				t.Errorf("%d, %q, %s", said.status, header, said.body)
			}
		})
	}
	for name, change := range map[string]func(r *http.Request){
		"InTheQuery":        func(r *http.Request) { r.URL.RawQuery = "access_token=" + right },
		"WithAnotherScheme": func(r *http.Request) { r.Header.Set("Authorization", "DPoP "+right) },
	} {
		if said := w.initialize(change); said.status != http.StatusUnauthorized {
			t.Errorf("%s: %d", name, said.status)
		}
	}
	for name, change := range map[string]func(r *http.Request){
		"Twice":           func(r *http.Request) { r.Header["Authorization"] = []string{"Bearer " + right, "Bearer " + right} },
		"InTheQueryToo":   func(r *http.Request) { withToken(right)(r); r.URL.RawQuery = "access_token=" + right },
		"AnotherInTheURL": func(r *http.Request) { withToken(right)(r); r.URL.RawQuery = "access_token=x" },
	} {
		said := w.initialize(change)
		if said.status != http.StatusBadRequest || !strings.Contains(said.header.Get("WWW-Authenticate"), `error="invalid_request"`) {
			t.Errorf("%s: %d, %q", name, said.status, said.header.Get("WWW-Authenticate"))
		}
	}
	if n := i.timesAsked(); n > 2 { // once for the first token, once for an unknown key
		t.Errorf("the provider was asked %d times", n)
	}
}

func TestRemote_RightTokens(t *testing.T) {
	w, i := openRemote(t, Options{Audience: "hence"}, writers())
	now := time.Now()
	for name, raw := range map[string]string{
		"JustExpired":    i.token("hence", map[string]any{"exp": now.Add(-30 * time.Second).Unix()}),
		"OfAClockAhead":  i.token("hence", map[string]any{"iat": now.Add(30 * time.Second).Unix(), "nbf": now.Add(30 * time.Second).Unix()}),
		"AmongAudiences": i.token("x", map[string]any{"aud": []string{"other", "hence"}}),
		"ScopesOfAList":  i.token("hence", map[string]any{"scope": nil, "scp": []string{"openid", "hence:write"}}),
		"AmongScopes":    i.token("hence", map[string]any{"scope": "openid hence:write"}),
		"OfTypeJWT":      sign(t, jose.SigningKey{Algorithm: jose.ES256, Key: i.signing()}, "JWT", i.claims("hence", nil)),
	} {
		if said := w.initialize(withToken(raw)); said.status != http.StatusOK {
			t.Errorf("%s: %d, %s", name, said.status, said.body)
		}
	}
}

// The scheme and the host of an audience may be in capitals.
func TestRemote_AudienceInCapitals(t *testing.T) {
	w, i := openRemote(t, Options{URL: "https://hence.example/mcp"}, writers())
	if said := w.initialize(withToken(i.token("HTTPS://Hence.Example/mcp", nil))); said.status != http.StatusOK {
		t.Errorf("%d, %s", said.status, said.body)
	}
	if said := w.initialize(withToken(i.token("https://hence.example/MCP", nil))); said.status != http.StatusUnauthorized {
		t.Errorf("another path: %d", said.status)
	}
}

// A call of a tool that writes, with a token that may only read, is answered with the scope
// that the token lacks. If no scope would help, the call is answered as usual.
func TestRemote_ReadersAreToldWhatLetsThemWrite(t *testing.T) {
	const store = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"memory_store","arguments":{"content":"x"}}}`
	const search = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"memory_search","arguments":{"query":"x"}}}`
	reader := oauth.Rule{Claim: "scope", Value: "hence:read", ReadOnly: true}
	for name, c := range map[string]struct {
		rules []oauth.Rule
		call  string
		scope string // "": it is not told
	}{
		"InTheirPlace":     {[]oauth.Rule{reader, writers(), {Claim: "sub", Value: "ada", Namespace: "a"}}, store, "hence:write"},
		"AReadersGroup":    {[]oauth.Rule{reader, writers(), {Claim: "sub", Value: "ada", ReadOnly: true}}, store, ""},
		"Writes":           {[]oauth.Rule{reader, writers()}, store, "hence:write"},
		"Reads":            {[]oauth.Rule{reader, writers()}, search, ""},
		"NoScopeWrites":    {[]oauth.Rule{reader, {Claim: "groups", Value: "writers"}}, store, ""},
		"OfAnotherPlace":   {[]oauth.Rule{reader, {Claim: "scope", Value: "other", Namespace: "other"}}, store, ""},
		"OfflineIsNoRight": {[]oauth.Rule{reader, {Claim: "scope", Value: "offline_access", ReadOnly: true}}, store, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w, i := openRemote(t, Options{}, c.rules...)
			held := withToken(i.token(w.server.URL(), map[string]any{"scope": "hence:read"}))
			began := w.initialize(held)
			session := func(r *http.Request) { r.Header.Set("Mcp-Session-Id", began.header.Get("Mcp-Session-Id")) }
			said := w.post(c.call, held, session)
			header := said.header.Get("WWW-Authenticate")
			switch {
			case c.scope == "" && said.status == http.StatusForbidden:
				t.Errorf("%q, %s", header, said.body)
			case c.scope != "" && (said.status != http.StatusForbidden || !strings.Contains(header, `error="insufficient_scope"`) ||
				!strings.Contains(header, `scope="`+c.scope+`"`) || !strings.Contains(header, "resource_metadata=")):
				t.Errorf("%d, %q, %s", said.status, header, said.body)
			}
			if without := w.initialize(); strings.Contains(without.header.Get("WWW-Authenticate"), "offline_access") {
				t.Errorf("it asks for offline_access: %q", without.header.Get("WWW-Authenticate"))
			}
		})
	}
}

func TestRemote_MapSaysWhatATokenSees(t *testing.T) {
	w, i := openRemote(t, Options{},
		oauth.Rule{Claim: "groups", Value: "a", Namespace: "a"}, oauth.Rule{Claim: "groups", Value: "readers", Namespace: "a", ReadOnly: true},
		oauth.Rule{Claim: "sub", Value: "root"}, oauth.Rule{Claim: "scope", Value: "small", MaxBody: 400, Rate: 0.001})
	us := w.server.URL()
	none := w.initialize(withToken(i.token(us, nil)))
	if none.status != http.StatusForbidden || !strings.Contains(none.header.Get("WWW-Authenticate"), `error="insufficient_scope"`) {
		t.Errorf("without a row: %d, %q", none.status, none.header.Get("WWW-Authenticate"))
	}
	sees := func(changes map[string]any) string {
		said := w.initialize(withToken(i.token(us, changes)))
		if said.status != http.StatusOK {
			t.Fatalf("%v: %d, %s", changes, said.status, said.body)
		}
		var who holder
		w.server.door.mu.Lock()
		defer w.server.door.mu.Unlock()
		for one, f := range w.server.door.servers {
			if one.subject != "" && f.has(said.header.Get("Mcp-Session-Id")) {
				who = one
			}
		}
		if who.ReadOnly {
			return who.Namespace + " read"
		}
		return who.Namespace + " write"
	}
	for name, c := range map[string]struct {
		changes map[string]any
		want    string
	}{
		"RowsOfAClaimAddUp":  {map[string]any{"groups": []string{"readers", "a"}}, "a write"},
		"ReadersOnlyRead":    {map[string]any{"groups": []string{"readers"}}, "a read"},
		"NotASecondPlace":    {map[string]any{"groups": []string{"a"}, "sub": "root"}, "a write"},
		"AllForTheirSubject": {map[string]any{"sub": "root"}, " write"},
	} {
		if got := sees(c.changes); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	small := i.token(us, map[string]any{"scope": "small"})
	if said := w.post(listTools+strings.Repeat(" ", 400), withToken(small)); said.status != http.StatusRequestEntityTooLarge {
		t.Errorf("a large body: %d", said.status)
	}
	if said := w.initialize(withToken(small)); said.status != http.StatusTooManyRequests {
		t.Errorf("a second request: %d", said.status)
	}
	// Tokens that Hence issued still work, and a changed map applies at once.
	if said := w.initialize(withToken(w.token(token.Token{Name: "own"}))); said.status != http.StatusOK {
		t.Errorf("our own token: %d", said.status)
	}
	if err := oauth.Unmap(t.Context(), w.db, "person", "sub", "root"); err != nil {
		t.Fatal(err)
	}
	if said := w.initialize(withToken(i.token(us, map[string]any{"sub": "root"}))); said.status != http.StatusForbidden {
		t.Errorf("a row that was removed: %d", said.status)
	}
}

// A token that is read-only by its scope, or confined by its group, remains so whatever
// other rows give, and in whatever order they were added.
func TestRemote_TheMostConfinedRowDecides(t *testing.T) {
	write, read := writers(), oauth.Rule{Claim: "scope", Value: "hence:read", ReadOnly: true}
	team := oauth.Rule{Claim: "groups", Value: "team-a", Namespace: "team-a", Rate: 5}
	all := oauth.Rule{Claim: "groups", Value: "all", Rate: 2, MaxBody: 1000}
	now := time.Now()
	i := newIssuer(t)
	v, err := oauth.New(oauth.Options{Issuer: i.url(), Audience: "us", Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		scope  string
		groups []string
		want   string
	}{
		"ConfinedAndWrites": {"hence:write", []string{"team-a"}, "team-a write 5 0"},
		"ConfinedAndReads":  {"hence:read", []string{"team-a"}, "team-a read 5 0"},
		"ByTheGroupAlone":   {"openid", []string{"team-a"}, "team-a write 5 0"},
		"ByTheScopeAlone":   {"hence:write", nil, " write 0 0"},
		"BothScopes":        {"hence:read hence:write", []string{"team-a"}, "team-a write 5 0"},
		"TwoGroups":         {"hence:write", []string{"all", "team-a"}, "team-a write 2 1000"},
	} {
		claims, err := v.Verify(t.Context(), i.token("us", map[string]any{"scope": c.scope, "groups": c.groups}))
		if err != nil {
			t.Fatal(err)
		}
		for _, rules := range [][]oauth.Rule{{write, read, team, all}, {all, team, read, write}, {team, all, write, read}} {
			right, ok := oauth.Right(rules, claims)
			may := "write"
			if right.ReadOnly {
				may = "read"
			}
			if got := fmt.Sprint(right.Namespace, " ", may, " ", right.Rate, " ", right.MaxBody); !ok || got != c.want {
				t.Errorf("%s: %q, want %q", name, got, c.want)
			}
		}
	}
}

// has reports whether a session is open.
func (s *tokenServer) has(session string) bool {
	_, err := s.sessions.Validate(session)
	return err == nil
}

// Keys change while the server runs. A key that the provider has withdrawn is refused after
// a while; while the provider is down, the cached keys remain valid for as long.
func TestRemote_KeysRotate(t *testing.T) {
	i := newIssuer(t)
	now := time.Now()
	v, err := oauth.New(oauth.Options{Issuer: i.url(), Audience: "us", Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	verify := func(raw string) error {
		_, err := v.Verify(t.Context(), raw)
		return err
	}
	lasting := map[string]any{"exp": now.Add(24 * time.Hour).Unix()}
	first := i.token("us", lasting)
	if err := verify(first); err != nil {
		t.Fatal(err)
	}
	i.rotate("second")
	second := i.token("us", lasting)
	if err := verify(second); err == nil {
		t.Error("the provider was asked again at once")
	}
	now = now.Add(10 * time.Second)
	if err := verify(second); err != nil {
		t.Errorf("the second key: %v", err)
	}
	i.mu.Lock()
	i.keys, i.down = i.keys[1:], true
	i.mu.Unlock()
	now = now.Add(5 * time.Minute)
	if err := verify(first); err != nil {
		t.Errorf("while the provider is away: %v", err)
	}
	now = now.Add(6 * time.Minute)
	if err := verify(first); err == nil || !strings.Contains(err.Error(), "cannot be read") {
		t.Errorf("long after: %v", err)
	}
	i.mu.Lock()
	i.down = false
	i.mu.Unlock()
	now = now.Add(10 * time.Second)
	if err := verify(first); err == nil {
		t.Error("a key that was withdrawn still counts")
	}
	if err := verify(second); err != nil {
		t.Errorf("the key that is left: %v", err)
	}
}

type transport func(r *http.Request) (*http.Response, error)

func (send transport) RoundTrip(r *http.Request) (*http.Response, error) { return send(r) }

// A token with an unknown key causes a request to the provider. However long that takes,
// tokens with a cached key do not wait.
func TestRemote_KnownKeysDoNotWait(t *testing.T) {
	i, now, slow := newIssuer(t), time.Now(), false
	asked, release := make(chan struct{}), make(chan struct{})
	client := &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
		if slow {
			asked <- struct{}{}
			<-release
		}
		return http.DefaultTransport.RoundTrip(r)
	})}
	v, err := oauth.New(oauth.Options{Issuer: i.url(), Audience: "us", Client: client, Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	known := i.token("us", nil)
	if _, err := v.Verify(t.Context(), known); err != nil {
		t.Fatal(err)
	}
	stranger := sign(t, jose.SigningKey{Algorithm: jose.ES256, Key: newKey(t, "unknown")}, "at+jwt", i.claims("us", nil))
	now, slow = now.Add(10*time.Second), true
	refused := make(chan error)
	go func() {
		_, err := v.Verify(context.Background(), stranger)
		refused <- err
	}()
	<-asked
	if _, err := v.Verify(t.Context(), known); err != nil {
		t.Error(err)
	}
	go func() {
		for range asked {
		}
	}()
	close(release)
	if err := <-refused; err == nil {
		t.Error("a stranger's token is valid")
	}
}

// A stream ends when the last token of its holder has expired, or when the map no longer
// has a row for it.
func TestRemote_FacesEndWithTheirTokens(t *testing.T) {
	w, i := openRemote(t, Options{}, writers())
	us := w.server.URL()
	w.initialize(withToken(i.token(us, map[string]any{"sub": "soon"})))
	w.initialize(withToken(i.token(us, map[string]any{"sub": "later"})))
	subjects := func() (n int) {
		w.server.door.mu.Lock()
		defer w.server.door.mu.Unlock()
		for who := range w.server.door.servers {
			if who.subject != "" {
				n++
			}
		}
		return n
	}
	if n := subjects(); n != 2 {
		t.Fatalf("%d faces", n)
	}
	w.server.door.mu.Lock()
	for who, f := range w.server.door.servers {
		if strings.Contains(who.subject, "soon") {
			f.lease.until = time.Now().Add(-time.Second)
		}
	}
	w.server.door.mu.Unlock()
	if w.server.door.drop(t.Context()); subjects() != 1 {
		t.Errorf("%d faces after a token expired", subjects())
	}
	if err := oauth.Unmap(t.Context(), w.db, "person", "scope", "hence:write"); err != nil {
		t.Fatal(err)
	}
	if w.server.door.drop(t.Context()); subjects() != 0 {
		t.Errorf("%d faces after the row was removed", subjects())
	}
}

func TestRemote_Options(t *testing.T) {
	d := newStore(t)
	for name, o := range map[string]Options{
		"InTheClear":     {Addr: "0.0.0.0:0", Issuer: "https://id.example"},
		"IssuerNotHTTPS": {Addr: "127.0.0.1:0", Issuer: "http://id.example"},
		"IssuerNoURL":    {Addr: "127.0.0.1:0", Issuer: "id.example"},
		"URLNotOurs":     {Addr: "127.0.0.1:0", Issuer: "https://id.example", URL: "https://hence.example/"},
		"NoProxy":        {Addr: "127.0.0.1:0", Proxies: []string{"proxy"}},
		"NoCertificate":  {Addr: "127.0.0.1:0", TLSCert: "/nowhere", TLSKey: "/nowhere"},
	} {
		if _, err := Listen(t.Context(), d, o); fault.CodeOf(err) != fault.InvalidArgument {
			t.Errorf("%s: %v", name, err)
		}
	}
}
