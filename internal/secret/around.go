package secret

import (
	_ "embed"
	"iter"
	"regexp"
	"strconv"
	"strings"

	"hence/internal/pattern"
)

const (
	maxAfter  = 600 // bytes examined after a mark
	maxScheme = 80  // bytes examined after the name of a header
)

// keyBlocks returns blocks such as -----BEGIN PRIVATE KEY----- … -----END PRIVATE KEY-----. A
// block without an end line before the next begin line ends after its last line that looks like
// a key.
func keyBlocks(text string) (secrets []Found) {
	const begin, end, dashes = "-----BEGIN ", "-----END ", "-----"
	for offset := 0; ; {
		index := strings.Index(text[offset:], begin)
		if index < 0 {
			return secrets
		}
		start := offset + index
		offset = start + len(begin)
		head := strings.Index(text[offset:min(len(text), offset+100)], dashes)
		if head < 0 || !strings.Contains(text[offset:offset+head], "PRIVATE KEY") {
			continue
		}
		bodyStart := offset + head + len(dashes)
		body, _, _ := strings.Cut(text[bodyStart:], begin)
		if stop := strings.Index(body, end); stop >= 0 && keyLetters().MatchString(body[:stop]) {
			label := body[stop+len(end) : min(len(body), stop+100)]
			if after := strings.Index(label, dashes); after >= 0 {
				offset = bodyStart + stop + len(end) + after + len(dashes)
				secrets = append(secrets, Found{"private-key", start, offset})
				continue
			}
		}
		if lines := keyLines().FindStringIndex(body); lines != nil {
			offset = bodyStart + lines[1]
			secrets = append(secrets, Found{"private-key", start, offset})
		}
	}
}

var (
	keyLetters = pattern.Lazy(`[A-Za-z0-9+/]{8}`)
	keyLines   = pattern.Lazy(`^(?:(?:\s|\\n)*[A-Za-z0-9+/=]{40,})+(?:(?:\s|\\n)+[A-Za-z0-9+/]+={1,2})?`)
)

// isReference reports whether a value refers to a secret instead of being one: $VAR, %s, ***
// and the like.
func isReference(value string) bool {
	return value == "" || strings.IndexByte("$%@<{[(*.", value[0]) >= 0 || strings.HasPrefix(value, "…")
}

// authorization matches the text after the word Authorization. The first group is the scheme,
// the second the value.
var authorization = pattern.Lazy(`^["']?\s{0,4}[:=]\s{0,4}["']?(?:(?i:(basic|bearer|digest|token|apikey|api-key|key|bot|oauth|hawk|ssws|sso-key|negotiate|ntlm|aws4-hmac-sha256|signature)\s{1,4}))?([^\s"'` + "`" + `<>\\]{8,})`)

// parameters matches a header's value of several parts, such as that of Digest.
var parameters = pattern.Lazy(`^[A-Za-z][\w-]*=(?:"[^"\n]*"|[^\s,"]+)(?:,[ \t]*[A-Za-z][\w-]*=(?:"[^"\n]*"|[^\s,"]+))+`)

// headers returns the values of Authorization headers.
func headers(text string) (secrets []Found) {
	for _, word := range []string{"uthorization", "UTHORIZATION"} {
		for offset := range offsets(text, word) {
			offset += len(word)
			m := authorization().FindStringSubmatchIndex(text[offset:min(len(text), offset+maxScheme)])
			if m == nil {
				continue
			}
			start, end := offset+m[4], offset+m[5]
			for end < len(text) && end-start < maxSecret && !endsRun(text[end]) {
				end++
			}
			if parts := parameters().FindStringIndex(text[start:min(len(text), start+maxSecret)]); m[2] >= 0 && parts != nil {
				secrets = append(secrets, Found{"authorization", start, start + parts[1]})
				continue
			}
			value := strings.TrimRight(text[start:end], ",.;:)")
			end = start + len(value)
			if isReference(value) || isPlaceholder(value) || !isCredential(value, m[2] >= 0) {
				continue
			}
			secrets = append(secrets, Found{"authorization", start, end})
		}
	}
	return secrets
}

// isCredential reports whether the value of an Authorization header is a credential, and not a
// word of a sentence. After the name of a scheme (hasScheme), a shorter value is accepted.
func isCredential(value string, hasScheme bool) bool {
	k := kindsOf(value)
	if hasScheme {
		return k.digits > 0 || k.upperAfterLower || strings.HasSuffix(value, "=")
	}
	return len(value) >= 16 && k.digits > 0 && k.lower+k.upper > 0
}

// letters counts the characters of a text by kind.
type letters struct {
	lower, upper, digits, signs int
	upperAfterLower             bool
}

// kindsOf counts the characters of a text by kind.
func kindsOf(text string) (k letters) {
	for i := range len(text) {
		switch c := text[i]; {
		case 'a' <= c && c <= 'z':
			k.lower++
		case 'A' <= c && c <= 'Z':
			k.upper++
			k.upperAfterLower = k.upperAfterLower || k.lower > 0
		case '0' <= c && c <= '9':
			k.digits++
		case strings.IndexByte("!#$%^&*+?@", c) >= 0:
			k.signs++
		}
	}
	return k
}

//go:embed marks.txt
var marksText string

// mark is a kind of secret that is recognised by fixed letters in or before it, a line of
// marks.txt. back is how many bytes before the letters are examined.
type mark struct {
	kind, letters string
	back          int
	before, after func() *regexp.Regexp
}

var marks = func() (all []mark) {
	for line := range strings.Lines(marksText) {
		if f := strings.Split(strings.TrimRight(line, "\r\n"), "\t"); len(f) == 5 {
			back, _ := strconv.Atoi(f[1]) // a test reads all lines
			all = append(all, mark{f[0], f[3], back, pattern.Lazy(`(?:` + f[2] + `)$`), pattern.Lazy(`^(?:` + f[4] + `)`)})
		}
	}
	return all
}()

// byMark returns the secrets of the kinds in marks.
func byMark(text string) (secrets []Found) {
	for _, x := range marks {
		for offset := range offsets(text, x.letters) {
			end := offset + len(x.letters)
			after := x.after().FindStringSubmatchIndex(text[end:min(len(text), end+maxAfter)])
			if after == nil {
				continue
			}
			start := max(0, offset-x.back)
			before := x.before().FindStringSubmatchIndex(text[start:offset])
			if before == nil {
				continue
			}
			f := Found{x.kind, start + before[len(before)-2], end + after[1]}
			if len(after) > 2 { // the secret is a part of what follows
				f.Start, f.End = end+after[2], end+after[3]
			}
			value := text[f.Start:f.End]
			if !isPlaceholder(value) && (len(after) == 2 || !isReference(value)) {
				secrets = append(secrets, f)
			}
		}
	}
	return secrets
}

// offsets yields the offset of each occurrence of a word in a text.
func offsets(text, word string) iter.Seq[int] {
	return func(yield func(int) bool) {
		for offset := 0; ; offset += len(word) {
			index := strings.Index(text[offset:], word)
			if index < 0 {
				return
			}
			if offset += index; !yield(offset) {
				return
			}
		}
	}
}
