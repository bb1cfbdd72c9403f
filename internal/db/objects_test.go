package db_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

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

// The hash of the schema is that of its plain text, and is stored in every store. The reference
// implementation reads tokens one after the other.
func TestPlain_IsThatOfTheReference(t *testing.T) {
	if testing.Short() {
		t.Skip("nothing runs beside it, so that the race detector has nothing to see; make test runs it")
	}
	reference := func(sql string) string {
		words := []string{}
		for rest := sql; rest != ""; {
			token := rest[:tokenLength(rest)]
			rest = rest[len(token):]
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

// tokenLength returns the length in bytes of the first token of SQL: a text in quotes, a comment,
// white space, a word, or any other character.
func tokenLength(sql string) int {
	switch {
	case sql[0] == '\'', sql[0] == '"':
		return quotedLength(sql)
	case strings.HasPrefix(sql, "--"):
		return lengthUntil(sql, "\n")
	case strings.HasPrefix(sql, "/*"):
		return min(len(sql), lengthUntil(sql, "*/")+len("*/"))
	}
	for _, belongs := range []func(byte) bool{isSpace, isOfWord} {
		n := 0
		for n < len(sql) && belongs(sql[n]) {
			n++
		}
		if n > 0 {
			return n
		}
	}
	_, n := utf8.DecodeRuneInString(sql)
	return n
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f' }

func isOfWord(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_'
}

// quotedLength is tokenLength for a text that begins with a quote. Two consecutive quotes do not
// end it.
func quotedLength(sql string) int {
	quote := sql[:1]
	for end := 1; end < len(sql); end++ {
		end += lengthUntil(sql[end:], quote) + 1
		if end >= len(sql) || sql[end] != quote[0] {
			return min(end, len(sql))
		}
	}
	return len(sql)
}

// lengthUntil returns the number of bytes before the mark, or of all bytes if there is none.
func lengthUntil(text, mark string) int {
	before, _, _ := strings.Cut(text, mark)
	return len(before)
}
