//go:build unix

package node

import "syscall"

// ownerOnly sets the umask, so that only the owner may read new files of this process and its
// children.
func ownerOnly() { syscall.Umask(0o077) }
