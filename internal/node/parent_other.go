//go:build !linux

package node

import "os/exec"

// withoutParent does nothing: the service manager stops the children of a dead process.
func withoutParent(*exec.Cmd) {}
