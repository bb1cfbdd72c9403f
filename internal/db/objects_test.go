package db_test

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"hence"
	"hence/internal/db"
)

func TestNewObjects_AreThoseOfANewFile(t *testing.T) {
	d, err := db.Open(t.Context(), filepath.Join(t.TempDir(), "new.db"), db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	want, err := d.Objects(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got, err := db.NewObjects(); err != nil || !slices.Equal(got, want) {
		t.Errorf("%d objects %+v, %v, want %d", len(got), got, err, len(want))
	}
}

func TestPlain_LeavesOutWhatSaysNothing(t *testing.T) {
	for _, c := range []struct{ name, sql, want string }{
		{"Nothing", "", ""},
		{"Spaces", "create  table\n\ta(b);", "create table a ( b ) ;"},
		{"Comments", "a -- b 'c'\n/* d\n-- */ e /**/ - /f", "a e - / f"},
		{"QuotedNames", `create table "a b" ("c")`, "create table a b ( c )"},
		{"Texts", `'a  -- b' 'it''s /* c */' '' ''''`, `'a  -- b' 'it''s /* c */' '' ''''`},
		{"OtherScripts", "é = 'é '", "é = 'é '"},
		{"OpenText", "a 'b  c", "a 'b  c"},
		{"OpenName", `a "b`, "a b"},
		{"OpenComments", "a /* b", "a"},
		{"OpenLastLine", "a -- b", "a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := (db.Object{SQL: c.sql}).Plain(); got != c.want {
				t.Errorf("%q is %q, want %q", c.sql, got, c.want)
			}
		})
	}
}

// The hash of the schema is of its plain text, and is written into every store:
// it is that of this regular expression, which takes a quote in a name for its end.
func TestPlain_IsThatOfTheReference(t *testing.T) {
	tokens := regexp.MustCompile(`(?s)'(?:[^']|'')*'|"[^"]*"|--[^\n]*|/\*.*?\*/|\s+|\w+|.`)
	reference := func(sql string) string {
		words := []string{}
		for _, token := range tokens.FindAllString(sql, -1) {
			switch {
			case strings.HasPrefix(token, "--"), strings.HasPrefix(token, "/*"), strings.TrimSpace(token) == "":
			case token[0] == '"':
				words = append(words, strings.Trim(token, `"`))
			default:
				words = append(words, token)
			}
		}
		return strings.Join(words, " ")
	}
	compare := func(t interface{ Errorf(string, ...any) }, sql string) {
		if got, want := (db.Object{SQL: sql}).Plain(), reference(sql); got != want {
			t.Errorf("%q is %q, want %q", sql, got, want)
		}
	}
	compare(t, hence.Schema)
	rapid.Check(t, func(t *rapid.T) {
		compare(t, strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{
			"'a''b'", "''", "'--'", `"a b" `, "-- a'\n", "/* ' */", "/**/", " ", "\n\t", "a_1", "é", "\xff", "\u00a0", "\v", "-", "/", "*", "->>",
		})).Draw(t, "tokens"), ""))
	})
}
