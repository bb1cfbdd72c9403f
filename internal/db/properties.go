package db

import (
	"bytes"
	"encoding/json"
	"math"
)

// Properties are a JSON object, such as the properties of a memory. Whole numbers of
// 64 bits are int64, as in SQLite, so that an id of 19 digits stays exact. Other
// numbers are float64; the rest is as encoding/json decodes it.
type Properties map[string]any

// UnmarshalJSON adds the members of an object; null makes a nil map.
func (p *Properties) UnmarshalJSON(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	all := map[string]any(*p)
	if err := d.Decode(&all); err != nil {
		return err
	}
	for name, value := range all {
		plain, err := plainNumbers(value)
		if err != nil {
			return err
		}
		all[name] = plain
	}
	*p = all
	return nil
}

// exact is the bound below which a float64 holds every whole number.
const exact = 1 << 53

// plainNumbers replaces the json.Numbers in a value by int64 and float64.
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
		if number == math.Trunc(number) && math.Abs(number) < exact {
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
