package recall

import (
	"strings"
	"time"

	"hence/edges"
)

// Blob and Code write a vector as the store keeps it.
var (
	Blob = blob
	Code = code
)

// Conducting returns the kinds of the table of conductances.
func Conducting() (kinds []edges.Kind) {
	for _, c := range conductances {
		kinds = append(kinds, c.kind)
	}
	return kinds
}

// Irregular returns the forms of each irregular word.
func Irregular() (all [][]string) {
	for line := range strings.Lines(strings.TrimSpace(irregular)) {
		all = append(all, strings.Fields(line))
	}
	return all
}

// SetPatience changes how long an answer waits for a vector that it can do without.
func SetPatience(wait time.Duration) (restore func()) {
	before := optional
	optional.wait = wait
	return func() { optional = before }
}
