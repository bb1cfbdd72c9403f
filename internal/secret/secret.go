// Package secret finds what has the shape of a secret in a text: a key, a token, a
// password. It says only how a text looks. A text without the shape of a secret is
// left, however random it is: hashes and UUIDs stay, and so do the example keys of
// documentation.
//
// Most shapes are a fixed beginning and an alphabet (shapes.go, after the rules of
// gitleaks). The others are told by what surrounds them: key blocks, passwords of
// URLs, headers, assignments (around.go). Both read a text once, with a bounded
// look ahead at each place, so that the time is linear in the length.
package secret

import (
	"cmp"
	"slices"
	"strings"
)

// Found is a part of a text that looks like a secret: bytes Start up to, not
// including, End. Kind is a word such as aws-key.
type Found struct {
	Kind       string
	Start, End int
}

// Find returns what looks like a secret in a text, in order and without overlaps. A part
// within another disappears; of two that overlap one is made, of the first one's kind.
func Find(text string) []Found {
	secrets := findByShape(text)
	for _, look := range []func(string) []Found{keyBlocks, urlPasswords, headers, assignments, infixes, curlPasswords} {
		secrets = append(secrets, look(text)...)
	}
	slices.SortStableFunc(secrets, func(a, b Found) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End))
	})
	joined := secrets[:0]
	for _, f := range secrets {
		if n := len(joined); n > 0 && f.Start < joined[n-1].End {
			joined[n-1].End = max(joined[n-1].End, f.End)
			continue
		}
		joined = append(joined, f)
	}
	return joined
}

// Mask returns a text with a word such as "[secret: aws-key]" in the place of each
// part that looks like a secret.
func Mask(text string) string {
	return replace(text, Find(text))
}

func replace(text string, secrets []Found) string {
	if len(secrets) == 0 {
		return text
	}
	var b strings.Builder
	at := 0
	for _, f := range secrets {
		b.WriteString(text[at:f.Start] + "[secret: " + f.Kind + "]")
		at = f.End
	}
	return b.String() + text[at:]
}
