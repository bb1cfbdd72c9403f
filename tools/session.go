package tools

import (
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// stdioSession is the one client of a pair of streams.
type stdioSession struct {
	notifications chan mcp.JSONRPCNotification
	initialized   atomic.Bool
	level         atomic.Value // mcp.LoggingLevel: what the client wants to be told
}

var _ server.SessionWithLogging = (*stdioSession)(nil)

func newStdioSession() *stdioSession {
	s := &stdioSession{notifications: make(chan mcp.JSONRPCNotification, 100)}
	s.SetLogLevel(mcp.LoggingLevelError)
	return s
}

func (s *stdioSession) SessionID() string { return "stdio" }
func (s *stdioSession) Initialize()       { s.initialized.Store(true) }
func (s *stdioSession) Initialized() bool { return s.initialized.Load() }

func (s *stdioSession) NotificationChannel() chan<- mcp.JSONRPCNotification { return s.notifications }

func (s *stdioSession) SetLogLevel(level mcp.LoggingLevel) { s.level.Store(level) }
func (s *stdioSession) GetLogLevel() mcp.LoggingLevel      { return s.level.Load().(mcp.LoggingLevel) }
