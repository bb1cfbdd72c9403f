package httpserve

import (
	"crypto/tls"
	"os"
	"sync"
	"time"

	"hence/internal/fault"
)

// certificate is a certificate and its key in two files, which are read again when they
// change: whoever renews it need not restart the server.
type certificate struct {
	cert, key string
	mu        sync.Mutex
	loaded    *tls.Certificate
	of        [2]fileState
	looked    time.Time
	failed    func(error) // is told once about files that cannot be read
	isTold    bool
}

type fileState struct {
	size     int64
	modified time.Time
}

// lookEvery is the least time between two looks at the files.
const lookEvery = time.Second

// loadCertificate reads the two files. It fails with invalid_argument if they do not hold
// a certificate and its key.
func loadCertificate(cert, key string, failed func(error)) (*certificate, error) {
	c := &certificate{cert: cert, key: key, failed: failed}
	if _, err := c.get(nil); err != nil {
		return nil, fault.Wrap(fault.InvalidArgument, err, "serve: --tls-cert and --tls-key cannot be used")
	}
	return c, nil
}

// get returns the certificate for a connection. If the files changed and cannot be read,
// it is the one before.
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.loaded != nil && time.Since(c.looked) < lookEvery {
		return c.loaded, nil
	}
	c.looked = time.Now()
	now, err := c.states()
	if err == nil && c.loaded != nil && now == c.of {
		return c.loaded, nil
	}
	var read tls.Certificate
	if err == nil {
		read, err = tls.LoadX509KeyPair(c.cert, c.key)
	}
	switch {
	case err == nil:
		c.loaded, c.of, c.isTold = &read, now, false
	case c.loaded == nil:
		return nil, err
	case !c.isTold:
		c.isTold = true
		c.failed(err)
	}
	return c.loaded, nil
}

func (c *certificate) states() (states [2]fileState, err error) {
	for i, name := range []string{c.cert, c.key} {
		info, err := os.Stat(name)
		if err != nil {
			return states, err
		}
		states[i] = fileState{info.Size(), info.ModTime()}
	}
	return states, nil
}
