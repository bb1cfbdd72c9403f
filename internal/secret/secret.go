// Package secret finds the parts of a text that look like a secret: a key, a token, a
// password. It does not report random text without the shape of a secret, such as hashes and
// UUIDs, or the example keys of documentation.
//
// Most are a fixed prefix and an alphabet (shapes.txt, after the rules of gitleaks). The others
// are recognised by letters in or before them (marks.txt), or by the text around them: key
// blocks, headers (around.go), assignments (assignments.go). The functions examine a bounded number of bytes
// at each offset, so that the time is linear in the length of the text.
package secret

import (
	"cmp"
	"slices"
	"strings"
)

// Found is a part of a text that looks like a secret: the bytes from Start to End, exclusive.
// Kind is a word such as aws-key.
type Found struct {
	Kind       string
	Start, End int
}

// Find returns the parts of a text that look like secrets, in order. It joins parts that
// overlap into one of the first one's kind.
func Find(text string) []Found {
	secrets := findByShape(text)
	for _, find := range []func(string) []Found{keyBlocks, headers, assignments, byMark} {
		secrets = append(secrets, find(text)...)
	}
	return join(secrets)
}

// join puts secrets in order, and makes one of those that overlap.
func join(secrets []Found) []Found {
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

// Mask returns a text with each part that looks like a secret replaced by a word such as
// "[secret: aws-key]".
func Mask(text string) string {
	return replace(text, Find(text))
}

func replace(text string, secrets []Found) string {
	if len(secrets) == 0 {
		return text
	}
	var b strings.Builder
	offset := 0
	for _, f := range secrets {
		b.WriteString(text[offset:f.Start] + "[secret: " + f.Kind + "]")
		offset = f.End
	}
	return b.String() + text[offset:]
}
