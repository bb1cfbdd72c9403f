package db

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"math"
	"reflect"
	"time"

	"github.com/google/uuid"

	"hence/internal/fault"
)

// Cursor encodes the place where a page of a list ended, as a short text that is opaque to
// callers. list names the list and its order, so that another list refuses the cursor. end is
// a struct of numbers, texts and booleans, one of these, or bytes.
func Cursor(list string, end any) string {
	sum := sha256.Sum256([]byte(list))
	return base64.RawURLEncoding.EncodeToString(pack(sum[:sumOfList], reflect.ValueOf(end)))
}

const sumOfList = 2 // bytes; more would not fit the cursor of a short page of a search

// ReadCursor decodes a cursor of the list into at; "" leaves at unchanged. It fails
// with invalid_argument for a text that is not a cursor of this list.
func ReadCursor(operation, list, text string, at any) error {
	if text == "" {
		return nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(text)
	target := reflect.New(reflect.TypeOf(at).Elem()).Elem()
	sum := sha256.Sum256([]byte(list))
	if err != nil || len(raw) < sumOfList || string(raw[:sumOfList]) != string(sum[:sumOfList]) || !unpack(raw[sumOfList:], target) || Cursor(list, target.Interface()) != text {
		return fault.New(fault.InvalidArgument, "%s: the cursor is not one of this list; start again without it", operation)
	}
	reflect.ValueOf(at).Elem().Set(target)
	return nil
}

// The forms of a text in a cursor: a time or an id is packed, any other is preceded by its
// length, plus formOther.
const (
	formTime = iota
	formID
	formOther
)

// pack appends a value to a cursor.
func pack(to []byte, v reflect.Value) []byte {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			to = pack(to, v.Field(i))
		}
		return to
	case reflect.Int, reflect.Int64:
		return binary.AppendVarint(to, v.Int())
	case reflect.Bool:
		return append(to, map[bool]byte{true: 1}[v.Bool()])
	case reflect.Float64:
		return binary.BigEndian.AppendUint64(to, math.Float64bits(v.Float()))
	case reflect.Slice:
		return append(to, v.Bytes()...)
	case reflect.String:
	default:
		panic("no cursor holds a " + v.Type().String())
	}
	text := v.String()
	if t, err := time.Parse(time.RFC3339Nano, text); err == nil && Time(t) == text {
		return binary.AppendVarint(append(to, formTime), t.UnixMilli())
	}
	if id, err := uuid.Parse(text); err == nil && id.String() == text {
		return append(append(to, formID), id[:]...)
	}
	return append(binary.AppendUvarint(to, uint64(len(text))+formOther), text...)
}

// unpack reads a value from a cursor, and reports whether the cursor holds one and no more.
func unpack(from []byte, v reflect.Value) bool {
	if v.Kind() == reflect.Slice {
		v.SetBytes(from)
		return true
	}
	ok := unpackPart(&from, v)
	return ok && len(from) == 0
}

func unpackPart(from *[]byte, v reflect.Value) bool {
	take := func(n int) []byte {
		if n < 0 || n > len(*from) {
			return nil
		}
		part := (*from)[:n]
		*from = (*from)[n:]
		return part
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if !unpackPart(from, v.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Int, reflect.Int64:
		n, size := binary.Varint(*from)
		v.SetInt(n)
		return size > 0 && take(size) != nil
	case reflect.Bool:
		truth := take(1)
		v.SetBool(truth != nil && truth[0] == 1)
		return truth != nil
	case reflect.Float64:
		bits := take(8)
		if bits != nil {
			v.SetFloat(math.Float64frombits(binary.BigEndian.Uint64(bits)))
		}
		return bits != nil
	}
	form, size := binary.Uvarint(*from)
	if size <= 0 || take(size) == nil {
		return false
	}
	switch form {
	case formTime:
		ms, size := binary.Varint(*from)
		v.SetString(Time(time.UnixMilli(ms)))
		return size > 0 && take(size) != nil
	case formID:
		id, err := uuid.FromBytes(take(len(uuid.UUID{})))
		v.SetString(id.String())
		return err == nil
	}
	if form-formOther > uint64(len(*from)) {
		return false
	}
	v.SetString(string(take(int(form - formOther))))
	return true
}

// Mark is a place in a list that is read from its beginning for each page: how many entries are
// before it, and a checksum of the last of them. As a cursor it is short, whatever the entries
// are sorted by.
type Mark struct {
	Count int
	Sum   int64
}

// NewMark returns the mark behind a number of entries, of which the last has the name.
func NewMark(count int, last string) Mark {
	sum := sha256.Sum256([]byte(last))
	return Mark{count, int64(binary.BigEndian.Uint32(sum[:]))}
}

// Skip returns how many of n entries are before the mark. It finds the entry that was the last
// one, wherever that is now; if that is gone, the next one has taken its place.
func (m Mark) Skip(n int, name func(i int) string) int {
	if m.Count <= 0 {
		return 0
	}
	last := min(m.Count, n) - 1
	for distance := range n {
		for _, i := range []int{last - distance, last + distance} {
			if i >= 0 && i < n && NewMark(0, name(i)).Sum == m.Sum {
				return i + 1
			}
		}
	}
	return max(last, 0)
}
