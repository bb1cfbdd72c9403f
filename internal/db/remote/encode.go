package remote

import (
	"bytes"
	"database/sql/driver"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Statement is one statement with its arguments, of the types that database/sql accepts.
type Statement struct {
	SQL  string
	Args []any
}

// encode returns statements as JSON for rqlite: a list of [text, argument, …]. It sends some
// values as hex, which the statement decodes, so that every value arrives unchanged: blobs,
// which rqlite 8 does not accept; texts like x'41', which rqlite 10 treats as blobs; and texts
// that are not valid UTF-8, which JSON cannot represent.
func encode(statements []Statement) ([]byte, error) {
	lists := make([][]any, len(statements))
	for i, s := range statements {
		list := make([]any, 1, 1+len(s.Args))
		forms := map[int]string{}
		for index, arg := range s.Args {
			value, form, err := encodeValue(arg)
			if err != nil {
				return nil, fmt.Errorf("argument %d: %w", index+1, err)
			}
			if form != "" {
				forms[index+1] = form
			}
			list = append(list, value)
		}
		list[0] = s.SQL
		if len(forms) > 0 {
			list[0] = wrapParameters(s.SQL, forms)
		}
		lists[i] = list
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	err := e.Encode(lists)
	return out.Bytes(), err
}

// The expressions with which a statement decodes hex.
const (
	asBlob = "unhex(%s)"
	asText = "cast(unhex(%s) as text)"
)

// encodeValue returns the JSON value for an argument, and the expression with which the
// statement decodes it, "" if it needs none.
func encodeValue(arg any) (value any, form string, err error) {
	converted, err := driver.DefaultParameterConverter.ConvertValue(arg)
	if err != nil {
		return nil, "", err
	}
	switch v := converted.(type) {
	case nil, int64:
		return v, "", nil
	case bool:
		if v {
			return 1, "", nil
		}
		return 0, "", nil
	case float64:
		value, err = encodeReal(v)
		return value, "", err
	case []byte:
		if v == nil {
			return nil, "", nil
		}
		return hex.EncodeToString(v), asBlob, nil
	case string:
		if utf8.ValidString(v) && !looksLikeBlob(v) {
			return v, "", nil
		}
		return hex.EncodeToString([]byte(v)), asText, nil
	}
	return nil, "", fmt.Errorf("a %T cannot be sent to a cluster", converted)
}

// encodeReal returns a number as JSON that SQLite reads as a real number. NaN becomes null, as
// SQLite stores it. It fails for infinity.
func encodeReal(v float64) (any, error) {
	if math.IsNaN(v) {
		return nil, nil
	}
	if math.IsInf(v, 0) {
		return nil, fmt.Errorf("%v cannot be sent to a cluster", v)
	}
	text := strconv.FormatFloat(v, 'g', -1, 64)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return json.RawMessage(text), nil
}

// looksLikeBlob reports whether rqlite might treat a text as a blob.
func looksLikeBlob(text string) bool {
	t := strings.TrimSpace(text)
	return len(t) >= 3 && (t[0] == 'x' || t[0] == 'X') && t[1] == '\'' && t[len(t)-1] == '\''
}

// wrapParameters returns a statement with its parameters, ? or ?3, wrapped in the expressions for
// their numbers.
func wrapParameters(text string, forms map[int]string) string {
	var out strings.Builder
	largest := 0
	for _, token := range Tokens(text) {
		if token[0] != '?' {
			out.WriteString(token)
			continue
		}
		number := largest + 1
		if token != "?" {
			number, _ = strconv.Atoi(token[1:])
		}
		largest = max(largest, number)
		if form := forms[number]; form != "" {
			token = fmt.Sprintf(form, token)
		}
		out.WriteString(token)
	}
	return out.String()
}
