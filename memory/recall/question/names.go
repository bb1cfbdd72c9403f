package question

import (
	"golang.org/x/text/unicode/norm"

	"hence/internal/prose"
)

// PlainName returns a name in Unicode normalization form NFKC, with single spaces.
func PlainName(name string) string { return prose.OneLine(norm.NFKC.String(name)) }
