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
// value arrives as it is. rqlite takes a text like x'41' for a blob, and JSON has no
// bytes that are not UTF-8: such texts travel as blobs, and the statement casts them.
func encode(statements []Statement) ([]byte, error) {
	lists := make([][]any, len(statements))
	for i, s := range statements {
		list := make([]any, 1, 1+len(s.Args))
		odd := map[int]bool{}
		for n, arg := range s.Args {
			value, isOdd, err := encodeValue(arg)
			if err != nil {
				return nil, fmt.Errorf("argument %d: %w", n+1, err)
			}
			if isOdd {
				odd[n+1] = true
			}
			list = append(list, value)
		}
		list[0] = s.SQL
		if len(odd) > 0 {
			list[0] = castParameters(s.SQL, odd)
		}
		lists[i] = list
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	err := e.Encode(lists)
	return out.Bytes(), err
}

// encodeValue returns a value of JSON for an argument, and whether the statement must
// cast it to text.
func encodeValue(arg any) (value any, odd bool, err error) {
	plain, err := driver.DefaultParameterConverter.ConvertValue(arg)
	if err != nil {
		return nil, false, err
	}
	switch v := plain.(type) {
	case nil:
		return nil, false, nil
	case int64:
		return v, false, nil
	case bool:
		if v {
			return 1, false, nil
		}
		return 0, false, nil
	case float64:
		return encodeReal(v)
	case []byte:
		if v == nil {
			return nil, false, nil
		}
		return blob(v), false, nil
	case string:
		if utf8.ValidString(v) && !looksLikeBlob(v) {
			return v, false, nil
		}
		return blob([]byte(v)), true, nil
	}
	return nil, false, fmt.Errorf("a %T cannot be sent to a cluster", plain)
}

// encodeReal writes a number so that it is read as a real one. SQLite stores NaN as
// null.
func encodeReal(v float64) (any, bool, error) {
	if math.IsNaN(v) {
		return nil, false, nil
	}
	if math.IsInf(v, 0) {
		return nil, false, fmt.Errorf("%v cannot be sent to a cluster", v)
	}
	text := strconv.FormatFloat(v, 'g', -1, 64)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return json.RawMessage(text), false, nil
}

func blob(bytes []byte) string { return "X'" + strings.ToUpper(hex.EncodeToString(bytes)) + "'" }

// looksLikeBlob reports whether rqlite might take a text for a blob.
func looksLikeBlob(text string) bool {
	t := strings.TrimSpace(text)
	return len(t) >= 3 && (t[0] == 'x' || t[0] == 'X') && t[1] == '\'' && t[len(t)-1] == '\''
}

// castParameters replaces the parameters of the given numbers, ? or ?3, by casts to text.
func castParameters(text string, numbers map[int]bool) string {
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
		if numbers[number] {
			token = "cast(" + token + " as text)"
		}
		out.WriteString(token)
	}
	return out.String()
}
