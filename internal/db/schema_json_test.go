package db_test

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"hence/internal/db"
)

// numbered is a list of texts.
func numbered(n int, each string) string {
	list := []string{}
	for i := range n {
		list = append(list, fmt.Sprint(each, i))
	}
	text, _ := json.Marshal(list)
	return string(text)
}

// deep returns an object with the given number of levels, itself included.
func deep(n int) string { return strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) }

// Values that Go cannot decode, or decodes to another value, and values that it decodes. They are
// written between quotes in SQL.
var (
	unreadable = []struct{ name, column, value string }{
		{"ANumberAmongTags", "tags", `[1]`},
		{"NullAmongTags", "tags", `["a",null]`},
		{"AListAmongTags", "tags", `["a",["b"]]`},
		{"201Tags", "tags", numbered(201, "t")},
		{"ALongTag", "tags", `["` + strings.Repeat("ø", 201) + `"]`},
		{"ALongTagAfterAZero", "tags", `["a\u0000` + strings.Repeat("x", 250_000) + `"]`},
		{"CutShort", "tags", `["a"`},
		{"ANumberAmongAliases", "aliases", `[1,null]`},
		{"AnObjectAmongAliases", "aliases", `[{}]`},
		{"AHugeNumber", "properties", `{"a":1e999}`},
		{"AHugeNegativeNumber", "properties", `{"a":[{"b":-1E+400}]}`},
		{"AHugeWholeNumber", "properties", `{"a":` + strings.Repeat("9", 400) + `}`},
		{"501Deep", "properties", deep(501)},
		{"1500Deep", "properties", deep(1500)}, // which SQLite 3.40 reads
		{"BareKeys", "properties", `{a:1}`},    // which later ones read
		{"ATrailingComma", "properties", `{"a":1,}`},
		{"Infinity", "properties", `{"a":Infinity}`},
		{"NoMonth", "created_at", "2026-99-99T00:00:00Z"},
		{"NoDayOfTheMonth", "valid_to", "2026-02-31T00:00:00Z"},
		{"NoHour", "updated_at", "2026-01-01T25:00:00Z"},
		{"Letters", "valid_from", "2026-01-01Tabc!Z"},
		{"ATimeZone", "verified_at", "2026-01-01T08:00:00+02:00Z"},
	}
	readable = []struct{ name, column, value string }{
		{"200Tags", "tags", numbered(200, "t")},
		{"ATagOf200Characters", "tags", `["` + strings.Repeat("ø", 200) + `"]`},
		{"EscapedTags", "tags", `["\u00f8\ud83d\ude00 \"x\" <&>"]`},
		{"EmptyAliases", "aliases", `["", "a"]`},
		{"ManyAliases", "aliases", numbered(1000, "other name ")},
		{"TheLargestNumbers", "properties", `{"a":1.7976931348623157e308,"b":-1.7976931348623157E+308,"c":-9223372036854775808,"d":18446744073709551616,"e":1e-999}`},
		{"500Deep", "properties", deep(500)},
		{"ManyListsNextToEachOther", "properties", `{"a":[` + strings.Repeat("[1],", 5000) + `[1]]}`},
		{"ATimeWithMilliseconds", "created_at", "2026-02-28T23:59:59.999Z"},
		{"ATimeOfALeapDay", "valid_from", "2028-02-29T00:00:00Z"},
		{"ATimeWithMicroseconds", "verified_at", "2026-12-31T23:59:58.999999Z"},
		{"ATimeWithoutSeconds", "updated_at", "2026-12-31T23:59Z"},
		{"TextsLikeNumbers", "properties", `{"hash":"1e999","id":"` + strings.Repeat("3e", 400) + `"}`},
	}
)

func TestWhatGoCannotReadIsRefused(t *testing.T) {
	s := newShell(t)
	s.do(t, memories("a"))
	for _, c := range unreadable {
		t.Run(c.name, func(t *testing.T) {
			if _, err := s.sql.Exec(fmt.Sprintf(`insert into memories (title, %s) values ('x', ?)`, c.column), c.value); !db.IsRefused(err) {
				t.Errorf("inserted: %v, want a refusal", err)
			}
			if _, err := s.sql.Exec(fmt.Sprintf(`update memories set %s = ?`, c.column), c.value); !db.IsRefused(err) {
				t.Errorf("updated: %v, want a refusal", err)
			}
		})
	}
	for _, column := range []string{"tags", "aliases", "properties"} {
		if _, err := s.sql.Exec(fmt.Sprintf(`update memories set %[1]s = %[1]s || char(0) || 'x'`, column)); !db.IsRefused(err) {
			t.Errorf("a zero byte behind the %s: %v, want a refusal", column, err)
		}
	}
	for _, c := range readable {
		t.Run(c.name, func(t *testing.T) {
			s.do(t, fmt.Sprintf(`insert into memories (title, %s) values ('x', ?)`, c.column), c.value)
			s.do(t, fmt.Sprintf(`update memories set %s = ? where id = 'a'`, c.column), c.value)
		})
	}
}

// The same in the sqlite3 program of the system, which has another version of SQLite.
func TestSqlite3ProgramRefusesWhatGoCannotRead(t *testing.T) {
	program, err := exec.LookPath("sqlite3")
	if err != nil {
		t.Skip("there is no sqlite3 program on this machine's PATH")
	}
	s := newShell(t)
	s.do(t, memories("a"))
	run := func(column, value string) error {
		for _, statement := range []string{
			`insert into memories (title, %[1]s) values ('x', '%[2]s');`, `update memories set %[1]s = '%[2]s' where id = 'a';`,
		} {
			c := exec.Command(program, "-batch", "-bail", s.path)
			c.Stdin = strings.NewReader(fmt.Sprintf(statement, column, value))
			if out, err := c.CombinedOutput(); err != nil {
				return fmt.Errorf("%s: %w", out, err)
			}
		}
		return nil
	}
	for _, c := range unreadable {
		if run(c.column, c.value) == nil {
			t.Errorf("%s was taken", c.name)
		}
	}
	for _, c := range readable {
		if err := run(c.column, c.value); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// Any text that the schema accepts in a column can be decoded by Go.
func TestWhatTheSchemaTakesGoReads(t *testing.T) {
	s := newShell(t)
	s.do(t, memories("a"))
	pieces := []string{
		"[", "]", "{", "}", ",", ":", `"`, `"a"`, `"b":`, "1", "-", "0", ".5", "e", "E+", "99", "null", "true", " ", "\n", "\t",
		`\u`, `00`, `\ud800`, `\"`, "ø", "\xff", "\x01", "\x00", "//", "'x'", "NaN", `["a"]`, `{"a":1}`, `1e400`,
	}
	rapid.Check(t, func(t *rapid.T) {
		column := rapid.SampledFrom([]string{"tags", "aliases", "properties"}).Draw(t, "column")
		middle := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 6).Draw(t, "pieces"), "")
		value := rapid.SampledFrom([]string{"%s", "[%s]", `["a",%s]`, `{"a":%s}`, `{"a":[%s],"b":{"c":2}}`}).Draw(t, "around")
		value = strings.Replace(value, "%s", middle, 1)
		if _, err := s.sql.Exec(fmt.Sprintf(`update memories set %s = ?`, column), value); err != nil {
			return
		}
		if column == "properties" {
			if err := db.ReadColumn("a", column, value, new(db.Properties)); err != nil {
				t.Fatal(err)
			}
			return
		}
		var list []*string
		if err := db.ReadColumn("a", column, value, &list); err != nil || slices.Contains(list, nil) {
			t.Fatalf("%q: %v", value, err)
		}
	})
}
