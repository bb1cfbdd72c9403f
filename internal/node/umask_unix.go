//go:build unix

package node

import "syscall"

// ownerOnly makes files of this process and of those that it starts readable by their
// owner only.
func ownerOnly() { syscall.Umask(0o077) }
