package secret

import (
	"strings"

	"hence/internal/pattern"
)

// assignments returns the values that are assigned to names of secrets: DB_PASSWORD=…,
// "api_key": "…", ;Password=…;. Because a sentence about a password may look like an
// assignment, the value must look like a secret too: see isSecret.
func assignments(text string) (secrets []Found) {
	for sign := 0; sign < len(text); sign++ {
		if text[sign] != '=' && text[sign] != ':' {
			continue
		}
		name, start := nameBefore(text, sign)
		role := roleOf(name)
		if role == "" {
			continue
		}
		offset := sign + 1
		for offset < len(text) && offset-sign <= 3 && (text[offset] == '=' || text[offset] == ' ' || text[offset] == '>') {
			offset++
		}
		quoted := offset < len(text) && strings.IndexByte(quotes, text[offset]) >= 0
		operator := text[sign]
		if quoted {
			offset++
			operator = '=' // an assignment in a program or in JSON
		}
		isListed, end := start > 0 && text[start-1] == ';', bareEnd(text, offset, maxValue)
		isOne := isSecret(role, name, text[offset:end], operator, isListed || end < len(text) && text[end] == ';' && text[sign] == '=')
		if closed := quoteEnd(text, offset); quoted && closed >= 0 {
			word, _, hasSpace := strings.Cut(text[offset:closed], " ") // a sentence may be in quotes
			isOne = isOne || !hasSpace && !strings.Contains(word, "${") && isSecret(role, name, word, operator, isListed)
			if isOne {
				end = closed
			}
		}
		if isOne {
			if end-offset >= maxValue { // it continues
				end = bareEnd(text, end, len(text))
			}
			secrets = append(secrets, Found{role, offset, end})
			sign = end - 1
		} else if end-offset > maxName { // no name is that long, so there is no other assignment in it
			sign = end - 1
		}
	}
	return secrets
}

const quotes = "\"'`"

// bareEnd returns the end of a value without quotes, which has at most limit bytes.
func bareEnd(text string, offset, limit int) int {
	end := offset
	for end < len(text) && end-offset < limit && text[end] > ' ' && strings.IndexByte(quotes+";,&<>()[]{}|\\", text[end]) < 0 {
		end++
	}
	return end
}

// quoteEnd returns the offset of the quote that ends the value at an offset, after one, on its line;
// -1 if there is none within maxValue. A quote after a backslash is of the value, and so is a doubled '.
func quoteEnd(text string, offset int) int {
	for end := offset; end < len(text) && end-offset <= maxValue && text[end] != '\n'; end++ {
		switch quote := text[max(0, offset-1)]; {
		case text[end] == '\\':
			end++
		case text[end] != quote:
		case quote == '\'' && end > offset && end+1 < len(text) && text[end+1] == quote:
			end++
		default:
			return end
		}
	}
	return -1
}

const (
	maxValue = 512 // bytes examined of a value
	maxName  = 60  // bytes examined of a name, from its end
)

// nameBefore returns the name before the sign at an offset, and the offset of the name. It
// returns only the last maxName bytes of a longer name.
func nameBefore(text string, sign int) (string, int) {
	end := sign
	for range 2 { // skip a quote and a space
		if end > 0 && strings.IndexByte("\"'` ", text[end-1]) >= 0 {
			end--
		}
	}
	start := end
	for start > 0 && end-start < maxName && (isWord(text[start-1]) || text[start-1] == '-' || text[start-1] == '.') {
		start--
	}
	return text[start:end], start
}

// The roles of names, which are also kinds of secret.
const (
	password = "password"
	key      = "secret-value"
)

var separators = strings.NewReplacer("_", "", "-", "", ".", "")

// roleOf returns the role of a name: password, key for another secret, or "" if its value is
// not a secret.
func roleOf(name string) string {
	if len(name) < 3 || strings.IndexByte("dDeEnNtTyY", name[len(name)-1]) < 0 { // none of the words below ends in another letter
		return ""
	}
	folded := separators.Replace(strings.ToLower(name))
	for _, word := range []string{"password", "passwd", "passphrase", "pwd"} {
		if strings.HasSuffix(folded, word) {
			return password
		}
	}
	for _, word := range []string{"secret", "token", "apikey", "secretkey", "accesskey", "accountkey", "privatekey", "authkey", "signingkey", "encryptionkey", "masterkey", "presharedkey", "credential"} {
		if strings.HasSuffix(folded, word) {
			return key
		}
	}
	return ""
}

// isSecret reports whether a value looks like a secret of a role. A password must have several
// kinds of characters, fewer if a program or a file of settings assigns it; sign is = or :, and
// isListed says that the assignment is between semicolons. Another secret must have 16 letters
// and digits in a row, or 32 characters of base 64.
func isSecret(role, name, value string, sign byte, isListed bool) bool {
	if len(value) < 6 || isReference(value) || isPlaceholder(value) {
		return false
	}
	k := kindsOf(value)
	if role == password {
		inSettings := sign == '=' && (name == strings.ToUpper(name) || isListed)
		kinds := 0
		for _, n := range []int{k.lower, k.upper, k.digits, k.signs} {
			kinds += min(n, 1)
		}
		return inSettings || sign == '=' && kinds >= 2 && k.digits+k.signs > 0 || len(value) >= 8 && kinds >= 3
	}
	if k.digits < 2 || k.lower+k.upper == 0 || value[0] == '/' || value[0] == '~' {
		return false
	}
	return isMixed(strings.ReplaceAll(value, "_", "-")) ||
		k.lower > 0 && k.upper > 0 && base64Run().MatchString(value)
}

// base64Run matches 32 characters of base 64.
var base64Run = pattern.Lazy(`[A-Za-z0-9+/=]{32}`)
