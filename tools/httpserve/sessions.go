package httpserve

import (
	"crypto/rand"
	"errors"
	"sync"

	"github.com/mark3labs/mcp-go/server"
)

// maxSessions is the most open sessions per token.
const maxSessions = 1000

// sessions are the open sessions of one face. The default of mcp-go accepts any
// well-formed id, so that a client would not notice that the server was
// restarted and its subscriptions are gone.
type sessions struct {
	mu   sync.Mutex
	open map[string]bool
}

var _ server.SessionIdManager = (*sessions)(nil)

// Generate opens a session.
func (s *sessions) Generate() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := rand.Text()
	s.open[id] = true
	return id
}

// Validate fails for a session that is not open. The client then begins a new
// one.
func (s *sessions) Validate(id string) (isTerminated bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.open[id] {
		return false, errors.New("no such session")
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

func (s *sessions) full() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.open) >= maxSessions
}
