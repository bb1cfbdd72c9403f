package db

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
)

// Given is a list of rows as one argument of a statement, which reads them from given(?). The
// columns are c1 to c32; those that a row does not have are null. That takes a tenth of the
// time of json_each. The zero value has no rows.
type Given struct {
	bytes []byte
	row   int // offset of the last row, which begins with the number of its values
}

// NewGiven returns an empty list with a capacity in bytes.
func NewGiven(bytes int) Given { return Given{bytes: make([]byte, 0, bytes)} }

const maxColumns = 32 // columns of given

// The tags of values; given.c has the same ones.
const (
	tagNull = iota
	tagInteger
	tagText
	tagReal
)

// Row adds a row with the given values in its columns: each a string, an int, int64 or float64,
// a bool (stored as 1 or 0), nil (null), or a pointer to one.
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

// add adds one value to the last row.
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
		addPointer(g, v)
	case *int64:
		addPointer(g, v)
	case *float64:
		addPointer(g, v)
	case *bool:
		addPointer(g, v)
	case **string:
		addPointer(g, v)
	case **float64:
		addPointer(g, v)
	default:
		panic("db: given takes no " + reflect.TypeOf(value).String())
	}
}

// addPointer adds the value to which a pointer points, null for nil.
func addPointer[T any](g *Given, p *T) {
	if p == nil {
		g.add(nil)
	} else {
		g.add(*p)
	}
}

// tag adds the tag of a value and counts the value. It panics if the row has maxColumns values.
func (g *Given) tag(tag byte) {
	if g.bytes[g.row] == maxColumns {
		panic(fmt.Sprintf("db: a row of given has at most %d columns", maxColumns))
	}
	g.bytes[g.row]++
	g.bytes = append(g.bytes, tag)
}

// Len returns the size of the rows in bytes.
func (g *Given) Len() int { return len(g.bytes) }

// Arg returns the rows as an argument of a statement. The list must not be changed afterwards.
func (g *Given) Arg() []byte {
	if g.bytes == nil {
		return []byte{}
	}
	return g.bytes
}
