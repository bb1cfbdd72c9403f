package secret

import (
	"iter"
	"regexp"
	"strings"
)

const (
	maxAuthority = 600 // bytes of a URL up to its host that are looked at
	maxScheme    = 80  // bytes from a header's name into its value
	lookBack     = 300 // bytes of a command line
)

// keyBlocks finds blocks such as -----BEGIN PRIVATE KEY----- … -----END PRIVATE
// KEY-----. A block without its end ends with the last line that looks like a key.
func keyBlocks(text string) (secrets []Found) {
	const begin, end, dashes = "-----BEGIN ", "-----END ", "-----"
	ended := true // there may be another end
	for at := 0; ; {
		n := strings.Index(text[at:], begin)
		if n < 0 {
			return secrets
		}
		start := at + n
		at = start + len(begin)
		head := strings.Index(text[at:min(len(text), at+100)], dashes)
		if head < 0 || !strings.Contains(text[at:at+head], "PRIVATE KEY") {
			continue
		}
		body := at + head + len(dashes)
		stop := -1
		if ended {
			stop = strings.Index(text[body:], end)
			ended = stop >= 0
		}
		if stop >= 0 {
			stop += body
			if after := strings.Index(text[stop+len(end):min(len(text), stop+100)], dashes); after >= 0 && keyLetters().MatchString(text[body:stop]) {
				at = stop + len(end) + after + len(dashes)
				secrets = append(secrets, Found{"private-key", start, at})
			}
			continue
		}
		if lines := keyLines().FindStringIndex(text[body:]); lines != nil {
			at = body + lines[1]
			secrets = append(secrets, Found{"private-key", start, at})
		}
	}
}

var (
	keyLetters = lazily(`[A-Za-z0-9+/]{8}`)
	keyLines   = lazily(`^(?:(?:\s|\\n)*[A-Za-z0-9+/=]{40,})+(?:(?:\s|\\n)+[A-Za-z0-9+/]+={1,2})?`)
)

// urlPasswords finds the password in scheme://user:password@host. A template such as
// ${PASSWORD} is left.
func urlPasswords(text string) (secrets []Found) {
	for at := range places(text, "://") {
		if at == 0 || !isAlnum(text[at-1]) {
			continue
		}
		at += len("://")
		authority := text[at:min(len(text), at+maxAuthority)]
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
			secrets = append(secrets, Found{"url-password", at + colon + 1, at + host})
		}
	}
	return secrets
}

// isReference reports whether a value says where the secret is: $VAR, %s, *** and
// the like.
func isReference(value string) bool {
	return value == "" || strings.IndexByte("$%@<{[(*.", value[0]) >= 0 || strings.HasPrefix(value, "…")
}

// authorization matches what follows the word Authorization. The first group is the
// scheme, the second the value.
var authorization = lazily(`^["']?\s{0,4}[:=]\s{0,4}["']?(?:(?i:(basic|bearer|digest|token|apikey|api-key|key|bot|oauth|hawk|ssws|sso-key|negotiate|ntlm|aws4-hmac-sha256|signature)\s{1,4}))?([^\s"'` + "`" + `<>\\]{8,})`)

// parameters matches a value that has several parts, such as Digest's.
var parameters = lazily(`^[A-Za-z][\w-]*=(?:"[^"\n]*"|[^\s,"]+)(?:,[ \t]*[A-Za-z][\w-]*=(?:"[^"\n]*"|[^\s,"]+))+`)

// headers finds the value of an Authorization header.
func headers(text string) (secrets []Found) {
	for _, word := range []string{"uthorization", "UTHORIZATION"} {
		for at := range places(text, word) {
			at += len(word)
			m := authorization().FindStringSubmatchIndex(text[at:min(len(text), at+maxScheme)])
			if m == nil {
				continue
			}
			start, end := at+m[4], at+m[5]
			for end < len(text) && end-start < longest && !endsRun(text[end]) {
				end++
			}
			if all := parameters().FindStringIndex(text[start:min(len(text), start+longest)]); m[2] >= 0 && all != nil {
				secrets = append(secrets, Found{"authorization", start, start + all[1]})
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

// isCredential reports whether the value of an Authorization header is one, and not
// a word of a sentence. After the name of a scheme a shorter one is.
func isCredential(value string, scheme bool) bool {
	k := kindsOf(value)
	if scheme {
		return k.digits > 0 || k.upperAfterLower || strings.HasSuffix(value, "=")
	}
	return len(value) >= 16 && k.digits > 0 && k.lower+k.upper > 0
}

// letters are how many of each kind a text has.
type letters struct {
	lower, upper, digits, signs int
	upperAfterLower             bool
}

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

// infixList are secrets that are known by letters in their middle, the mark.
var infixList = []struct {
	kind, mark    string
	back          int // bytes before the mark that are looked at
	before, after func() *regexp.Regexp
}{
	{"azure-secret", "Q~", 5, lazily(`(?:^|[^\w~.-])[\w~.]{3}\d$`), lazily(`^[\w~.-]{31,34}`)},
	{"mailchimp-key", "-us", 33, lazily(`(?:^|\W)[0-9a-f]{32}$`), lazily(`^\d{1,2}\b`)},
	{"maxmind-key", "_mmk", 37, lazily(`(?:^|\W)[A-Za-z0-9]{6}_[A-Za-z0-9]{29}$`), lazily(`^\b`)},
	{"teams-webhook", ".webhook.office.com/webhookb2/", 68, lazily(`https://[a-z0-9]{1,60}$`), lazily(`^[a-z0-9@-]{36,80}/IncomingWebhook/[a-z0-9]{32}/[a-z0-9-]{36}`)},
	{"telegram-token", ":AA", 11, lazily(`(?:^|\D)\d{8,10}$`), lazily(`^[\w-]{32,34}`)},
	{"terraform-token", ".atlasv1.", 15, lazily(`(?:^|\W)[A-Za-z0-9]{14}$`), lazily(`^[\w=-]{60,70}`)},
}

// infixes finds secrets by letters in their middle.
func infixes(text string) (secrets []Found) {
	for _, x := range infixList {
		for mark := range places(text, x.mark) {
			end := mark + len(x.mark)
			after := x.after().FindStringIndex(text[end:min(len(text), end+200)])
			if after == nil {
				continue
			}
			from := max(0, mark-x.back)
			before := x.before().FindStringIndex(text[from:mark])
			if before == nil {
				continue
			}
			f := Found{x.kind, from + before[0], end + after[1]}
			if !isWord(text[f.Start]) {
				f.Start++ // what stands before it
			}
			if !isPlaceholder(text[f.Start:f.End]) {
				secrets = append(secrets, f)
			}
		}
	}
	return secrets
}

var nameAndPassword = lazily(`^["']?[^\s:"'$]{1,100}:([^\s"'$]{4,200})`)

// curlPasswords finds the password that a command line gives curl.
func curlPasswords(text string) (secrets []Found) {
	for _, flag := range []string{" -u ", " --user ", " --user="} {
		for at := range places(text, flag) {
			line := text[max(0, at-lookBack):at]
			if !strings.Contains(line[strings.LastIndexByte(line, '\n')+1:], "curl") {
				continue
			}
			at += len(flag)
			m := nameAndPassword().FindStringSubmatchIndex(text[at:min(len(text), at+lookBack)])
			if m == nil {
				continue
			}
			if value := text[at+m[2] : at+m[3]]; !isReference(value) && !isPlaceholder(value) {
				secrets = append(secrets, Found{"curl-password", at + m[2], at + m[3]})
			}
		}
	}
	return secrets
}

// places yields where a word stands in a text.
func places(text, word string) iter.Seq[int] {
	return func(yield func(int) bool) {
		for at := 0; ; at += len(word) {
			n := strings.Index(text[at:], word)
			if n < 0 {
				return
			}
			if at += n; !yield(at) {
				return
			}
		}
	}
}
