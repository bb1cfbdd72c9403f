package httpserve

import (
	"crypto/rand"
	"errors"
	"sync"

	"github.com/mark3labs/mcp-go/server"
)

// maxSessions is the limit of open sessions per token.
const maxSessions = 1000

// sessions holds the open sessions of one token. It replaces the default of mcp-go, which
// accepts any well-formed id, so that a client would not notice that the server was restarted
// and its subscriptions are lost.
type sessions struct {
	mu   sync.Mutex
	open map[string]bool
}

var _ server.SessionIdManager = (*sessions)(nil)

// Generate opens a session and returns its id.
func (s *sessions) Generate() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := rand.Text()
	s.open[id] = true
	return id
}

// Validate returns an error if a session is not open, so that the client begins a new one.
func (s *sessions) Validate(id string) (isTerminated bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.open[id] {
		return false, errors.New("there is no open session with this id")
	}
	return false, nil
}

// Terminate closes a session.
func (s *sessions) Terminate(id string) (isNotAllowed bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, id)
	return false, nil
}

// isFull reports whether no more sessions may be opened.
func (s *sessions) isFull() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.open) >= maxSessions
}
