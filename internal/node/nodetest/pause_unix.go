//go:build !windows

package nodetest

import "syscall"

// Pause stops the node as a frozen machine would be; Resume lets it go on.
func (n *Node) Pause() { n.Signal(syscall.SIGSTOP) }

// Resume lets a paused node go on.
func (n *Node) Resume() { n.Signal(syscall.SIGCONT) }
