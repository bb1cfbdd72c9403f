package httpserve

import (
	"crypto/tls"
	"os"
	"sync"
	"time"

	"hence/internal/fault"
)

// certificate is a certificate and its key in two files. They are read again when they change,
// so that a renewal needs no restart of the server.
type certificate struct {
	cert, key   string // paths
	mu          sync.Mutex
	loaded      *tls.Certificate
	states      [2]fileState // of the files when they were loaded
	checkedAt   time.Time
	onError     func(error) // called once for files that cannot be read
	hasReported bool        // onError was called since the last success
}

// fileState identifies a version of a file.
type fileState struct {
	size     int64
	modified time.Time
}

// checkFilesEvery is the shortest time between two checks of the files.
const checkFilesEvery = time.Second

// loadCertificate reads the two files. It fails with invalid_argument if they do not hold
// a certificate and its key.
func loadCertificate(cert, key string, onError func(error)) (*certificate, error) {
	c := &certificate{cert: cert, key: key, onError: onError}
	if _, err := c.get(nil); err != nil {
		return nil, fault.Wrap(fault.InvalidArgument, err, "serve: the files of --tls-cert and --tls-key cannot be used")
	}
	return c, nil
}

// get returns the certificate for a connection. If the files have changed and cannot be read,
// it returns the previous one.
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.loaded != nil && time.Since(c.checkedAt) < checkFilesEvery {
		return c.loaded, nil
	}
	c.checkedAt = time.Now()
	states, err := c.readStates()
	if err == nil && c.loaded != nil && states == c.states {
		return c.loaded, nil
	}
	var fresh tls.Certificate
	if err == nil {
		fresh, err = tls.LoadX509KeyPair(c.cert, c.key)
	}
	switch {
	case err == nil:
		c.loaded, c.states, c.hasReported = &fresh, states, false
	case c.loaded == nil:
		return nil, err
	case !c.hasReported:
		c.hasReported = true
		c.onError(err)
	}
	return c.loaded, nil
}

// readStates returns the size and time of the two files.
func (c *certificate) readStates() (states [2]fileState, err error) {
	for i, name := range []string{c.cert, c.key} {
		info, err := os.Stat(name)
		if err != nil {
			return states, err
		}
		states[i] = fileState{info.Size(), info.ModTime()}
	}
	return states, nil
}
