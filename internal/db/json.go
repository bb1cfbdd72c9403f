package db

import (
	"bytes"
	"encoding/json"
	"math"

	"hence/internal/fault"
)

// Properties is a JSON object, such as the properties of a memory. Whole numbers of up to 64
// bits are int64, as in SQLite, so that an id of 19 digits stays exact. Other numbers are
// float64; other values are as encoding/json decodes them.
type Properties map[string]any

// UnmarshalJSON adds the members of an object; null makes a nil map.
func (p *Properties) UnmarshalJSON(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	members := map[string]any(*p)
	if err := d.Decode(&members); err != nil {
		return err
	}
	for name, value := range members {
		converted, err := plainNumbers(value)
		if err != nil {
			return err
		}
		members[name] = converted
	}
	*p = members
	return nil
}

// maxExact is the limit below which a float64 represents every whole number.
const maxExact = 1 << 53

// plainNumbers returns a value with its json.Numbers replaced by int64 and float64.
func plainNumbers(value any) (any, error) {
	var err error
	switch v := value.(type) {
	case json.Number:
		if whole, err := v.Int64(); err == nil {
			return whole, nil
		}
		var number float64
		if err := json.Unmarshal([]byte(v), &number); err != nil {
			return nil, err
		}
		if number == math.Trunc(number) && math.Abs(number) < maxExact {
			return int64(number), nil // 1e3, and 5.0
		}
		return number, nil
	case []any:
		for i := range v {
			if v[i], err = plainNumbers(v[i]); err != nil {
				return nil, err
			}
		}
	case map[string]any:
		for name := range v {
			if v[name], err = plainNumbers(v[name]); err != nil {
				return nil, err
			}
		}
	}
	return value, nil
}

// ReadColumn decodes a JSON column of a memory (tags, aliases or properties) into target, a
// pointer. name is the memory's id, or the path of a note. It fails with unavailable, and
// names the memory, for a value that was written while the schema's checks were off.
func ReadColumn(name, column, text string, target any) error {
	if json.Unmarshal([]byte(text), target) != nil {
		return fault.New(fault.Unavailable, "memory %s cannot be read, because its %s are %.80q; hence doctor says how to mend it", name, column, text)
	}
	return nil
}
