//go:build !linux && !darwin

package vault

import "strings"

// onNetwork says whether a folder may change without the system telling of it:
// one of Windows that is named by its machine. Of others this is not known.
func onNetwork(dir string) bool { return strings.HasPrefix(dir, `\\`) }
