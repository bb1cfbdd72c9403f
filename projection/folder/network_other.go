//go:build !linux && !darwin

package folder

import "strings"

// OnNetwork reports whether a folder may change without an event on this machine: on
// Windows, a folder whose path starts with the name of a machine. For other folders it
// reports false, which is a guess.
func OnNetwork(dir string) bool { return strings.HasPrefix(dir, `\\`) }
