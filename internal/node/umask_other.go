//go:build !unix

package node

// ownerOnly does nothing: on this system the permissions of the folder decide.
func ownerOnly() {}
