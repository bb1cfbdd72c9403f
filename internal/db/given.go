package db

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
)

// Given are rows as one argument of a statement, which reads them from given(?). The
// columns are c1 to c32; those that a row does not have are null. That takes a tenth
// of the time of json_each. The zero value holds no rows.
type Given struct {
	bytes []byte
	row   int // place of the count of the last row's values
}

// NewGiven returns an empty list with room for a number of bytes.
func NewGiven(bytes int) Given { return Given{bytes: make([]byte, 0, bytes)} }

const maxColumns = 32 // of given

// The tags of values, as given.c reads them.
const (
	tagNull = iota
	tagInteger
	tagText
	tagReal
)

// Row starts a row with values, which go into its columns in order: a text, a number, a
// bool (1 or 0), nil (null), or a pointer to one.
func (g *Given) Row(values ...any) {
	g.row = len(g.bytes)
	g.bytes = append(g.bytes, 0)
	g.Add(values...)
}

// Add adds values to the last row.
func (g *Given) Add(values ...any) {
	for _, value := range values {
		g.add(value)
	}
}

func (g *Given) add(value any) {
	switch v := value.(type) {
	case nil:
		g.tag(tagNull)
	case string:
		g.tag(tagText)
		g.bytes = binary.LittleEndian.AppendUint32(g.bytes, uint32(len(v)))
		g.bytes = append(g.bytes, v...)
	case int64:
		g.tag(tagInteger)
		g.bytes = binary.LittleEndian.AppendUint64(g.bytes, uint64(v))
	case float64:
		g.tag(tagReal)
		g.bytes = binary.LittleEndian.AppendUint64(g.bytes, math.Float64bits(v))
	case int:
		g.add(int64(v))
	case bool:
		n := int64(0)
		if v {
			n = 1
		}
		g.add(n)
	case *string:
		addAt(g, v)
	case *int64:
		addAt(g, v)
	case *float64:
		addAt(g, v)
	case *bool:
		addAt(g, v)
	case **string:
		addAt(g, v)
	case **float64:
		addAt(g, v)
	default:
		panic("db: given takes no " + reflect.TypeOf(value).String())
	}
}

// addAt adds the value behind a pointer, null for nil.
func addAt[T any](g *Given, at *T) {
	if at == nil {
		g.add(nil)
	} else {
		g.add(*at)
	}
}

func (g *Given) tag(tag byte) {
	if g.bytes[g.row] == maxColumns {
		panic(fmt.Sprintf("db: a row of given has at most %d columns", maxColumns))
	}
	g.bytes[g.row]++
	g.bytes = append(g.bytes, tag)
}

// Len is the number of bytes that the rows take.
func (g *Given) Len() int { return len(g.bytes) }

// Arg returns the rows as an argument. They must not be changed afterwards.
func (g *Given) Arg() []byte {
	if g.bytes == nil {
		return []byte{}
	}
	return g.bytes
}
