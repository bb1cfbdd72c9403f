package db_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hence/internal/db"
)

func TestPropertiesKeepWholeNumbers(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       any
	}{
		{"OfNineteenDigits", `1234567890123456789`, int64(1234567890123456789)},
		{"TheLargest", `9223372036854775807`, int64(math.MaxInt64)},
		{"TheSmallest", `-9223372036854775808`, int64(math.MinInt64)},
		{"OneMoreThanTheLargest", `9223372036854775808`, float64(1 << 63)},
		{"WithAPoint", `5.0`, int64(5)},
		{"WithAnExponent", `1e3`, int64(1000)},
		{"AFraction", `1.10`, 1.1},
		{"ALargeFloat", `1e300`, 1e300},
		{"MinusZero", `-0.0`, int64(0)},
		{"InAList", `[1234567890123456789, "x", null, [true]]`, []any{int64(1234567890123456789), "x", nil, []any{true}}},
		{"InAnObject", `{"a": {"b": 1234567890123456789}}`, map[string]any{"a": map[string]any{"b": int64(1234567890123456789)}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got db.Properties
			if err := json.Unmarshal([]byte(`{"x": `+c.text+`}`), &got); err != nil {
				t.Fatal(err)
			}
			if diff := gocmp.Diff(db.Properties{"x": c.want}, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestPropertiesRefuseWhatIsNone(t *testing.T) {
	for _, text := range []string{`[1]`, `5`, `"x"`, `{"x": 1e999}`, `{"x": [{"y": -1e999}]}`} {
		var got db.Properties
		if err := json.Unmarshal([]byte(text), &got); err == nil {
			t.Errorf("%s was read as %v", text, got)
		}
	}
	var got db.Properties
	if err := json.Unmarshal([]byte(`null`), &got); err != nil || got != nil {
		t.Errorf("null: %v, %v", got, err)
	}
}

// A second call of UnmarshalJSON adds members, as in encoding/json.
func TestPropertiesAreAddedTo(t *testing.T) {
	got := db.Properties{"x": int64(1), "y": 0.5}
	if err := json.Unmarshal([]byte(`{"y": 2, "z": null}`), &got); err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(db.Properties{"x": int64(1), "y": int64(2), "z": nil}, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// Except for the types of numbers, Properties decode as with encoding/json, and encoded ones decode
// to the same value.
func TestPropertiesAreWhatPackageJSONReads(t *testing.T) {
	number := rapid.OneOf(
		rapid.Map(rapid.Float64(), func(f float64) any { return f }),
		rapid.Map(rapid.Int32(), func(n int32) any { return float64(n) }),
	)
	var value func(depth int) *rapid.Generator[any]
	value = func(depth int) *rapid.Generator[any] {
		all := []*rapid.Generator[any]{
			number, rapid.Just[any](nil),
			rapid.Map(rapid.Bool(), func(b bool) any { return b }),
			rapid.Map(rapid.String(), func(s string) any { return strings.ToValidUTF8(s, "?") }),
		}
		if depth > 0 {
			all = append(all,
				rapid.Map(rapid.SliceOfN(value(depth-1), 0, 4), func(l []any) any { return l }),
				rapid.Map(rapid.MapOfN(rapid.StringN(0, 3, -1), value(depth-1), 0, 4), func(m map[string]any) any { return m }))
		}
		return rapid.OneOf(all...)
	}
	rapid.Check(t, func(t *rapid.T) {
		text, err := json.Marshal(map[string]any{"x": value(3).Draw(t, "value")})
		if err != nil {
			t.Skip(err)
		}
		var want map[string]any
		var got, again db.Properties
		if err := json.Unmarshal(text, &want); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatal(err)
		}
		written, err := json.Marshal(got)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(written, &again); err != nil {
			t.Fatal(err)
		}
		if diff := gocmp.Diff(got, again); diff != "" {
			t.Fatalf("%s is read as another (-first +again)\n%s", written, diff)
		}
		if diff := gocmp.Diff(want, floats(map[string]any(got)).(map[string]any)); diff != "" {
			t.Fatalf("%s: -json +properties\n%s", text, diff)
		}
	})
}

// floats returns a value with all numbers as encoding/json decodes them.
func floats(value any) any {
	switch v := value.(type) {
	case int64:
		return float64(v)
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = floats(v[i])
		}
		return list
	case map[string]any:
		m := map[string]any{}
		for name := range v {
			m[name] = floats(v[name])
		}
		return m
	}
	return value
}
