package oauth

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4/jwt"
	"github.com/google/go-cmp/cmp"
)

// claimed returns what a token says that an issuer gave to a subject, with further claims.
func claimed(t *testing.T, issuer, subject string, further map[string]any) Claims {
	t.Helper()
	c, err := (&Verifier{}).claimsOf(jwt.Claims{Issuer: issuer, Subject: subject, Expiry: jwt.NewNumericDate(time.Now())}, further)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestANameOfTheIssuerIsShownWithItsHost(t *testing.T) {
	const issuer = "https://id.example.com/realms/team"
	for name, c := range map[string]struct {
		issuer, subject string
		claims          map[string]any
		want            string
	}{
		"Preferred":       {issuer, "7f3a", map[string]any{"preferred_username": "ada"}, "ada (id.example.com)"},
		"TheOwner":        {issuer, "7f3a", map[string]any{"preferred_username": "you"}, "you (id.example.com)"},
		"AName":           {issuer, "7f3a", map[string]any{"preferred_username": "ada", "email": "a@example.com"}, "ada (id.example.com)"},
		"Email":           {issuer, "7f3a", map[string]any{"email": "ada@example.com"}, "ada@example.com (id.example.com)"},
		"Subject":         {issuer, "7f3a", nil, "7f3a (id.example.com)"},
		"NotAText":        {issuer, "7f3a", map[string]any{"preferred_username": []any{}}, "7f3a (id.example.com)"},
		"Port":            {"http://127.0.0.1:8080", "ada", nil, "ada (127.0.0.1:8080)"},
		"NoHost":          {"urn:example:id", "ada", nil, "ada (urn:example:id)"},
		"LineEnds":        {issuer, "x", map[string]any{"preferred_username": "ada\r\nbob\u2028carl"}, "ada bob carl (id.example.com)"},
		"OrderOfLetters":  {issuer, "x", map[string]any{"preferred_username": "ada\u202e(moc.live)"}, "ada (moc.live) (id.example.com)"},
		"AnotherHost":     {issuer, "x", map[string]any{"preferred_username": "ada (other.example.com)"}, "ada (other.example.com) (id.example.com)"},
		"NothingVisible":  {issuer, "\u200b", nil, "remote (id.example.com)"},
		"LongerThanALine": {issuer, "x", map[string]any{"preferred_username": strings.Repeat("ä", 100)}, strings.Repeat("ä", maxSubject) + " (id.example.com)"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := claimed(t, c.issuer, c.subject, c.claims).Name; got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// No text in the issuer, the subject or the client makes the key of another holder.
func TestTheKeyOfAHolderIsNotForged(t *testing.T) {
	type holder struct{ issuer, subject, client string }
	holders := []holder{}
	for _, parts := range [][]string{
		{"https://a.example", "ada", "app"}, {"https://a.example", "ada\napp", ""}, {"https://a.example", "ada", "\napp"}, {"https://a.example\nada", "app", ""},
		{"https://a.example", "ada\r\napp", ""}, {"https://a.example", "ada\u2028app", ""}, {"https://a.example", `ada","app`, ""}, {"https://a.example", `ada"`, `,"app`},
		{"https://a.example", "ada\x00app", ""}, {"https://a.example", `ada\napp`, ""}, {"https://a.example", "ada", ""}, {"https://a.example", "ada ", ""}, {"https://a.example", "<ada>", ""},
		{"https://a.example", `\u003cada\u003e`, ""},
	} {
		holders = append(holders, holder{parts[0], parts[1], parts[2]})
	}
	keys := []string{}
	for _, h := range holders {
		key := claimed(t, h.issuer, h.subject, map[string]any{"client_id": h.client}).Subject
		var parts []string
		if err := json.Unmarshal([]byte(key), &parts); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{h.issuer, h.subject, h.client}, parts); diff != "" || slices.Contains(keys, key) || strings.ContainsAny(key, "\n\r\x00\u2028") {
			t.Errorf("the key of %q is %s (-want +got):\n%s", h, key, diff)
		}
		keys = append(keys, key)
	}
}

func TestATokenThatIsBoundToItsSenderIsRefused(t *testing.T) {
	for _, name := range []string{"cnf", "at_hash", "c_hash", "nonce"} {
		_, err := (&Verifier{}).claimsOf(jwt.Claims{Expiry: jwt.NewNumericDate(time.Now())}, map[string]any{name: "x"})
		if !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAnAudienceIsTheSameInEitherCaseOfItsHost(t *testing.T) {
	for name, c := range map[string]struct {
		one, other string
		same       bool
	}{
		"Host":       {"https://hence.example.com/mcp", "HTTPS://Hence.Example.COM/mcp", true},
		"Path":       {"https://hence.example.com/mcp", "https://hence.example.com/MCP", false},
		"Query":      {"https://hence.example.com?A", "https://hence.example.com?a", false},
		"User":       {"https://ada@hence.example.com", "https://ADA@hence.example.com", false},
		"Slash":      {"https://hence.example.com", "https://hence.example.com/", false},
		"NotAddress": {"Hence", "hence", false},
		"Port":       {"https://hence.example.com:443", "https://HENCE.example.com", false},
	} {
		t.Run(name, func(t *testing.T) {
			if same := canonical(c.one) == canonical(c.other); same != c.same {
				t.Errorf("%q and %q: %v", canonical(c.one), canonical(c.other), same)
			}
		})
	}
}
