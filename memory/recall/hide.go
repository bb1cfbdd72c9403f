package recall

import (
	"strings"

	"hence/internal/secret"
)

// hiddenAround is how many bytes on either side of a snippet are searched for a
// secret that it has a part of.
const hiddenAround = 2048

// hide returns a passage of a body with what looks like a secret masked, even where
// the passage has only a part of it. Notes are the person's files: what is in them
// is shown to who opens them, but does not come with a search.
func (s signs) hide(passage, body string) string {
	plain, marks := s.read(passage)
	inner := strings.TrimSuffix(strings.TrimPrefix(plain, "…"), "…")
	at := strings.Index(body, inner)
	if at < 0 {
		return passage
	}
	from, to := max(0, at-hiddenAround), min(len(body), at+len(inner)+hiddenAround)
	secrets := secret.Find(body[from:to])
	shift := from - at + strings.Index(plain, inner) // from places there to places in plain
	var b strings.Builder
	done, masked := 0, false
	for _, f := range secrets {
		start, end := max(f.Start+shift, done), min(f.End+shift, len(plain))
		if start >= end {
			continue
		}
		masked = true
		b.WriteString(s.put(plain, marks, done, start) + "[secret: " + f.Kind + "]")
		done = end
	}
	if !masked {
		return passage
	}
	return b.String() + s.put(plain, marks, done, len(plain))
}

// put returns a part of a plain text with the signs around the marks in it.
func (s signs) put(plain string, marks []Mark, from, to int) string {
	var b strings.Builder
	for _, m := range marks {
		start, end := max(m.Start, from), min(m.End, to)
		if start < end {
			b.WriteString(plain[from:start] + s.open + plain[start:end] + s.shut)
			from = end
		}
	}
	return b.String() + plain[from:max(from, to)]
}
