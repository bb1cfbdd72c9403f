package secret

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// shape is a kind of secret with a fixed prefix. rest is a regular expression for the
// characters after it.
type shape struct {
	kind, prefix, rest string
}

// shapes are taken from the rules of gitleaks v8.30.1 (LICENSE.gitleaks) that recognise a
// secret by its own characters, without the rules that use entropy or a name before the value.
// They accept all lengths that the issuers document, and a comma after the secret. The shapes
// after the blank line are from the issuers' documentation.
var shapes = []shape{
	{"1password-key", "A3-", `[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}`},
	{"1password-token", "ops_eyJ", `[a-zA-Z0-9+/]{100,}={0,3}`},
	{"adobe-secret", "p8e-", `[a-zA-Z0-9]{32}`},
	{"age-key", "AGE-SECRET-KEY-1", `[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}`},
	{"airtable-token", "pat", `[[:alnum:]]{14}\.[a-f0-9]{64}`},
	{"alibaba-key", "LTAI", `[a-zA-Z0-9]{12,20}`},
	{"anthropic-key", "sk-ant-", `(?:[a-z]{2,10}\d{2}-)?[a-zA-Z0-9_-]{24,200}`},
	{"artifactory-key", "AKCp", `[A-Za-z0-9]{69}`},
	{"artifactory-token", "cmVmd", `[A-Za-z0-9]{59}`},
	{"atlassian-token", "ATATT3", `[A-Za-z0-9_\-=]{100,}`},
	{"aws-key", "AKIA", `[A-Z0-9]{16}`},
	{"aws-key", "ASIA", `[A-Z0-9]{16}`},
	{"aws-key", "ABIA", `[A-Z0-9]{16}`},
	{"aws-key", "ACCA", `[A-Z0-9]{16}`},
	{"aws-key", "A3T", `[A-Z0-9]{17}`},
	{"aws-bedrock-key", "ABSK", `[A-Za-z0-9+/]{109,}={0,2}`},
	{"aws-bedrock-key", "bedrock-api-key-", `[A-Za-z0-9+/=]{30,}`},
	{"clickhouse-key", "4b1d", `[A-Za-z0-9]{38}`},
	{"clojars-token", "CLOJARS_", `[a-z0-9]{60}`},
	{"cloudflare-key", "v1.0-", `[a-f0-9]{24}-[a-f0-9]{146}`},
	{"databricks-token", "dapi", `[a-f0-9]{32}(?:-\d)?`},
	{"digitalocean-token", "doo_v1_", `[a-f0-9]{64}`},
	{"digitalocean-token", "dop_v1_", `[a-f0-9]{64}`},
	{"digitalocean-token", "dor_v1_", `[a-f0-9]{64}`},
	{"doppler-token", "dp.", `(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?[a-zA-Z0-9]{40,44}`},
	{"duffel-token", "duffel_", `(?:test|live)_[a-zA-Z0-9_\-=]{43}`},
	{"dynatrace-token", "dt0c01.", `[a-zA-Z0-9]{24}\.[a-zA-Z0-9]{64}`},
	{"easypost-token", "EZAK", `[a-zA-Z0-9]{54}`},
	{"easypost-token", "EZTK", `[a-zA-Z0-9]{54}`},
	{"facebook-token", "EAA", `[MC][a-zA-Z0-9]{100,}`},
	{"flutterwave-key", "FLWSECK_TEST-", `[a-zA-Z0-9]{12,32}(?:-X)?`},
	{"fly-token", "fo1_", `[\w-]{43}`},
	{"fly-token", "fm1a_", `[a-zA-Z0-9+/]{100,}={0,3}`},
	{"fly-token", "fm1r_", `[a-zA-Z0-9+/]{100,}={0,3}`},
	{"fly-token", "fm2_", `[a-zA-Z0-9+/]{100,}={0,3}`},
	{"frameio-token", "fio-u-", `[a-zA-Z0-9\-_=]{64}`},
	{"google-key", "AIza", `[\w-]{35}`},
	{"github-token", "ghp_", `[0-9a-zA-Z]{36,}`},
	{"github-token", "gho_", `[0-9a-zA-Z]{36,}`},
	{"github-token", "ghu_", `[0-9a-zA-Z]{36,}`},
	{"github-token", "ghs_", `[0-9a-zA-Z]{36,}`},
	{"github-token", "ghr_", `[0-9a-zA-Z]{36,}`},
	{"github-token", "github_pat_", `\w{36,}`},
	{"gitlab-token", "glcbt-", `[0-9a-zA-Z]{1,5}_[0-9a-zA-Z_-]{20,64}`},
	{"gitlab-token", "gldt-", `[0-9a-zA-Z_-]{20,64}`},
	{"gitlab-token", "glffct-", `[0-9a-zA-Z_-]{20,64}`},
	{"gitlab-token", "glft-", `[0-9a-zA-Z_-]{20,64}`},
	{"gitlab-token", "glimt-", `[0-9a-zA-Z_-]{25,64}`},
	{"gitlab-token", "glagent-", `[0-9a-zA-Z_-]{50,64}`},
	{"gitlab-token", "gloas-", `[0-9a-zA-Z_-]{64}`},
	{"gitlab-token", "glpat-", `[0-9a-zA-Z_-]{20,}(?:\.[0-9a-z]{2}[.]?[0-9a-z]{7})?`},
	{"gitlab-token", "glptt-", `[0-9a-f]{40}`},
	{"gitlab-token", "GR1348941", `[\w-]{20,64}`},
	{"gitlab-token", "glrt-", `[0-9a-zA-Z_-]{20,}(?:\.[0-9a-z]{2}[.]?[0-9a-z]{7})?`},
	{"gitlab-token", "glsoat-", `[0-9a-zA-Z_-]{20,64}`},
	{"gitlab-token", "_gitlab_session=", `[0-9a-z]{32}`},
	{"grafana-token", "glc_", `[A-Za-z0-9+/]{32,}={0,3}`},
	{"grafana-token", "glsa_", `[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}`},
	{"grafana-token", "eyJrIjoi", `[A-Za-z0-9]{70,}={0,3}`},
	{"harness-key", "pat.", `[a-zA-Z0-9_-]{22}\.[a-zA-Z0-9]{24}\.[a-zA-Z0-9]{20}`},
	{"harness-key", "sat.", `[a-zA-Z0-9_-]{22}\.[a-zA-Z0-9]{24}\.[a-zA-Z0-9]{20}`},
	{"heroku-key", "HRKU-", `[0-9a-zA-Z_-]{36,60}`},
	{"huggingface-token", "hf_", `[a-zA-Z0-9]{30,60}`},
	{"huggingface-token", "api_org_", `[a-zA-Z]{34}`},
	{"infracost-key", "ico-", `[a-zA-Z0-9]{32}`},
	{"intra42-secret", "s-s4t2", `(?:ud|af)-[a-fA-F0-9]{64}`},
	{"jwt", "eyJ", `[a-zA-Z0-9_-]{7,}\.[a-zA-Z0-9_-]{7,}(?:\.[a-zA-Z0-9_-]{6,}){1,3}`},
	{"linear-key", "lin_api_", `[a-zA-Z0-9]{40}`},
	{"linear-key", "lin_oauth_", `[a-zA-Z0-9]{40,80}`},
	{"new-relic-key", "NRAK-", `[a-zA-Z0-9]{27}`},
	{"new-relic-key", "NRII-", `[a-zA-Z0-9-]{32}`},
	{"new-relic-key", "NRJS-", `[a-f0-9]{19}`},
	{"notion-token", "ntn_", `[0-9]{11}[A-Za-z0-9]{35}`},
	{"notion-token", "secret_", `[A-Za-z0-9]{43}`},
	{"npm-token", "npm_", `[a-zA-Z0-9]{36}`},
	{"octopus-key", "API-", `[A-Z0-9]{26}`},
	{"openshift-token", "sha256~", `[\w-]{43}`},
	{"perplexity-key", "pplx-", `[a-zA-Z0-9]{40,64}`},
	{"planetscale-token", "pscale_", `(?:tkn|oauth|pw)_[\w=.-]{32,64}`},
	{"postman-key", "PMAK-", `[a-fA-F0-9]{24}-[a-fA-F0-9]{34}`},
	{"prefect-token", "pnu_", `[a-zA-Z0-9]{36}`},
	{"pulumi-token", "pul-", `[a-f0-9]{40}`},
	{"pypi-token", "pypi-AgE", `[\w-]{50,}`},
	{"readme-token", "rdme_", `[a-z0-9]{70}`},
	{"rubygems-token", "rubygems_", `[a-f0-9]{48}`},
	{"scalingo-token", "tk-us-", `[\w-]{48}`},
	{"sendgrid-key", "SG.", `[a-zA-Z0-9=_-]{16,32}\.[a-zA-Z0-9=_-]{32,64}`},
	{"sendinblue-key", "xkeysib-", `[a-f0-9]{64}-[a-zA-Z0-9]{16}`},
	{"sentry-token", "sntrys_eyJ", `[a-zA-Z0-9+/=_]{60,}`},
	{"sentry-token", "sntryu_", `[a-f0-9]{64}`},
	{"settlemint-token", "sm_", `(?:aat|pat|sat)_[a-zA-Z0-9]{16}`},
	{"shippo-token", "shippo_", `(?:live|test)_[a-fA-F0-9]{40}`},
	{"shopify-token", "shpat_", `[a-fA-F0-9]{32}`},
	{"shopify-token", "shpca_", `[a-fA-F0-9]{32}`},
	{"shopify-token", "shppa_", `[a-fA-F0-9]{32}`},
	{"shopify-token", "shpss_", `[a-fA-F0-9]{32}`},
	{"slack-token", "xapp-", `\d-[A-Z0-9]{5,20}-\d{5,20}-[a-zA-Z0-9]{16,80}`},
	{"slack-token", "xoxe.xox", `[bp]-\d-[a-zA-Z0-9]{100,200}`},
	{"slack-token", "xox", `[a-z]-(?:[0-9a-zA-Z]{1,20}-){0,4}[0-9a-zA-Z]{10,200}`},
	{"slack-webhook", "https://hooks.slack.com/", `(?:services|workflows|triggers)/[A-Za-z0-9+/]{20,80}`},
	{"sourcegraph-token", "sgp_", `(?:[a-fA-F0-9]{16}_|local_)?[a-fA-F0-9]{40}`},
	{"square-token", "sq0atp-", `[\w-]{22,60}`},
	{"square-token", "sq0csp-", `[\w-]{22,60}`},
	{"square-token", "EAAA", `[\w-]{60}`},
	{"stripe-key", "sk_", `(?:test|live|prod)_[a-zA-Z0-9]{10,200}`},
	{"stripe-key", "rk_", `(?:test|live|prod)_[a-zA-Z0-9]{10,200}`},
	{"twilio-key", "SK", `[0-9a-f]{32}`},
	{"typeform-token", "tfp_", `[a-zA-Z0-9\-_.=]{44,60}`},
	{"vault-token", "hvs.", `[\w-]{24,140}`},
	{"vault-token", "hvr.", `[\w-]{24,140}`},
	{"vault-token", "hvb.", `[\w-]{24,}`},
	{"yandex-key", "AQVN", `[A-Za-z0-9_-]{35,38}`},

	{"aws-signature", "X-Amz-Signature=", `[a-f0-9]{64}`},
	{"azure-signature", "sig=", `[A-Za-z0-9%+/]{40,80}(?:%3[Dd]|=)`},
	{"bitbucket-token", "ATBB", `[a-zA-Z0-9]{28,32}`},
	{"buildkite-token", "bkua_", `[a-f0-9]{40}`},
	{"circleci-token", "CCIPAT_", `[a-zA-Z0-9]{16,30}_[a-f0-9]{40}`},
	{"contentful-token", "CFPAT-", `[a-zA-Z0-9_-]{43}`},
	{"discord-token", "M", `[TDjz][A-Za-z0-9_-]{22,26}\.[\w-]{6}\.[\w-]{27,40}`},
	{"discord-token", "N", `[TDjz][A-Za-z0-9_-]{22,26}\.[\w-]{6}\.[\w-]{27,40}`},
	{"discord-token", "O", `[TD][A-Za-z0-9_-]{22,26}\.[\w-]{6}\.[\w-]{27,40}`},
	{"discord-webhook", "https://discord.com/api/webhooks/", `\d{15,22}/[\w-]{50,90}`},
	{"discord-webhook", "https://discordapp.com/api/webhooks/", `\d{15,22}/[\w-]{50,90}`},
	{"docker-token", "dckr_pat_", `[\w-]{24,40}`},
	{"figma-token", "figd_", `[\w-]{36,60}`},
	{"google-secret", "GOCSPX-", `[\w-]{28}`},
	{"google-token", "ya29.", `[\w-]{30,}`},
	{"google-signature", "X-Goog-Signature=", `[a-f0-9]{128,}`},
	{"google-token", "1//0", `[\w-]{35,120}`},
	{"hence-token", "hence_", `[A-Z2-7]{52}`},
	{"groq-key", "gsk_", `[a-zA-Z0-9]{40,64}`},
	{"langsmith-key", "lsv2_", `(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}`},
	{"mapbox-token", "sk.eyJ", `[\w-]{30,200}\.[\w-]{20,40}`},
	{"neon-key", "napi_", `[a-z0-9]{60,70}`},
	{"netlify-token", "nfp_", `[a-zA-Z0-9]{36,40}`},
	{"nvidia-key", "nvapi-", `[\w-]{60,70}`},
	{"openai-key", "sk-", `(?:[a-z0-9]{1,10}-){0,3}[A-Za-z0-9_-]{20,}`},
	{"pinecone-key", "pcsk_", `[A-Za-z0-9_]{50,80}`},
	{"replicate-token", "r8_", `[A-Za-z0-9]{37}`},
	{"resend-key", "re_", `[A-Za-z0-9]{8}_[A-Za-z0-9]{24}`},
	{"stripe-secret", "whsec_", `[a-zA-Z0-9+/]{24,80}={0,2}`},
	{"supabase-key", "sbp_", `[a-f0-9]{40}`},
	{"supabase-key", "sb_secret_", `[\w-]{24,60}`},
	{"tailscale-key", "tskey-", `(?:auth-|api-|client-|scim-|webhook-)?[a-zA-Z0-9]{8,24}(?:CNTRL)?-[a-zA-Z0-9]{20,50}`},
	{"xai-key", "xai-", `[a-zA-Z0-9]{60,90}`},
}

const (
	minSecret = 16   // bytes of the shortest secret, with its prefix
	maxSecret = 4096 // bytes examined from the beginning of a secret
	maxTries  = 16   // number of times that a shape is tried in a run
)

// pattern is a shape with its regular expression, which is compiled on first use.
type pattern struct {
	shape
	expression func() *regexp.Regexp
}

// byFirst has the patterns by the first byte of their prefixes.
var byFirst = func() (patterns [256][]*pattern) {
	for _, s := range shapes {
		patterns[s.prefix[0]] = append(patterns[s.prefix[0]], &pattern{s, lazily(`^(?:` + s.rest + `)`)})
	}
	return patterns
}()

// lazily returns a function that compiles a regular expression on the first call, because most
// texts need none.
func lazily(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

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
	var tried map[*pattern]int
	for offset := start; offset+minSecret <= end; offset++ {
		if !mayBegin(text, offset) {
			continue
		}
		for _, p := range byFirst[text[offset]] {
			if !strings.HasPrefix(text[offset:end], p.prefix) || tried[p] >= maxTries {
				continue
			}
			if tried == nil {
				tried = map[*pattern]int{}
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
func (p *pattern) match(text string, offset, end int) int {
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
