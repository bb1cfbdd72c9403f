package db

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// givenCall is how a statement reads a list of rows.
var givenCall = regexp.MustCompile(`\bgiven\(\?(\d*)\)`)

// portable returns a statement that the engine of a cluster's node can run, which lacks
// given: the rows become JSON, and their columns are read from it.
func portable(s Stmt) (Stmt, error) {
	calls := givenCall.FindAllStringSubmatch(s.SQL, -1)
	if len(calls) == 0 {
		return s, nil
	}
	args := append([]any{}, s.Args...)
	forms := map[string]string{}
	for _, call := range calls {
		place := 1
		if call[1] != "" {
			place, _ = strconv.Atoi(call[1])
		}
		if _, ok := forms[call[0]]; ok {
			continue
		}
		list, ok := args[place-1].([]byte)
		if !ok {
			return s, fmt.Errorf("db: given reads argument %d, which is a %T", place, args[place-1])
		}
		text, odd, err := givenJSON(list)
		if err != nil {
			return s, err
		}
		args[place-1] = text
		forms[call[0]] = givenSelect(lastColumn(s.SQL), odd, "?"+call[1])
	}
	s.SQL = givenCall.ReplaceAllStringFunc(s.SQL, func(call string) string { return forms[call] })
	s.Args = args
	return s, nil
}

// givenSelect is the table that given is, of rows in JSON. An odd value is an object:
// the bytes of a text in hex, or a number in parts, see jsonReal.
func givenSelect(columns int, odd bool, list string) string {
	key := fmt.Sprint(columns, odd, list)
	if text, ok := givenSelects.Load(key); ok {
		return text.(string)
	}
	parts := make([]string, columns)
	for i := range parts {
		value := fmt.Sprintf("value ->> %d", i)
		if odd {
			at := func(member string) string { return fmt.Sprintf("value ->> '$[%d].%s'", i, member) }
			value = fmt.Sprintf("case when json_type(value, '$[%d]') is not 'object' then %s"+
				" when %s is not null then cast(unhex(%s) as text)"+
				" else cast(%s as real) / (%s) / (%s) end", i, value, at("t"), at("t"), at("m"), at("d"), at("e"))
		}
		parts[i] = fmt.Sprintf("%s as c%d", value, i+1)
	}
	text := "(select " + strings.Join(parts, ", ") + " from json_each(" + list + "))"
	givenSelects.Store(key, text)
	return text
}

var givenSelects sync.Map // by the number of columns and the rest: few

// givenColumn is a column of a list of rows: c1, c2 …
var givenColumn = regexp.MustCompile(`\bc(\d+)\b`)

// lastColumn returns the highest number of a column that a statement reads. A list may
// have fewer, or no rows; then they are null.
func lastColumn(statement string) (last int) {
	for _, column := range givenColumn.FindAllStringSubmatch(statement, -1) {
		if n, err := strconv.Atoi(column[1]); err == nil {
			last = max(last, n)
		}
	}
	return max(last, 1)
}

// givenJSON returns rows as given.go packs them as JSON. odd is true if there are values
// that JSON, or the engine's reading of it, would change.
func givenJSON(list []byte) (text string, odd bool, err error) {
	var out strings.Builder
	out.WriteByte('[')
	for at := 0; at < len(list); {
		if at > 0 {
			out.WriteByte(',')
		}
		count := int(list[at])
		at++
		out.WriteByte('[')
		for i := range count {
			if i > 0 {
				out.WriteByte(',')
			}
			value, isOdd, next, err := givenValue(list, at)
			if err != nil {
				return "", false, err
			}
			out.WriteString(value)
			odd, at = odd || isOdd, next
		}
		out.WriteByte(']')
	}
	out.WriteByte(']')
	return out.String(), odd, nil
}

// givenValue returns the value at a place as JSON, and the place after it.
func givenValue(list []byte, at int) (value string, odd bool, next int, err error) {
	tag := list[at]
	at++
	switch tag {
	case tagNull:
		return "null", false, at, nil
	case tagInteger:
		return strconv.FormatInt(int64(binary.LittleEndian.Uint64(list[at:])), 10), false, at + 8, nil
	case tagReal:
		value, odd = jsonReal(math.Float64frombits(binary.LittleEndian.Uint64(list[at:])))
		return value, odd, at + 8, nil
	case tagText:
		size := int(binary.LittleEndian.Uint32(list[at:]))
		text := string(list[at+4 : at+4+size])
		at += 4 + size
		if !utf8.ValidString(text) || strings.IndexByte(text, 0) >= 0 {
			return `{"t":"` + hex.EncodeToString([]byte(text)) + `"}`, true, at, nil
		}
		quoted, err := json.Marshal(text)
		return string(quoted), false, at, err
	}
	return "", false, 0, fmt.Errorf("db: given has a value of tag %d", tag)
}

// jsonReal writes a number. The engine reads decimal numbers exactly up to 15 digits;
// others are a whole number and two powers of two that divide it, which is exact too.
func jsonReal(v float64) (text string, odd bool) {
	if math.IsNaN(v) {
		return "null", false
	}
	if text = strconv.FormatFloat(v, 'g', 15, 64); math.Abs(v) < 1e15 && math.Abs(v) > 1e-5 || v == 0 {
		if exact, err := strconv.ParseFloat(text, 64); err == nil && exact == v {
			if !strings.ContainsAny(text, ".e") {
				text += ".0"
			}
			return text, false
		}
	}
	fraction, exponent := math.Frexp(v)
	shift := 53 - exponent
	if math.IsInf(v, 0) || shift < 0 || shift > 124 {
		return strconv.FormatFloat(v, 'g', -1, 64), false
	}
	first := min(shift, 62)
	return fmt.Sprintf(`{"m":%d,"d":%d,"e":%d}`, int64(fraction*(1<<53)), int64(1)<<first, int64(1)<<(shift-first)), true
}
