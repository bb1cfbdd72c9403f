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
	client        atomic.Value // mcp.Implementation: name and version of the client
	capabilities  atomic.Value // mcp.ClientCapabilities
}

var (
	_ server.SessionWithLogging    = (*session)(nil)
	_ server.SessionWithClientInfo = (*session)(nil)
)

func (s *session) SessionID() string { return "stdio" }
func (s *session) Initialize()       { s.initialized.Store(true) }
func (s *session) Initialized() bool { return s.initialized.Load() }

func (s *session) NotificationChannel() chan<- mcp.JSONRPCNotification { return s.notifications }

func (s *session) SetLogLevel(level mcp.LoggingLevel) { s.level.Store(level) }
func (s *session) GetLogLevel() mcp.LoggingLevel      { return s.level.Load().(mcp.LoggingLevel) }

func (s *session) SetClientInfo(client mcp.Implementation) { s.client.Store(client) }

func (s *session) GetClientInfo() mcp.Implementation {
	client, _ := s.client.Load().(mcp.Implementation)
	return client
}

func (s *session) SetClientCapabilities(capabilities mcp.ClientCapabilities) {
	s.capabilities.Store(capabilities)
}

func (s *session) GetClientCapabilities() mcp.ClientCapabilities {
	capabilities, _ := s.capabilities.Load().(mcp.ClientCapabilities)
	return capabilities
}
