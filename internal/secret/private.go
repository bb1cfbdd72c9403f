package secret

import (
	"strings"

	"hence/internal/pattern"
)

var privateTag = pattern.Lazy(`(?i)</?private>`)

// withoutPrivate returns a text without the parts from <private> to </private>, and how many
// outermost ones there were. It keeps a tag without its counterpart.
func withoutPrivate(text string) (string, int) {
	if !strings.Contains(text, "</") {
		return text, 0
	}
	type pair struct{ start, end int }
	pairs, open := []pair{}, []int{}
	for _, tag := range privateTag().FindAllStringIndex(text, -1) {
		if text[tag[0]+1] != '/' {
			open = append(open, tag[0])
			continue
		}
		if len(open) == 0 {
			continue
		}
		start := open[len(open)-1]
		open = open[:len(open)-1]
		for len(pairs) > 0 && pairs[len(pairs)-1].start > start {
			pairs = pairs[:len(pairs)-1] // it is within the new pair
		}
		pairs = append(pairs, pair{start, tag[1]})
	}
	if len(pairs) == 0 {
		return text, 0
	}
	var b strings.Builder
	offset := 0
	for _, p := range pairs {
		b.WriteString(text[offset:p.start])
		offset = p.end
	}
	return b.String() + text[offset:], len(pairs)
}
