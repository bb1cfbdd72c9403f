// Package pattern holds regular expressions back until they are used. All that Hence knows take a
// sixth of a short command's time to compile, and a command uses few of them.
package pattern

import (
	"regexp"
	"sync"
)

// Lazy returns a regular expression that is compiled when it is first asked for. A wrong one
// panics then.
func Lazy(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
