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
	fetchTime  = 10 * time.Second // limit for one fetch of the keys
	maxAnswer  = 1 << 20          // bytes of an answer of the provider
	maxKeys    = 100              // of a provider
	keysMaxAge = 10 * time.Minute // after which the keys are fetched again, so that a withdrawn key ends
	fetchPause = 5 * time.Second  // between two fetches, whatever tokens come
)

// keys caches the signing keys of an identity provider. They are fetched when a token names a
// key that is not in the cache (rotation), and when the cache is older than keysMaxAge.
type keys struct {
	issuer string
	client *http.Client
	now    func() time.Time

	mu        sync.Mutex // guards cached and fetchedAt
	cached    []jose.JSONWebKey
	fetchedAt time.Time // time of the last fetch that succeeded

	fetching sync.Mutex // held during a fetch; guards triedAt and fetchErr
	triedAt  time.Time  // time of the last fetch
	fetchErr error      // of the last fetch
}

// find returns the keys that may have signed a token with a key id, "" for none. It fetches
// them if the cache has no such key or is too old; a token whose key is in the cache does not
// wait for the provider. It fails with ErrUnavailable if the last fetch failed and the cache
// is older than keysMaxAge.
func (k *keys) find(ctx context.Context, id string) ([]jose.JSONWebKey, error) {
	if matches, age := k.lookUp(id); len(matches) > 0 && age < keysMaxAge {
		return matches, nil
	}
	k.fetching.Lock()
	defer k.fetching.Unlock()
	matches, age := k.lookUp(id)
	if len(matches) > 0 && age < keysMaxAge {
		return matches, nil
	}
	if now := k.now(); k.triedAt.IsZero() || now.Sub(k.triedAt) >= fetchPause {
		k.triedAt = now
		// A caller that goes must not cancel the fetch for those that wait.
		fetch, end := context.WithTimeout(context.WithoutCancel(ctx), fetchTime)
		defer end()
		var fetched []jose.JSONWebKey
		if fetched, k.fetchErr = k.fetch(fetch); k.fetchErr == nil {
			k.mu.Lock()
			k.cached, k.fetchedAt = fetched, now
			k.mu.Unlock()
		}
		matches, age = k.lookUp(id)
	}
	if k.fetchErr != nil && age >= keysMaxAge {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, k.fetchErr)
	}
	return matches, nil
}

// lookUp returns the cached keys with an id, or all of them for "", and their age.
func (k *keys) lookUp(id string) (matches []jose.JSONWebKey, age time.Duration) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, key := range k.cached {
		if id == "" || key.KeyID == id {
			matches = append(matches, key)
		}
	}
	return matches, k.now().Sub(k.fetchedAt)
}

// fetch reads the provider's metadata, and then its public signing keys from the address in
// them.
func (k *keys) fetch(ctx context.Context) ([]jose.JSONWebKey, error) {
	var metadata struct {
		Issuer string `json:"issuer"`
		Keys   string `json:"jwks_uri"`
	}
	var err error
	for _, address := range metadataAddresses(k.issuer) {
		if err = k.get(ctx, address, &metadata); err == nil {
			break
		}
	}
	switch {
	case err != nil:
		return nil, err
	case metadata.Issuer != k.issuer:
		return nil, fmt.Errorf("the metadata of %s names another issuer, %q", k.issuer, metadata.Issuer)
	}
	if err := checkAddress(metadata.Keys); err != nil {
		return nil, fmt.Errorf("the keys of %s: %w", k.issuer, err)
	}
	var set jose.JSONWebKeySet
	if err := k.get(ctx, metadata.Keys, &set); err != nil {
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

// get decodes the JSON at an address of the provider. It reads at most maxAnswer bytes.
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

// metadataAddresses returns the addresses at which the metadata of an issuer may be, in the
// order in which the MCP specification has clients try them (RFC 8414, OpenID Connect
// Discovery).
func metadataAddresses(issuer string) []string {
	u, err := url.Parse(issuer)
	if err != nil {
		return nil
	}
	path := strings.TrimSuffix(u.EscapedPath(), "/")
	root := u.Scheme + "://" + u.Host
	addresses := []string{root + "/.well-known/oauth-authorization-server" + path, root + "/.well-known/openid-configuration" + path}
	if path != "" {
		addresses = append(addresses, root+path+"/.well-known/openid-configuration")
	}
	return addresses
}

// checkAddress returns an error if an address is malformed, or is neither https nor of this
// machine.
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
