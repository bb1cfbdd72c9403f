package recall

import "hence/edges"

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
