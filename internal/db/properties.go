package db

import (
	"bytes"
	"encoding/json"
	"math"
)

// Properties are an object of JSON, such as the properties of a memory, with its
// whole numbers as SQLite keeps them: as int64, so that an id of nineteen digits
// stays what it is. What is no whole number, or none of 64 bits, is a float64;
// the rest is as encoding/json reads it.
type Properties map[string]any

// UnmarshalJSON adds what an object says; null is for none at all.
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

// exact is the least whole number that a float64 may not hold exactly.
const exact = 1 << 53

// plainNumbers returns a value with its numbers as Go has them.
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
