//go:build !unix

package node

// ownerOnly does nothing: the folder's own rights decide here.
func ownerOnly() {}
