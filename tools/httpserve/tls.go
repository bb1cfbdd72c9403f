package httpserve

import (
	"crypto/tls"
	"sync"
	"time"

	"hence/internal/fault"
)

// certificate is a certificate and its key in two files. They are read again and again, so that a
// renewal needs no restart of the server.
type certificate struct {
	cert, key   string // paths
	mu          sync.Mutex
	loaded      *tls.Certificate
	loadedAt    time.Time
	onError     func(error) // called once for files that cannot be read
	hasReported bool        // onError was called since the last success
}

// loadEvery is the shortest time between two reads of the files.
const loadEvery = time.Second

// loadCertificate reads the two files. It fails with invalid_argument if they do not hold
// a certificate and its key.
func loadCertificate(cert, key string, onError func(error)) (*certificate, error) {
	c := &certificate{cert: cert, key: key, onError: onError}
	if _, err := c.get(nil); err != nil {
		return nil, fault.Wrap(fault.InvalidArgument, err, "serve: the files of --tls-cert and --tls-key cannot be used")
	}
	return c, nil
}

// get returns the certificate for a connection. If the files cannot be read, it returns
// the previous one.
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.loaded != nil && time.Since(c.loadedAt) < loadEvery {
		return c.loaded, nil
	}
	c.loadedAt = time.Now()
	fresh, err := tls.LoadX509KeyPair(c.cert, c.key)
	switch {
	case err == nil:
		c.loaded, c.hasReported = &fresh, false
	case c.loaded == nil:
		return nil, err
	case !c.hasReported:
		c.hasReported = true
		c.onError(err)
	}
	return c.loaded, nil
}
