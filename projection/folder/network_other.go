//go:build !linux && !darwin

package folder

import "strings"

// OnNetwork reports whether a folder may change without an event of the system: a
// Windows folder that is named by its machine. For others this is unknown.
func OnNetwork(dir string) bool { return strings.HasPrefix(dir, `\\`) }
