// Package oauth checks the access tokens of the owner's identity provider: JSON Web Tokens
// (RFC 9068) that the provider issued for this server. Hence itself issues none.
//
// The rules are those of the MCP specification and of RFC 8725. The versions 2025-11-25 and
// 2026-07-28 of the specification hardly differ for a server: with the newer one it does
// not ask for offline_access. A token must have an asymmetric signature by a key of the
// provider, the provider as its issuer, this server in its audience, and a time of expiry
// that has not passed. It must not be bound to a sender, because a bearer does not prove to
// be that sender.
package oauth

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"hence/internal/db"
	"hence/internal/fault"
)

// Skew is the allowed difference between the clocks of the provider and of this server.
const Skew = time.Minute

const (
	maxToken   = 16 << 10 // bytes
	maxClaim   = 1000     // bytes of the issuer, subject and client
	maxWords   = 200      // values of a claim that is a list
	maxSubject = 64       // characters of a subject's name in the journal
)

var (
	// ErrUnavailable means that the provider's keys cannot be read now.
	ErrUnavailable = errors.New("the keys of the identity provider cannot be read")
	// ErrInvalid means that a token is not valid here; the text after it says why.
	ErrInvalid = errors.New("the token is not valid")
)

// algorithms are the signature algorithms that are accepted. Those with a shared secret, and
// "none", are not.
var algorithms = []jose.SignatureAlgorithm{
	jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384, jose.PS512, jose.ES256, jose.ES384, jose.ES512, jose.EdDSA,
}

// Options configure a Verifier.
type Options struct {
	Issuer   string           // address of the identity provider, as in the claim iss of its tokens
	Audience string           // value in the claim aud of tokens for this server
	Client   *http.Client     // nil: one with a time limit and no redirects
	Now      func() time.Time // nil: time.Now
}

// Verifier checks tokens. It is safe for use by several requests at once.
type Verifier struct {
	options Options
	keys    *keys
}

// New returns a Verifier. It sends no request to the provider yet, so that a server starts
// even if the provider is down. It fails with invalid_argument if the issuer's address is
// neither https nor of this machine, or if the audience is empty.
func New(o Options) (*Verifier, error) {
	if err := checkAddress(o.Issuer); err != nil {
		return nil, fault.New(fault.InvalidArgument, "serve: --issuer: %v; give the address of your identity provider", err)
	}
	if o.Audience == "" {
		return nil, fault.New(fault.InvalidArgument, "serve: --audience is empty; give the value that tokens for this server have in aud")
	}
	if o.Client == nil {
		o.Client = &http.Client{Timeout: fetchTime, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Verifier{o, &keys{issuer: o.Issuer, client: o.Client, now: o.Now}}, nil
}

// Claims holds the claims of a valid token.
type Claims struct {
	Subject string // issuer, subject and client, which identify a holder
	Name    string // for the journal
	Expiry  time.Time
	values  map[string][]string // by claim: the words of scope, the strings of a list, or a single value
}

// IsJWT reports whether a bearer token has the form of a JSON Web Token. It checks no
// signature.
func IsJWT(raw string) bool { return strings.Count(raw, ".") == 2 && len(raw) <= maxToken }

// invalid returns an ErrInvalid with a reason.
func invalid(format string, a ...any) error {
	return fmt.Errorf("%w: %s", ErrInvalid, fmt.Sprintf(format, a...))
}

// Verify returns the claims of a token. It fails with ErrInvalid or ErrUnavailable. It makes
// all cheap checks before it fetches keys from the provider.
func (v *Verifier) Verify(ctx context.Context, raw string) (c Claims, err error) {
	if !IsJWT(raw) {
		return c, invalid("it is not a JSON Web Token")
	}
	signed, err := jwt.ParseSigned(raw, algorithms)
	if err != nil || len(signed.Headers) != 1 {
		return c, invalid("it is malformed, or its algorithm is not accepted")
	}
	header := signed.Headers[0]
	typ, _ := header.ExtraHeaders[jose.HeaderType].(string)
	switch strings.TrimPrefix(strings.ToLower(typ), "application/") {
	case "", "jwt", "at+jwt": // many providers write JWT
	default:
		return c, invalid("its type is %q", typ)
	}
	var plain jwt.Claims
	if err := signed.UnsafeClaimsWithoutVerification(&plain); err != nil {
		return c, invalid("its claims are malformed")
	}
	if err := v.check(plain); err != nil {
		return c, err
	}
	matches, err := v.keys.find(ctx, header.KeyID)
	if err != nil {
		return c, err
	}
	for _, key := range matches {
		if key.Algorithm != "" && key.Algorithm != header.Algorithm {
			continue
		}
		var all map[string]any
		if signed.Claims(key.Key, &all) == nil {
			return v.claimsOf(plain, all)
		}
	}
	return c, invalid("it is not signed by a key of the provider")
}

// check checks the registered claims: expiry, subject, issuer and audience.
func (v *Verifier) check(c jwt.Claims) error {
	switch {
	case c.Expiry == nil:
		return invalid("it has no time of expiry")
	case c.Subject == "":
		return invalid("it has no subject")
	case len(c.Issuer)+len(c.Subject) > maxClaim:
		return invalid("its issuer or subject is too long")
	}
	expected := jwt.Expected{Issuer: v.options.Issuer, Time: v.options.Now()}
	if err := c.ValidateWithLeeway(expected, Skew); err != nil {
		return invalid("%s", strings.TrimPrefix(err.Error(), "go-jose/go-jose/jwt: "))
	}
	if !slices.ContainsFunc(c.Audience, func(audience string) bool { return canonical(audience) == canonical(v.options.Audience) }) {
		return invalid("it is not for this server: its aud is not %s", v.options.Audience)
	}
	return nil
}

// canonical returns an address with its scheme and host in lower case, because a server
// accepts either case (2026-07-28, Canonical Server URI). It returns other texts as they are.
func canonical(audience string) string {
	u, err := url.Parse(audience)
	if err != nil || u.Host == "" || u.User != nil {
		return audience
	}
	u.Host = strings.ToLower(u.Host)
	return u.String()
}

// claimsOf returns the claims of a token whose signature was checked. It fails with ErrInvalid
// for a token that is bound to its sender, and for an id token.
func (v *Verifier) claimsOf(plain jwt.Claims, all map[string]any) (c Claims, err error) {
	for _, name := range []string{"cnf", "at_hash", "c_hash", "nonce"} {
		if _, ok := all[name]; ok {
			return c, invalid("it is bound to its sender, or an id token: it has %s", name)
		}
	}
	c = Claims{Expiry: plain.Expiry.Time(), values: map[string][]string{}}
	for name, value := range all {
		c.values[name] = wordsOf(name, value)
	}
	if len(c.values["scope"]) == 0 {
		c.values["scope"] = c.values["scp"] // the name in tokens of Entra and Okta
	}
	client := first(c.values["client_id"], c.values["azp"])
	// As JSON, so that no text in one part looks like the next part.
	c.Subject = db.List([]string{plain.Issuer, plain.Subject, client[:min(len(client), maxClaim)]})
	// The journal names a subject on one line, of a bounded length.
	name := first(c.values["preferred_username"], c.values["email"], []string{plain.Subject})
	name = strings.Join(strings.FieldsFunc(name, func(c rune) bool { return c <= ' ' || !unicode.IsPrint(c) || unicode.Is(unicode.Cf, c) }), " ")
	if runes := []rune(name); len(runes) > maxSubject {
		name = string(runes[:maxSubject])
	}
	// A provider lets its users choose such a name, so the journal never shows it alone: it
	// could be that of the owner or of a token.
	c.Name = cmp.Or(name, "remote") + " (" + hostOf(plain.Issuer) + ")"
	return c, nil
}

// hostOf returns the host of an issuer's address, or all of it if it has none.
func hostOf(issuer string) string {
	if u, err := url.Parse(issuer); err == nil && u.Host != "" {
		return u.Host
	}
	return issuer
}

// first returns the first value of the first list that begins with one, "" if none does.
func first(lists ...[]string) string {
	for _, list := range lists {
		if len(list) > 0 && list[0] != "" {
			return list[0]
		}
	}
	return ""
}

// wordsOf returns the values of a claim as strings, at most maxWords.
func wordsOf(name string, value any) (words []string) {
	switch value := value.(type) {
	case string:
		if name == "scope" || name == "scp" {
			words = strings.Fields(value)
			break
		}
		words = []string{value}
	case bool:
		words = []string{fmt.Sprint(value)}
	case json.Number:
		words = []string{value.String()}
	case []any:
		for _, item := range value {
			if text, ok := item.(string); ok {
				words = append(words, text)
			}
		}
	}
	return words[:min(len(words), maxWords)]
}

// IsLoopback reports whether a host is localhost or a loopback address.
func IsLoopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && addr.IsLoopback()
}

// ScopesOf returns the scopes in the rows of a map, sorted, each once. It leaves out
// offline_access, because that is about refresh tokens, and a server does not ask for it
// (2026-07-28, Refresh Tokens).
func ScopesOf(rules []Rule) []string {
	scopes := []string{}
	for _, r := range rules {
		if r.Claim == "scope" && r.Value != "offline_access" {
			scopes = append(scopes, r.Value)
		}
	}
	slices.Sort(scopes)
	return slices.Compact(scopes)
}
