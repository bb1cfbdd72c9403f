package question

import (
	"strings"

	"golang.org/x/text/unicode/norm"
)

// PlainName returns a name in Unicode normalization form NFKC, with single spaces.
func PlainName(name string) string { return strings.Join(strings.Fields(norm.NFKC.String(name)), " ") }
