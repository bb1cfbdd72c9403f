package httpserve

import (
	"crypto/rand"
	"errors"
	"sync"

	"github.com/mark3labs/mcp-go/server"
)

// maxSessions is how many conversations one token may have open at a time.
const maxSessions = 1000

// sessions are the conversations of one face that are open. mcp-go's own
// default takes any well-formed id for an open one, so that a client would
// not learn that the server has started anew and its subscriptions are gone.
type sessions struct {
	mu   sync.Mutex
	open map[string]bool
}

var _ server.SessionIdManager = (*sessions)(nil)

func newSessions() *sessions { return &sessions{open: map[string]bool{}} }

// Generate opens a session.
func (s *sessions) Generate() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := rand.Text()
	s.open[id] = true
	return id
}

// Validate fails for a session that is not open. The client is told to begin
// a new one.
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
