package recall

import (
	"strings"

	"hence/internal/secret"
)

// secretMargin is how many bytes on either side of a snippet are searched for a secret of
// which the snippet may have a part.
const secretMargin = 2048

// hide returns a passage of a body with everything masked that looks like a secret, even if
// the passage has only a part of it. Notes are files of a person: their secrets are shown to
// a reader who opens the note, but not in the results of a search.
func (s markers) hide(passage, body string) string {
	plain, marks := s.read(passage)
	inner := strings.TrimSuffix(strings.TrimPrefix(plain, "…"), "…")
	index := strings.Index(body, inner)
	if index < 0 {
		return passage
	}
	windowStart, windowEnd := max(0, index-secretMargin), min(len(body), index+len(inner)+secretMargin)
	secrets := secret.Find(body[windowStart:windowEnd])
	shift := windowStart - index + strings.Index(plain, inner) // from offsets in the window to offsets in plain
	var b strings.Builder
	done, masked := 0, false
	for _, f := range secrets {
		start, end := max(f.Start+shift, done), min(f.End+shift, len(plain))
		if start >= end {
			continue
		}
		masked = true
		b.WriteString(s.insert(plain, marks, done, start) + "[secret: " + f.Kind + "]")
		done = end
	}
	if !masked {
		return passage
	}
	return b.String() + s.insert(plain, marks, done, len(plain))
}

// insert returns the bytes of a plain text from from up to to, with markers around the marks
// among them.
func (s markers) insert(plain string, marks []Mark, from, to int) string {
	var b strings.Builder
	for _, m := range marks {
		start, end := max(m.Start, from), min(m.End, to)
		if start < end {
			b.WriteString(plain[from:start] + s.open + plain[start:end] + s.close)
			from = end
		}
	}
	return b.String() + plain[from:max(from, to)]
}
