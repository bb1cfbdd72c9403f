package secret_test

import (
	"strings"
	"testing"

	"hence/internal/secret"
)

// body returns letters and digits that look random, but are not part of a real key. The tests
// assemble keys at run time, so that scanners do not report this file as a leak.
func body(n int) string   { return made(n, "b7Kq2XvT9mRz4LpW8sYd3HnC6gFj5A0e") }
func upper(n int) string  { return made(n, "Q7Z2X4T9M5R3LPW8SYD6HNC0GFJ1ABVK") }
func hex(n int) string    { return made(n, "3f9a07c1e6b25d84") }
func digits(n int) string { return made(n, "8301947265") }

func made(n int, letters string) string {
	var b strings.Builder
	for i := range n {
		b.WriteByte(letters[(i*7+i/3)%len(letters)])
	}
	return b.String()
}

const uuid = "0193c1b2-7c4e-7a11-8f00-1234567890ab"

// positives are texts with the kind of secret in them, and the part that must be replaced.
var positives = []struct{ kind, text, gone string }{
	{"aws-key", "AKIA" + upper(16), ""},
	{"aws-key", "ASIA" + upper(16), ""},
	{"aws-bedrock-key", "ABSK" + body(120), ""},
	{"github-token", "ghp_" + body(36), ""},
	{"github-token", "gho_" + body(36), ""},
	{"github-token", "ghs_" + body(36), ""},
	{"github-token", "github_pat_" + body(22) + "_" + body(59), ""},
	{"gitlab-token", "glpat-" + body(20), ""},
	{"gitlab-token", "glrt-" + body(20), ""},
	{"openai-key", "sk-" + body(48), ""},
	{"openai-key", "sk-proj-" + body(74) + "T3Blbk" + "FJ" + body(74), ""},
	{"openai-key", "sk-or-v1-" + hex(64), ""},
	{"anthropic-key", "sk-ant-" + "api03-" + body(93) + "AA", ""},
	{"slack-token", "xoxb-" + digits(12) + "-" + digits(12) + "-" + body(24), ""},
	{"slack-token", "xoxp-" + digits(12) + "-" + digits(12) + "-" + digits(12) + "-" + hex(32), ""},
	{"slack-token", "xapp-1-" + "A" + upper(10) + "-" + digits(12) + "-" + hex(64), ""},
	{"slack-webhook", "https://hooks.slack" + ".com/services/T" + upper(8) + "/B" + upper(8) + "/" + body(24), ""},
	{"google-key", "AI" + "za" + body(35), ""},
	{"google-secret", "GOC" + "SPX-" + body(28), ""},
	{"google-token", "ya29." + body(60), ""},
	{"jwt", "eyJ" + body(33) + "." + "eyJ" + body(60) + "." + body(43), ""},
	{"stripe-key", "sk_" + "live_" + body(24), ""},
	{"stripe-key", "rk_" + "live_" + body(24), ""},
	{"stripe-secret", "whsec_" + body(32), ""},
	{"sendgrid-key", "SG." + body(22) + "." + body(43), ""},
	{"npm-token", "npm_" + body(36), ""},
	{"pypi-token", "pypi-AgE" + "IcHlwaS5vcmc" + body(80), ""},
	{"rubygems-token", "rubygems_" + hex(48), ""},
	{"docker-token", "dckr_" + "pat_" + body(27), ""},
	{"hence-token", "hence_" + made(52, "Q7Z2X4T6M5R3LPWNSYDAHBCUGFJEOVK"), ""},
	{"huggingface-token", "hf_" + body(34), ""},
	{"shopify-token", "shpat_" + hex(32), ""},
	{"square-token", "sq0atp-" + body(22), ""},
	{"digitalocean-token", "dop_v1_" + hex(64), ""},
	{"databricks-token", "dapi" + hex(32), ""},
	{"doppler-token", "dp.pt." + body(43), ""},
	{"linear-key", "lin_api_" + body(40), ""},
	{"notion-token", "ntn_" + digits(11) + body(35), ""},
	{"airtable-token", "pat" + body(14) + "." + hex(64), ""},
	{"postman-key", "PMAK-" + hex(24) + "-" + hex(34), ""},
	{"grafana-token", "glsa_" + body(32) + "_" + hex(8), ""},
	{"vault-token", "hvs." + body(95), ""},
	{"terraform-token", body(14) + ".atlas" + "v1." + body(67), ""},
	{"pulumi-token", "pul-" + hex(40), ""},
	{"planetscale-token", "pscale_tkn_" + body(43), ""},
	{"supabase-key", "sbp_" + hex(40), ""},
	{"tailscale-key", "tskey-auth-" + body(12) + "CNTRL-" + body(32), ""},
	{"telegram-token", digits(10) + ":AA" + body(33), ""},
	{"discord-token", "MT" + body(24) + "." + body(6) + "." + body(38), ""},
	{"discord-webhook", "https://discord" + ".com/api/webhooks/" + digits(18) + "/" + body(68), ""},
	{"teams-webhook", "https://contoso.webhook.office" + ".com/webhookb2/" + uuid + "@" + uuid + "/IncomingWebhook/" + hex(32) + "/" + uuid, ""},
	{"twilio-key", "SK" + hex(32), ""},
	{"mailchimp-key", hex(32) + "-us12", ""},
	{"azure-secret", "abc8" + "Q~" + body(34), ""},
	{"azure-signature", "sig=" + body(43) + "%3D", ""},
	{"age-key", "AGE-SECRET-" + "KEY-1" + made(58, "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"), ""},
	{"1password-key", "A3-" + upper(6) + "-" + upper(11) + "-" + upper(5) + "-" + upper(5) + "-" + upper(5), ""},
	{"new-relic-key", "NRAK-" + upper(27), ""},
	{"groq-key", "gsk_" + body(52), ""},
	{"xai-key", "xai-" + body(80), ""},
	{"figma-token", "figd_" + body(40), ""},
	{"circleci-token", "CCIPAT_" + body(22) + "_" + hex(40), ""},
	{"private-key", "-----BEGIN RSA PRIVATE" + " KEY-----\n" + body(64) + "\n" + body(30) + "==\n-----END RSA PRIVATE" + " KEY-----", ""},
	{"private-key", "-----BEGIN OPENSSH PRIVATE" + " KEY-----\\n" + body(70) + "\\n-----END OPENSSH PRIVATE" + " KEY-----", ""},
	{"private-key", "-----BEGIN PGP PRIVATE" + " KEY BLOCK-----\n\n" + body(64) + "\n=aB3d\n-----END PGP PRIVATE" + " KEY BLOCK-----", ""},
	{"private-key", "-----BEGIN PRIVATE" + " KEY-----\n" + body(64) + "\n" + body(64) + "\n" + body(10) + "==", ""},
	{"url-password", "postgres://app:s3cr3t@db.internal:5432/orders", "s3cr3t"},
	{"url-password", "https://user:hun" + "ter2@example.com/x", "hun" + "ter2"},
	{"url-password", "redis://:" + body(12) + "@cache:6379/0", body(12)},
	{"url-password", "mongodb+srv://admin:p@ss" + "w0rd@cluster0.mongodb.net", "w0rd"},
	{"authorization", "Authorization: Bearer " + body(30), body(30)},
	{"authorization", "-H 'authorization: Basic dXNlcjpw" + "YXNzd29yZA=='", "dXNlcjpw"},
	{"authorization", `{"Authorization": "token ` + hex(40) + `"}`, hex(40)},
	{"authorization", "AUTHORIZATION: " + body(32), body(32)},
	{"authorization", `Authorization: Digest username="ada", realm="x", nonce="` + hex(32) + `", response="` + hex(32) + `"`, hex(32)},
	{"curl-password", "curl -s -u ada:open" + "sesame https://example.com", "open" + "sesame"},
	{"password", "DB_PASSWORD=hun" + "ter2x", "hun" + "ter2x"},
	{"password", "Server=db;User Id=sa;Password=Summer" + "time;Encrypt=true", "Summer" + "time"},
	{"password", `password: "` + "Tr0ub4" + `dor&3"`, "Tr0ub4"},
	{"password", `password = "` + "Tr0ub4" + `dor&3xyzzy"`, "xyzzy"},
	{"password", `password: '` + "Tr0" + `;ub4,dor)3xyzzy'`, "xyzzy"},
	{"password", `"password": "` + "Tr0ub4" + `dor\"3<xyzzy"`, "xyzzy"},
	{"password", `password: 'Tr0` + "ub4" + `dor''3|xyzzy'`, "xyzzy"},
	{"password", "password: `ab&" + "Tr0ub4" + "dor3(xyzzy)`", "xyzzy"},
	{"password", `password = "` + "Tr0ub4" + `dor3 and xyzzy"`, "xyzzy"},
	{"secret-value", "API_TOKEN=" + body(700) + "-xyzzy", "xyzzy"},
	{"curl-password", "curl -u 'ada:open" + "$esame' https://example.com", "esame"},
	{"secret-value", "AWS_SECRET_ACCESS_KEY=wJalrX" + "UtnFEMI/K7MDENG/bPxRfiCY2Zq8Rv7Lm", "MDENG"},
	{"secret-value", `"api_key": "` + body(32) + `"`, body(32)},
	{"secret-value", "client_secret = " + body(40), body(40)},
	{"secret-value", "https://api.example.com/v1?access_token=" + hex(40) + "&page=2", hex(40)},
}

func TestSecretsAreReplacedBySayingWhatTheyAre(t *testing.T) {
	for _, p := range positives {
		gone := p.gone
		if gone == "" {
			gone = p.text
		}
		for _, around := range [][2]string{{"", ""}, {"the key is ", ", and works"}, {"(", ")."}, {"`", "`"}, {"x=1\n", "\nnext line"}} {
			text := around[0] + p.text + around[1]
			var c secret.Cleaner
			clean := c.Clean(text)
			if strings.Contains(clean, gone) || !strings.Contains(clean, "[secret: "+p.kind+"]") {
				t.Errorf("%s: %q became %q", p.kind, text, clean)
			}
			if c.Count() != 1 || c.Kinds() != p.kind {
				t.Errorf("%s: %q counts as %d of %s", p.kind, text, c.Count(), c.Kinds())
			}
			if !strings.HasPrefix(clean, around[0]) || !strings.HasSuffix(clean, around[1]) {
				t.Errorf("%s: what stands around %q became %q", p.kind, text, clean)
			}
			if again := secret.Mask(clean); again != clean {
				t.Errorf("%s: masking again makes %q of %q", p.kind, again, clean)
			}
		}
	}
}

func TestAtLeastFortyKindsAreKnown(t *testing.T) {
	kinds := map[string]bool{}
	for _, p := range positives {
		kinds[p.kind] = true
	}
	if len(kinds) < 40 || len(negatives) < 40 {
		t.Errorf("%d kinds, %d negatives", len(kinds), len(negatives))
	}
}

var negatives = []string{
	"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "aws_secret_access_key=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
	"commit 3f786850e387550fdab836ed7e6dc881de23001b", "sha256:" + hex(64), "md5 d41d8cd98f00b204e9800998ecf8427e",
	"id 0193c1b2-7c4e-7a11-8f00-1234567890ab", "token: 0193c1b2-7c4e-7a11-8f00-1234567890ab", "{0193c1b2-7c4e-7a11-8f00-1234567890ab}",
	"ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "sk-your-key-here-please-replace-it", "sk-xxxxxxxxxxxxxxxxxxxxxxxx",
	"sk-estimator-doc-link-fitted-container", "scikit-learn's sk-toggleable__control-hidden--visually", "task-2026-11-20-migrate-the-queue-to-nats",
	"postgres://localhost:5432/db", "postgres://user@localhost/db", "postgres://user:${DB_PASSWORD}@localhost/db", "postgres://user:$DB_PASSWORD@localhost/db",
	"postgres://user:<password>@localhost/db", "https://example.com:8443/a@b", "http://[::1]:8080/@me", "git@github.com:owner/repo.git", "mailto:ada@example.com",
	"Authorization: Bearer $TOKEN", "Authorization: Bearer <token>", "Authorization: required for every call", "Authorization: Bearer tokens are checked by the gateway",
	"Authorization headers are stripped by the proxy", "the bearer token expires after 15 minutes",
	"password: see the vault", "The password is rotated every 90 days.", "password=", "PASSWORD=$1", "password_hash = bcrypt", "passwords: 12 characters or more",
	`password: "use 8 characters (or more), 1 Capital & a sign"`, "password = `${user.name}(${user.pw1})`", `"password": "<your (new) password>"`, "it's password: 'none' or 'A1(b)c9'",
	"token_budget=4000", "max_tokens: 128000", "MAX_TOKENS=4096", "secret: true", "secret: kubernetes-secret-v2", "secretName: registry-credentials-2026",
	"tokens: 1200 of 4000", "api_key: string", "API_KEY=os.environ['KEY']", "api_key=process.env.OPENAI_API_KEY", "token = jwt.sign(payload)", "accessToken: AccessTokenV2Response",
	"token=/var/run/secrets/kubernetes.io/serviceaccount2/token", "the secret of a good note is a title",
	"-----BEGIN PUBLIC KEY-----\n" + body(64) + "\n-----END PUBLIC KEY-----", "-----BEGIN CERTIFICATE-----\n" + body(64) + "\n-----END CERTIFICATE-----",
	"-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----", "A key begins with -----BEGIN PRIVATE KEY----- and has many lines.",
	"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI" + body(43) + " ada@laptop", "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAA" + body(200),
	"eyJhbGciOi", "The header begins with eyJ, as every JWT does.", "AKIA is the prefix of access keys", "ghp_ and gho_ are prefixes of GitHub",
	"xoxb- is a bot token", "pattern.matching.of.names", "API-first design of the 26 services", "MTA-STS and DKIM", "Nzxt.cooler.block", "key-value store",
	"NRAK is New Relic's prefix", "SG.1 and SG.2 are security groups", "the A3-sized paper", "r8_g8b8 texture format", "re_match and re_search", "https://teams.example.com/webhook",
	"curl -u $USER:$PASS https://example.com", "ls -u a:bcdef", "v1.0-beta and v1.0-rc1", "[secret: aws-key]", "obsidian://open?vault=notes&file=a%20b",
	"the hash hvs. the checksum", "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", "h1:PmEvCfVI7ti9dV3s5aMZUY7sS2GxRvG3yzih7E+cS3w=",
}

func TestWhatIsNoSecretStays(t *testing.T) {
	for _, text := range negatives {
		for _, around := range [][2]string{{"", ""}, {"see ", ", as said"}, {"(", ")"}, {"a\n", "\nb"}} {
			whole := around[0] + text + around[1]
			if masked := secret.Mask(whole); masked != whole {
				t.Errorf("%q became %q", whole, masked)
			}
		}
	}
}

// Half a key has no end line of its own; the next END line may be that of another block.
func TestUnfinishedKeysAreMasked(t *testing.T) {
	key := "-----BEGIN RSA PRIVATE" + " KEY-----\n" + body(64) + "\n" + body(64)
	certificate := "-----BEGIN CERTIFICATE-----\n" + body(64) + "\n-----END CERTIFICATE-----"
	for _, c := range []struct{ name, after string }{
		{"ACertificateFollows", "\n…\n" + certificate},
		{"AFinishedKeyIsNamedInProse", "\n… begins with -----BEGIN X----- and ends with -----END X-----"},
		{"TheEndLineIsCut", "\n-----END RSA PRIV…"},
		{"TheEndLineIsTooLong", "\n-----END " + strings.Repeat("x", 200) + "-----"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, want := secret.Mask(key+c.after), "[secret: private-key]"+c.after; got != want {
				t.Errorf("%q, want %q", got, want)
			}
		})
	}
}

func TestPrivatePartsAreDropped(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"a <private>b</private> c", "a  c"},
		{"<private>all</private>", ""},
		{"a<PRIVATE>b\nc</Private>d", "ad"},
		{"a<private>b<private>c</private>d</private>e", "ae"},
		{"a<private>b</private>c<private>d</private>e", "ace"},
		{"a</private>b<private>c", "a</private>b<private>c"},
		{"a<private>b<private>c</private>d", "a<private>bd"},
		{"nothing to drop</p>", "nothing to drop</p>"},
	} {
		var cleaner secret.Cleaner
		if got := cleaner.Clean(c.text); got != c.want {
			t.Errorf("%q became %q, want %q", c.text, got, c.want)
		}
	}
}

func TestWarningsSayWhatWasTakenOut(t *testing.T) {
	var c secret.Cleaner
	key := "AKIA" + upper(16)
	c.Clean(key + " and " + key + " and ghp_" + body(36) + "<private>x</private>")
	want := "3 secrets were replaced (aws-key ×2, github-token), 1 private part was dropped"
	if got := strings.Join(c.Warnings(), "|"); got != want {
		t.Errorf("warnings are %q, want %q", got, want)
	}
	if none := (&secret.Cleaner{}).Warnings(); none != nil {
		t.Errorf("nothing was taken out, and the warnings are %q", none)
	}
}

func TestSecretsWithinPropertiesAreReplaced(t *testing.T) {
	var c secret.Cleaner
	key := "AKIA" + upper(16)
	before := map[string]any{"list": []any{"plain", key, map[string]any{"deep": key}}, "db_password": "hun" + "ter2", "n": 1.5, key: true}
	after := c.CleanValue(before).(map[string]any)
	list := after["list"].([]any)
	if list[0] != "plain" || list[1] != "[secret: aws-key]" || list[2].(map[string]any)["deep"] != "[secret: aws-key]" ||
		after["db_password"] != "[secret: password]" || after["n"] != 1.5 || after["[secret: aws-key]"] != true {
		t.Errorf("properties became %v", after)
	}
	if before["db_password"] != "hun"+"ter2" || c.Count() != 4 {
		t.Errorf("the argument became %v, count %d", before, c.Count())
	}
}

func FuzzMask(f *testing.F) {
	for _, p := range positives {
		f.Add(p.text)
	}
	for _, text := range negatives {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		at := 0
		for _, one := range secret.Find(text) {
			if one.Start < at || one.End <= one.Start || one.End > len(text) {
				t.Fatalf("%v in %d bytes after %d", one, len(text), at)
			}
			at = one.End
		}
		// The text may contain the same letters within a longer word, which is not a key.
		line := "\n" + "AKIA" + upper(16) + "\n"
		if masked := secret.Mask(text + line + text); strings.Contains(masked, line) {
			t.Fatalf("a key stays in %q", masked)
		}
		var c secret.Cleaner
		c.Clean(text)
	})
}
