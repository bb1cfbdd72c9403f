package secret

import "strings"

// assignments finds the value where a name that means a secret is given one:
// DB_PASSWORD=…, "api_key": "…", ;Password=…;. A sentence about a password is not an
// assignment, so the value must look like one too: see secretValue.
func assignments(text string) (secrets []Found) {
	for at := 0; at < len(text); at++ {
		if text[at] != '=' && text[at] != ':' {
			continue
		}
		name, start := nameBefore(text, at)
		role := roleOf(name)
		if role == "" {
			continue
		}
		from := at + 1
		for from < len(text) && from-at <= 3 && (text[from] == '=' || text[from] == ' ' || text[from] == '>') {
			from++
		}
		quoted := from < len(text) && strings.IndexByte("\"'`", text[from]) >= 0
		if quoted {
			from++
		}
		end := from
		for end < len(text) && end-from < maxValue && text[end] > ' ' && strings.IndexByte("\"'`;,&<>()[]{}|\\", text[end]) < 0 {
			end++
		}
		value := text[from:end]
		listed := start > 0 && text[start-1] == ';' || end < len(text) && text[end] == ';' && text[at] == '='
		sign := text[at]
		if quoted && sign == ':' {
			sign = '=' // of a program or of JSON
		}
		if secretValue(role, name, value, sign, listed) {
			secrets = append(secrets, Found{role, from, end})
			at = end - 1
		} else if end-from > maxName { // too long for another assignment in it to matter
			at = end - 1
		}
	}
	return secrets
}

const (
	maxValue = 512 // bytes of a value that are looked at
	maxName  = 60  // bytes of a name, from its end
)

// nameBefore returns the name that stands before a sign, and where it begins. Of a
// longer name than maxName it returns the end.
func nameBefore(text string, sign int) (string, int) {
	end := sign
	for range 2 { // a quote, and a space
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

// The roles of names.
const (
	password = "password"
	key      = "secret-value"
)

var separators = strings.NewReplacer("_", "", "-", "", ".", "")

// roleOf returns what a name says that its value is: a password, another secret, or
// "" for none.
func roleOf(name string) string {
	if len(name) < 3 || strings.IndexByte("dDeEnNtTyY", name[len(name)-1]) < 0 { // the last letters of all of them
		return ""
	}
	plain := separators.Replace(strings.ToLower(name))
	for _, word := range []string{"password", "passwd", "passphrase", "pwd"} {
		if strings.HasSuffix(plain, word) {
			return password
		}
	}
	for _, word := range []string{"secret", "token", "apikey", "secretkey", "accesskey", "accountkey", "privatekey", "authkey", "signingkey", "encryptionkey", "masterkey", "presharedkey", "credential"} {
		if strings.HasSuffix(plain, word) {
			return key
		}
	}
	return ""
}

// secretValue reports whether a value looks like a secret of a role: a password by
// its kinds of letters, and by less where a program or a file of settings gives it;
// another secret by 16 letters and digits in a row, or 32 of base 64.
func secretValue(role, name, value string, sign byte, listed bool) bool {
	if len(value) < 6 || isReference(value) || isPlaceholder(value) {
		return false
	}
	k := kindsOf(value)
	if role == password {
		inSettings := sign == '=' && (name == strings.ToUpper(name) || listed)
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
		len(value) >= 32 && k.lower > 0 && k.upper > 0 && longestRun(value) >= 32
}

// longestRun returns how many letters of base 64 stand in a row.
func longestRun(text string) (most int) {
	run := 0
	for i := range len(text) {
		if c := text[i]; isAlnum(c) || c == '+' || c == '/' || c == '=' {
			run++
			most = max(most, run)
		} else {
			run = 0
		}
	}
	return most
}
