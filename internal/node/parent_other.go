//go:build !linux

package node

import "os/exec"

// withoutParent does nothing: the service manager stops what a dead process has started.
func withoutParent(*exec.Cmd) {}
