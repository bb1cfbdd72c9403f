//go:build !windows

package nodetest

import "syscall"

// Pause stops the node until Resume, as if its machine were frozen.
func (n *Node) Pause() { n.Signal(syscall.SIGSTOP) }

// Resume continues a paused node.
func (n *Node) Resume() { n.Signal(syscall.SIGCONT) }
