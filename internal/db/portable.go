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

// givenCall matches the call with which a statement reads a list of rows (see Given).
var givenCall = regexp.MustCompile(`\bgiven\(\?(\d*)\)`)

// portable returns a statement without given, which the engine of a cluster's node does not
// have: the statement reads the rows from JSON instead.
func portable(s Stmt) (Stmt, error) {
	calls := givenCall.FindAllStringSubmatch(s.SQL, -1)
	if len(calls) == 0 {
		return s, nil
	}
	args := append([]any{}, s.Args...)
	replacements := map[string]string{}
	for _, call := range calls {
		number := 1
		if call[1] != "" {
			number, _ = strconv.Atoi(call[1])
		}
		if _, ok := replacements[call[0]]; ok {
			continue
		}
		list, ok := args[number-1].([]byte)
		if !ok {
			return s, fmt.Errorf("db: given reads argument %d, which is a %T", number, args[number-1])
		}
		text, hasObjects, err := givenJSON(list)
		if err != nil {
			return s, err
		}
		args[number-1] = text
		replacements[call[0]] = givenTable(lastColumn(s.SQL), hasObjects, "?"+call[1])
	}
	s.SQL = givenCall.ReplaceAllStringFunc(s.SQL, func(call string) string { return replacements[call] })
	s.Args = args
	return s, nil
}

// givenTable returns a subquery that replaces given: it reads the columns c1, c2 … from the JSON
// list of rows in the argument list. hasObjects says that some values are objects: the bytes of a
// text in hex, or the parts of a number, see jsonReal.
func givenTable(columns int, hasObjects bool, list string) string {
	key := fmt.Sprint(columns, hasObjects, list)
	if text, ok := givenTables.Load(key); ok {
		return text.(string)
	}
	parts := make([]string, columns)
	for i := range parts {
		value := fmt.Sprintf("value ->> %d", i)
		if hasObjects {
			member := func(name string) string { return fmt.Sprintf("value ->> '$[%d].%s'", i, name) }
			value = fmt.Sprintf("case when json_type(value, '$[%d]') is not 'object' then %s"+
				" when %s is not null then cast(unhex(%s) as text)"+
				" else cast(%s as real) / (%s) / (%s) end", i, value, member("t"), member("t"), member("m"), member("d"), member("e"))
		}
		parts[i] = fmt.Sprintf("%s as c%d", value, i+1)
	}
	text := "(select " + strings.Join(parts, ", ") + " from json_each(" + list + "))"
	givenTables.Store(key, text)
	return text
}

var givenTables sync.Map // cache of givenTable, by its arguments, which are few

// givenColumn matches a column of a list of rows: c1, c2 …
var givenColumn = regexp.MustCompile(`\bc(\d+)\b`)

// lastColumn returns the highest number of a column that a statement reads. The rows may have
// fewer columns; then the others are null.
func lastColumn(statement string) (last int) {
	for _, column := range givenColumn.FindAllStringSubmatch(statement, -1) {
		if n, err := strconv.Atoi(column[1]); err == nil {
			last = max(last, n)
		}
	}
	return max(last, 1)
}

// givenJSON returns the bytes of a Given as JSON. hasObjects is true if some values are objects,
// because JSON, or the engine that reads it, would change them.
func givenJSON(list []byte) (text string, hasObjects bool, err error) {
	var out strings.Builder
	out.WriteByte('[')
	for offset := 0; offset < len(list); {
		if offset > 0 {
			out.WriteByte(',')
		}
		count := int(list[offset])
		offset++
		out.WriteByte('[')
		for i := range count {
			if i > 0 {
				out.WriteByte(',')
			}
			value, isObject, next, err := givenValue(list, offset)
			if err != nil {
				return "", false, err
			}
			out.WriteString(value)
			hasObjects, offset = hasObjects || isObject, next
		}
		out.WriteByte(']')
	}
	out.WriteByte(']')
	return out.String(), hasObjects, nil
}

// givenValue returns the value at an offset as JSON, and the offset after it.
func givenValue(list []byte, offset int) (value string, isObject bool, next int, err error) {
	tag := list[offset]
	offset++
	switch tag {
	case tagNull:
		return "null", false, offset, nil
	case tagInteger:
		return strconv.FormatInt(int64(binary.LittleEndian.Uint64(list[offset:])), 10), false, offset + 8, nil
	case tagReal:
		value, isObject = jsonReal(math.Float64frombits(binary.LittleEndian.Uint64(list[offset:])))
		return value, isObject, offset + 8, nil
	case tagText:
		size := int(binary.LittleEndian.Uint32(list[offset:]))
		text := string(list[offset+4 : offset+4+size])
		offset += 4 + size
		if !utf8.ValidString(text) || strings.IndexByte(text, 0) >= 0 {
			return `{"t":"` + hex.EncodeToString([]byte(text)) + `"}`, true, offset, nil
		}
		quoted, err := json.Marshal(text)
		return string(quoted), false, offset, err
	}
	return "", false, 0, fmt.Errorf("db: given has a value of tag %d", tag)
}

// jsonReal returns a number as JSON. The engine reads decimal numbers of up to 15 digits exactly.
// Another number becomes an object with a whole number and two powers of two by which the
// statement divides it, which is exact too; isObject is then true.
func jsonReal(v float64) (text string, isObject bool) {
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
