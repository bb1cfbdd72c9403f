package oauth

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
)

const (
	askTime   = 10 * time.Second // for an answer of the identity provider
	maxAnswer = 1 << 20          // bytes of it
	maxKeys   = 100              // of a provider
	keysHold  = 10 * time.Minute // after which the keys are asked for again, so that a withdrawn one ends
	keysPause = 5 * time.Second  // between two questions, whatever tokens come
)

// keys are the signing keys of an identity provider. They are asked for when a token names
// one that is not known (rotation), and again after keysHold.
type keys struct {
	issuer string
	client *http.Client
	now    func() time.Time

	mu    sync.Mutex // of the next two
	known []jose.JSONWebKey
	read  time.Time // when they were last read

	asking sync.Mutex // of the next two, and while the provider is asked
	asked  time.Time  // when they were last asked for, also in vain
	failed error      // of the last question
}

// find returns the keys that a token may be signed with. It fails with ErrUnavailable if
// the provider does not answer and no key is known that has not been held too long. Who has
// a known key does not wait for the provider.
func (k *keys) find(ctx context.Context, id string) ([]jose.JSONWebKey, error) {
	if matches, held := k.lookUp(id); len(matches) > 0 && held < keysHold {
		return matches, nil
	}
	k.asking.Lock()
	defer k.asking.Unlock()
	matches, held := k.lookUp(id)
	if len(matches) > 0 && held < keysHold {
		return matches, nil
	}
	if now := k.now(); k.asked.IsZero() || now.Sub(k.asked) >= keysPause {
		k.asked = now
		// One caller's end must not end the question for the others.
		ask, end := context.WithTimeout(context.WithoutCancel(ctx), askTime)
		defer end()
		var read []jose.JSONWebKey
		if read, k.failed = k.ask(ask); k.failed == nil {
			k.mu.Lock()
			k.known, k.read = read, now
			k.mu.Unlock()
		}
		matches, held = k.lookUp(id)
	}
	if k.failed != nil && held >= keysHold {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, k.failed)
	}
	return matches, nil
}

// lookUp returns the keys with an id, or all for a token that names none, and how long ago
// they were read.
func (k *keys) lookUp(id string) (matches []jose.JSONWebKey, held time.Duration) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, key := range k.known {
		if id == "" || key.KeyID == id {
			matches = append(matches, key)
		}
	}
	return matches, k.now().Sub(k.read)
}

// ask reads where the provider has its keys, and reads them.
func (k *keys) ask(ctx context.Context) ([]jose.JSONWebKey, error) {
	var about struct {
		Issuer string `json:"issuer"`
		Keys   string `json:"jwks_uri"`
	}
	var err error
	for _, address := range metadataOf(k.issuer) {
		if err = k.get(ctx, address, &about); err == nil {
			break
		}
	}
	switch {
	case err != nil:
		return nil, err
	case about.Issuer != k.issuer:
		return nil, fmt.Errorf("%s says that its issuer is %q", k.issuer, about.Issuer)
	}
	if err := checkAddress(about.Keys); err != nil {
		return nil, fmt.Errorf("the keys of %s: %w", k.issuer, err)
	}
	var set jose.JSONWebKeySet
	if err := k.get(ctx, about.Keys, &set); err != nil {
		return nil, err
	}
	public := []jose.JSONWebKey{}
	for _, key := range set.Keys {
		if key.Valid() && key.IsPublic() && (key.Use == "" || key.Use == "sig") && len(public) < maxKeys {
			public = append(public, key)
		}
	}
	return public, nil
}

func (k *keys) get(ctx context.Context, address string, into any) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	request.Header.Set("Accept", "application/json")
	answer, err := k.client.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s", address, answer.Status)
	}
	raw, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer+1))
	if err == nil && len(raw) > maxAnswer {
		err = fmt.Errorf("%s answers more than %d bytes", address, maxAnswer)
	}
	if err == nil {
		err = json.Unmarshal(raw, into)
	}
	return err
}

// metadataOf returns where the metadata of an issuer may be, in the order in which the MCP
// specification has clients try them (RFC 8414, OpenID Connect Discovery).
func metadataOf(issuer string) []string {
	u, err := url.Parse(issuer)
	if err != nil {
		return nil
	}
	path := strings.TrimSuffix(u.EscapedPath(), "/")
	at := u.Scheme + "://" + u.Host
	all := []string{at + "/.well-known/oauth-authorization-server" + path, at + "/.well-known/openid-configuration" + path}
	if path != "" {
		all = append(all, at+path+"/.well-known/openid-configuration")
	}
	return all
}

// checkAddress refuses an address that is not https, unless it is of this machine.
func checkAddress(address string) error {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Host == "" || u.User != nil || u.Fragment != "":
		return fmt.Errorf("%q is not an address", address)
	case u.Scheme == "https":
		return nil
	case u.Scheme == "http" && IsLoopback(u.Hostname()):
		return nil
	}
	return fmt.Errorf("%q is not https", address)
}
