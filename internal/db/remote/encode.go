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

// Statement is one statement with its arguments, of the types that database/sql takes.
type Statement struct {
	SQL  string
	Args []any
}

// encode returns statements as rqlite reads them: a list of [text, argument, …]. Every
// value arrives as it is. rqlite 8 takes no blobs, rqlite 10 takes a text like x'41' for
// one, and JSON has no bytes that are not UTF-8: all of these travel as hex, and the
// statement reads it.
func encode(statements []Statement) ([]byte, error) {
	lists := make([][]any, len(statements))
	for i, s := range statements {
		list := make([]any, 1, 1+len(s.Args))
		odd := map[int]string{}
		for n, arg := range s.Args {
			value, form, err := encodeValue(arg)
			if err != nil {
				return nil, fmt.Errorf("argument %d: %w", n+1, err)
			}
			if form != "" {
				odd[n+1] = form
			}
			list = append(list, value)
		}
		list[0] = s.SQL
		if len(odd) > 0 {
			list[0] = formParameters(s.SQL, odd)
		}
		lists[i] = list
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	err := e.Encode(lists)
	return out.Bytes(), err
}

// The forms in which a statement reads hex.
const (
	asBlob = "unhex(%s)"
	asText = "cast(unhex(%s) as text)"
)

// encodeValue returns a value of JSON for an argument, and the form in which the statement
// reads it, "" if as it is.
func encodeValue(arg any) (value any, form string, err error) {
	plain, err := driver.DefaultParameterConverter.ConvertValue(arg)
	if err != nil {
		return nil, "", err
	}
	switch v := plain.(type) {
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
	return nil, "", fmt.Errorf("a %T cannot be sent to a cluster", plain)
}

// encodeReal writes a number so that it is read as a real one. SQLite stores NaN as
// null.
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

// looksLikeBlob reports whether rqlite might take a text for a blob.
func looksLikeBlob(text string) bool {
	t := strings.TrimSpace(text)
	return len(t) >= 3 && (t[0] == 'x' || t[0] == 'X') && t[1] == '\'' && t[len(t)-1] == '\''
}

// formParameters puts the parameters of the given numbers, ? or ?3, into forms.
func formParameters(text string, forms map[int]string) string {
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
