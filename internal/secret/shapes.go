package secret

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"

	"hence/internal/pattern"
)

// shape is a kind of secret with a fixed prefix, a line of shapes.txt. The expression matches
// the characters after the prefix, and is compiled on first use.
type shape struct {
	kind, prefix string
	expression   func() *regexp.Regexp
}

//go:embed shapes.txt
var shapesText string

// byFirst has the shapes by the first byte of their prefixes.
var byFirst = func() (shapes [256][]*shape) {
	for line := range strings.Lines(shapesText) {
		if f := strings.Fields(line); len(f) == 3 {
			shapes[f[1][0]] = append(shapes[f[1][0]], &shape{f[0], f[1], pattern.Lazy(`^(?:` + f[2] + `)`)})
		}
	}
	return shapes
}()

const (
	minSecret = 16   // bytes of the shortest secret, with its prefix
	maxSecret = 4096 // bytes examined from the beginning of a secret
	maxTries  = 16   // number of times that a shape is tried in a run
)

// findByShape returns the secrets of the kinds in shapes. It divides the text into runs (see
// runEnds), and tries a shape at most maxTries times in a run.
func findByShape(text string) (secrets []Found) {
	for start := 0; start < len(text); {
		if endsRun(text[start]) {
			start++
			continue
		}
		end := start + 1
		for end < len(text) && !endsRun(text[end]) {
			end++
		}
		if end-start >= minSecret {
			secrets = findInRun(secrets, text, start, end)
		}
		start = end
	}
	return secrets
}

// runEnds has the bytes that end a run of characters, such as spaces, quotes and commas.
var runEnds = func() (ends [256]bool) {
	for _, c := range []byte(" \t\n\r\"'`<>()[]{},;|") {
		ends[c] = true
	}
	return ends
}()

func endsRun(c byte) bool { return runEnds[c] }

// findInRun appends the secrets in the run of a text from start to end.
func findInRun(secrets []Found, text string, start, end int) []Found {
	var tried map[*shape]int
	for offset := start; offset+minSecret <= end; offset++ {
		if !mayBegin(text, offset) {
			continue
		}
		for _, p := range byFirst[text[offset]] {
			if !strings.HasPrefix(text[offset:end], p.prefix) || tried[p] >= maxTries {
				continue
			}
			if tried == nil {
				tried = map[*shape]int{}
			}
			tried[p]++
			secretEnd := p.match(text, offset, min(end, offset+maxSecret))
			if secretEnd < 0 {
				continue
			}
			secrets = append(secrets, Found{p.kind, offset, secretEnd})
			offset = secretEnd - 1
			break
		}
	}
	return secrets
}

// match returns the end of the secret whose prefix is at an offset of a text, or -1 if there
// is none. It searches up to end.
func (p *shape) match(text string, offset, end int) int {
	rest := offset + len(p.prefix)
	m := p.expression().FindStringIndex(text[rest:end])
	if m == nil {
		return -1
	}
	secretEnd := rest + m[1]
	if secretEnd == offset+maxSecret { // the secret continues
		for secretEnd < len(text) && !endsRun(text[secretEnd]) {
			secretEnd++
		}
	}
	if secretEnd < len(text) && isWord(text[secretEnd]) && isWord(text[secretEnd-1]) {
		return -1 // it is longer than a secret of this kind
	}
	secret := text[offset:secretEnd]
	if isPlaceholder(secret) || p.prefix == "sk-" && !isMixed(secret) {
		return -1
	}
	return secretEnd
}

// mayBegin reports whether a secret may begin at an offset: not within a word, unless the
// characters before are an escape such as \n or %3D.
func mayBegin(text string, offset int) bool {
	if offset == 0 || !isAlnum(text[offset-1]) {
		return true
	}
	if offset >= 2 && text[offset-2] == '\\' && strings.IndexByte("nrt", text[offset-1]) >= 0 {
		return true
	}
	return offset >= 3 && text[offset-3] == '%' && isHex(text[offset-2]) && isHex(text[offset-1])
}

func isAlnum(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func isWord(c byte) bool { return isAlnum(c) || c == '_' }

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

// isMixed reports whether a text has a run of 16 letters and digits with both among them, which
// distinguishes sk-proj-… from the class names of a style sheet.
func isMixed(text string) bool {
	run, digits := 0, 0
	for i := range len(text) {
		c := text[i]
		if !isWord(c) {
			run, digits = 0, 0
			continue
		}
		run++
		if '0' <= c && c <= '9' {
			digits++
		}
		if run >= 16 && digits > 0 && digits < run {
			return true
		}
	}
	return false
}

// isPlaceholder reports whether a text is the placeholder for a secret in documentation, such
// as AKIAIOSFODNN7EXAMPLE.
func isPlaceholder(text string) bool {
	lower := strings.ToLower(text)
	signs := []string{"example", "xxxxx", "your_", "your-", "yourkey", "yourtoken", "placeholder", "redacted", "****"}
	return slices.ContainsFunc(signs, func(sign string) bool { return strings.Contains(lower, sign) })
}
