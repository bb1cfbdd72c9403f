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
}

var _ server.ClientSession = (*stdioSession)(nil)

func newStdioSession() *stdioSession {
	return &stdioSession{notifications: make(chan mcp.JSONRPCNotification, 100)}
}

func (s *stdioSession) SessionID() string { return "stdio" }
func (s *stdioSession) Initialize()       { s.initialized.Store(true) }
func (s *stdioSession) Initialized() bool { return s.initialized.Load() }

func (s *stdioSession) NotificationChannel() chan<- mcp.JSONRPCNotification { return s.notifications }
