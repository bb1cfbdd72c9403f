// Package oauth checks the access tokens of the owner's identity provider: JSON Web
// Tokens (RFC 9068) that were issued for this server. Hence issues none.
//
// The rules are those of the MCP specification (2025-11-25 and 2026-07-28, which differ in
// little for a server: offline_access is not asked for) and RFC 8725: an asymmetric signature by a key of the provider, its
// issuer, this server among the audience, a time of expiry that has not passed, and no
// sender that the token is bound to, because a bearer does not show that it is him.
package oauth

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"hence/internal/fault"
)

// Skew is how far the clocks of the provider and of this server may differ.
const Skew = time.Minute

const (
	maxToken   = 16 << 10 // bytes
	maxClaim   = 1000     // bytes of the issuer, subject and client
	maxWords   = 200      // of a claim that is a list
	maxSubject = 64       // characters of the name of a subject
)

var (
	// ErrUnavailable is that the provider's keys cannot be read now.
	ErrUnavailable = errors.New("the identity provider cannot be asked")
	// ErrInvalid is that a token is not valid here; the error wrapped with it says why.
	ErrInvalid = errors.New("the token is not valid")
)

// algorithms are the signatures that are accepted: none of a shared secret, and not none.
var algorithms = []jose.SignatureAlgorithm{
	jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384, jose.PS512, jose.ES256, jose.ES384, jose.ES512, jose.EdDSA,
}

// Options say whose tokens are accepted.
type Options struct {
	Issuer   string           // address of the identity provider, as its tokens have it
	Audience string           // what its tokens for this server have in aud
	Client   *http.Client     // nil: one with a time limit and no redirects
	Now      func() time.Time // nil: time.Now
}

// Verifier checks tokens. It is safe for use by several requests at once.
type Verifier struct {
	options Options
	keys    *keys
}

// New returns a Verifier. It asks the provider for nothing yet, so that a server starts
// without it. It fails with invalid_argument if an address is not https, unless it is of
// this machine.
func New(o Options) (*Verifier, error) {
	if err := checkAddress(o.Issuer); err != nil {
		return nil, fault.New(fault.InvalidArgument, "serve: --issuer: %v; give the address of your identity provider", err)
	}
	if o.Audience == "" {
		return nil, fault.New(fault.InvalidArgument, "serve: --audience is empty; give what tokens for this server have in aud")
	}
	if o.Client == nil {
		o.Client = &http.Client{Timeout: askTime, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Verifier{o, &keys{issuer: o.Issuer, client: o.Client, now: o.Now}}, nil
}

// Claims are what a valid token says.
type Claims struct {
	Subject string // issuer, subject and client, which tell holders apart
	Name    string // for the journal
	Expiry  time.Time
	values  map[string][]string // by claim: the words of scope, the entries of a list, or the one value of a text
}

// LooksLikeOne reports whether a bearer's token has the form of a JSON Web Token.
func LooksLikeOne(raw string) bool { return strings.Count(raw, ".") == 2 && len(raw) <= maxToken }

func invalid(format string, a ...any) error {
	return fmt.Errorf("%w: %s", ErrInvalid, fmt.Sprintf(format, a...))
}

// Verify returns the claims of a token. It fails with ErrInvalid or ErrUnavailable. What
// is cheap to refuse is refused before the provider is asked for a key.
func (v *Verifier) Verify(ctx context.Context, raw string) (c Claims, err error) {
	if !LooksLikeOne(raw) {
		return c, invalid("it is not a JSON Web Token")
	}
	signed, err := jwt.ParseSigned(raw, algorithms)
	if err != nil || len(signed.Headers) != 1 {
		return c, invalid("it is malformed, or its algorithm is not accepted")
	}
	head := signed.Headers[0]
	typ, _ := head.ExtraHeaders[jose.HeaderType].(string)
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
	matches, err := v.keys.find(ctx, head.KeyID)
	if err != nil {
		return c, err
	}
	for _, key := range matches {
		if key.Algorithm != "" && key.Algorithm != head.Algorithm {
			continue
		}
		var all map[string]any
		if signed.Claims(key.Key, &all) == nil {
			return v.claimsOf(plain, all)
		}
	}
	return c, invalid("no key of the provider has signed it")
}

// check checks the registered claims.
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
	if !slices.ContainsFunc(c.Audience, func(one string) bool { return canonical(one) == canonical(v.options.Audience) }) {
		return invalid("it is not for this server: its aud is not %s", v.options.Audience)
	}
	return nil
}

// canonical returns an address with its scheme and host in lower case, in which a server
// accepts others too (2026-07-28, Canonical Server URI). Other texts stay as they are.
func canonical(audience string) string {
	scheme, rest, ok := strings.Cut(audience, "://")
	if !ok {
		return audience
	}
	host, path := rest, ""
	if at := strings.IndexAny(rest, "/?#"); at >= 0 {
		host, path = rest[:at], rest[at:]
	}
	if strings.Contains(host, "@") {
		return audience
	}
	return strings.ToLower(scheme+"://"+host) + path
}

// claimsOf reads the claims that the map of tokens may ask for.
func (v *Verifier) claimsOf(plain jwt.Claims, all map[string]any) (c Claims, err error) {
	for _, bound := range []string{"cnf", "at_hash", "c_hash", "nonce"} {
		if _, has := all[bound]; has {
			return c, invalid("it is bound to its sender, or an id token: it has %s", bound)
		}
	}
	c = Claims{Expiry: plain.Expiry.Time(), values: map[string][]string{}}
	for name, value := range all {
		c.values[name] = wordsOf(name, value)
	}
	if len(c.values["scope"]) == 0 {
		c.values["scope"] = c.values["scp"] // of Entra and Okta
	}
	client := first(c.values["client_id"], c.values["azp"])
	c.Subject = strings.Join([]string{plain.Issuer, plain.Subject, client[:min(len(client), maxClaim)]}, "\n")
	// The journal names a subject on one line, of a bounded length.
	name := first(c.values["preferred_username"], c.values["email"], []string{plain.Subject})
	name = strings.Join(strings.FieldsFunc(name, func(c rune) bool { return c <= ' ' || !unicode.IsPrint(c) || unicode.Is(unicode.Cf, c) }), " ")
	if runes := []rune(name); len(runes) > maxSubject {
		name = string(runes[:maxSubject])
	}
	c.Name = cmp.Or(name, "remote")
	return c, nil
}

func first(lists ...[]string) string {
	for _, list := range lists {
		if len(list) > 0 && list[0] != "" {
			return list[0]
		}
	}
	return ""
}

// wordsOf returns a claim as a list of texts.
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
		for _, one := range value {
			if text, ok := one.(string); ok {
				words = append(words, text)
			}
		}
	}
	return words[:min(len(words), maxWords)]
}

// IsLoopback reports whether a host can only be this machine.
func IsLoopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && addr.IsLoopback()
}

// ScopesOf returns the scopes that a map names, sorted, each once. offline_access is about
// refresh tokens and no right at a server, so that a server does not ask for it
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
