package secret

import (
	"iter"
	"regexp"
	"strings"
)

const (
	maxAuthority = 600 // bytes examined of a URL from its user to its host
	maxScheme    = 80  // bytes examined after the name of a header
	maxCommand   = 300 // bytes examined of a command line, before and after a flag
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
	keyLetters = lazily(`[A-Za-z0-9+/]{8}`)
	keyLines   = lazily(`^(?:(?:\s|\\n)*[A-Za-z0-9+/=]{40,})+(?:(?:\s|\\n)+[A-Za-z0-9+/]+={1,2})?`)
)

// urlPasswords returns the passwords in scheme://user:password@host. It skips templates such as
// ${PASSWORD}.
func urlPasswords(text string) (secrets []Found) {
	for offset := range offsets(text, "://") {
		if offset == 0 || !isAlnum(text[offset-1]) {
			continue
		}
		offset += len("://")
		authority := text[offset:min(len(text), offset+maxAuthority)]
		if stop := strings.IndexAny(authority, " \t\r\n/?#\"'`<>()[]{}|\\"); stop >= 0 {
			authority = authority[:stop]
		}
		host := strings.LastIndexByte(authority, '@')
		colon := strings.IndexByte(authority, ':')
		if colon < 0 || host <= colon+1 {
			continue
		}
		password := authority[colon+1 : host]
		if !isReference(password) && !isPlaceholder(password) {
			secrets = append(secrets, Found{"url-password", offset + colon + 1, offset + host})
		}
	}
	return secrets
}

// isReference reports whether a value refers to a secret instead of being one: $VAR, %s, ***
// and the like.
func isReference(value string) bool {
	return value == "" || strings.IndexByte("$%@<{[(*.", value[0]) >= 0 || strings.HasPrefix(value, "…")
}

// authorization matches the text after the word Authorization. The first group is the scheme,
// the second the value.
var authorization = lazily(`^["']?\s{0,4}[:=]\s{0,4}["']?(?:(?i:(basic|bearer|digest|token|apikey|api-key|key|bot|oauth|hawk|ssws|sso-key|negotiate|ntlm|aws4-hmac-sha256|signature)\s{1,4}))?([^\s"'` + "`" + `<>\\]{8,})`)

// parameters matches a header's value of several parts, such as that of Digest.
var parameters = lazily(`^[A-Za-z][\w-]*=(?:"[^"\n]*"|[^\s,"]+)(?:,[ \t]*[A-Za-z][\w-]*=(?:"[^"\n]*"|[^\s,"]+))+`)

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

// infixList are kinds of secret that are recognised by fixed letters in their middle, the mark.
var infixList = []struct {
	kind, mark    string
	back          int // bytes examined before the mark
	before, after func() *regexp.Regexp
}{
	{"azure-secret", "Q~", 5, lazily(`(?:^|[^\w~.-])[\w~.]{3}\d$`), lazily(`^[\w~.-]{31,34}`)},
	{"mailchimp-key", "-us", 33, lazily(`(?:^|\W)[0-9a-f]{32}$`), lazily(`^\d{1,2}\b`)},
	{"maxmind-key", "_mmk", 37, lazily(`(?:^|\W)[A-Za-z0-9]{6}_[A-Za-z0-9]{29}$`), lazily(`^\b`)},
	{"teams-webhook", ".webhook.office.com/webhookb2/", 68, lazily(`https://[a-z0-9]{1,60}$`), lazily(`^[a-z0-9@-]{36,80}/IncomingWebhook/[a-z0-9]{32}/[a-z0-9-]{36}`)},
	{"telegram-token", ":AA", 11, lazily(`(?:^|\D)\d{8,10}$`), lazily(`^[\w-]{32,34}`)},
	{"terraform-token", ".atlasv1.", 15, lazily(`(?:^|\W)[A-Za-z0-9]{14}$`), lazily(`^[\w=-]{60,70}`)},
}

// infixes returns the secrets of the kinds in infixList.
func infixes(text string) (secrets []Found) {
	for _, x := range infixList {
		for mark := range offsets(text, x.mark) {
			end := mark + len(x.mark)
			after := x.after().FindStringIndex(text[end:min(len(text), end+200)])
			if after == nil {
				continue
			}
			start := max(0, mark-x.back)
			before := x.before().FindStringIndex(text[start:mark])
			if before == nil {
				continue
			}
			f := Found{x.kind, start + before[0], end + after[1]}
			if !isWord(text[f.Start]) {
				f.Start++ // the character before the secret
			}
			if !isPlaceholder(text[f.Start:f.End]) {
				secrets = append(secrets, f)
			}
		}
	}
	return secrets
}

var nameAndPassword = lazily(`^["']?[^\s:"'$]{1,100}:([^\s"'$]{4,200})`)

// curlPasswords returns the passwords in the arguments of curl on a command line.
func curlPasswords(text string) (secrets []Found) {
	for _, flag := range []string{" -u ", " --user ", " --user="} {
		for offset := range offsets(text, flag) {
			line := text[max(0, offset-maxCommand):offset]
			if !strings.Contains(line[strings.LastIndexByte(line, '\n')+1:], "curl") {
				continue
			}
			offset += len(flag)
			m := nameAndPassword().FindStringSubmatchIndex(text[offset:min(len(text), offset+maxCommand)])
			if m == nil {
				continue
			}
			if value := text[offset+m[2] : offset+m[3]]; !isReference(value) && !isPlaceholder(value) {
				secrets = append(secrets, Found{"curl-password", offset + m[2], offset + m[3]})
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
