package stdio

import (
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// session is the session of the one client.
type session struct {
	notifications chan mcp.JSONRPCNotification
	initialized   atomic.Bool
	level         atomic.Value // mcp.LoggingLevel that the client wants
}

var _ server.SessionWithLogging = (*session)(nil)

func (s *session) SessionID() string { return "stdio" }
func (s *session) Initialize()       { s.initialized.Store(true) }
func (s *session) Initialized() bool { return s.initialized.Load() }

func (s *session) NotificationChannel() chan<- mcp.JSONRPCNotification { return s.notifications }

func (s *session) SetLogLevel(level mcp.LoggingLevel) { s.level.Store(level) }
func (s *session) GetLogLevel() mcp.LoggingLevel      { return s.level.Load().(mcp.LoggingLevel) }
