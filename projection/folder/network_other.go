//go:build !linux && !darwin

package folder

import "strings"

// OnNetwork says whether a folder may change without the system telling of it:
// one of Windows that is named by its machine. Of others this is not known.
func OnNetwork(dir string) bool { return strings.HasPrefix(dir, `\\`) }
