// Package ignore reads patterns that exclude files, in the format of .gitignore.
//
// A line is a pattern. "*" matches any text within a name, "?" one character, "[a-z]" one of
// these, "[!a-z]" one of the others, "**" any number of folders. A pattern with a slash at its start or in its middle is relative
// to the root, any other matches in every folder; a slash at its end restricts it to
// folders. "!" includes what an earlier line excluded, unless a folder above is
// excluded. "#" starts a comment, and a backslash escapes the next character. The last
// line that matches a path decides.
package ignore

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// Patterns decide which files are excluded. The zero value excludes none.
type Patterns []pattern

type pattern struct {
	match   *regexp.Regexp
	folders bool // only folders
	keep    bool // includes what earlier patterns exclude
}

// Parse reads patterns, one per line. Every text is valid.
func Parse(text string) Patterns {
	var all Patterns
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		if p, ok := parseLine(strings.TrimRight(line, "\r\n")); ok {
			all = append(all, p)
		}
	}
	return all
}

func parseLine(line string) (p pattern, ok bool) {
	short := strings.TrimRight(line, " ")
	if strings.HasSuffix(short, `\`) && len(short) < len(line) {
		short = line[:len(short)+1] // a blank behind a backslash stays
	}
	line = strings.ToValidUTF8(short, "\ufffd")
	if line == "" || line[0] == '#' {
		return p, false
	}
	line, p.keep = strings.CutPrefix(line, "!")
	line, p.folders = strings.CutSuffix(line, "/")
	rooted := strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	if line == "" {
		return p, false
	}
	if !rooted {
		line = "**/" + line
	}
	re, ok := expression(line)
	if ok {
		p.match = regexp.MustCompile(re)
	}
	return p, ok
}

// expression returns a glob as a regular expression, which Go matches in linear time. ok is false
// if a class of characters has no end, so that the glob matches nothing.
func expression(glob string) (re string, ok bool) {
	var b strings.Builder
	b.WriteString(`^`)
	for i := 0; i < len(glob); {
		start := i == 0 || glob[i-1] == '/'
		switch rest := glob[i:]; {
		case start && strings.HasPrefix(rest, "**/"):
			b.WriteString(`(?:[^/]+/)*`)
			i += len("**/")
		case start && rest == "**":
			b.WriteString(`.+`)
			i += len("**")
		case rest[0] == '*':
			b.WriteString(`[^/]*`)
			i++
		case rest[0] == '?':
			b.WriteString(`[^/]`)
			i++
		case rest[0] == '[':
			size := class(&b, rest)
			if size == 0 {
				return "", false
			}
			i += size
		case rest[0] == '\\' && len(rest) > 1:
			i += literal(&b, rest[1:]) + 1
		default:
			i += literal(&b, rest)
		}
	}
	b.WriteString(`$`)
	return `(?s)` + b.String(), true
}

// named matches the name of a class of characters, which Go's expressions have too.
var named = regexp.MustCompile(`^\[:(alnum|alpha|blank|cntrl|digit|graph|lower|print|punct|space|upper|xdigit):\]`)

// withSlash has what the named classes with a slash are without it.
var withSlash = map[string]string{"[:graph:]": `!-.0-~`, "[:print:]": ` -.0-~`, "[:punct:]": "!-.:-@\\[-`{-~"}

// class writes the class of characters with which a text begins, which never matches a slash, and returns its
// length; 0 if the class has no end or an unknown name.
func class(b *strings.Builder, text string) int {
	i, last := 1, rune(0) // last can begin a range
	if b.WriteString(`[`); text[1:] != "" && (text[1] == '!' || text[1] == '^') {
		b.WriteString(`^/`)
		i++
	}
	b.WriteString(`\x00`) // no path has it, and a class is not to be empty
	for first := i; i < len(text); {
		switch rest := text[i:]; {
		case rest[0] == ']' && i > first:
			b.WriteString(`]`)
			return i + 1
		case strings.HasPrefix(rest, "[:"):
			name := named.FindString(rest)
			if name == "" {
				return 0
			}
			b.WriteString(cmp.Or(withSlash[name], name))
			i, last = i+len(name), 0
		case rest[0] == '-' && last != 0 && len(rest) > 1 && rest[1] != ']':
			to, size := character(rest[1:])
			span(b, last, to)
			i, last = i+1+size, 0
		default:
			one, size := character(rest)
			span(b, one, one)
			i, last = i+size, one
		}
	}
	return 0
}

// character returns the first character of a text, without the backslash before it, and its length with that.
func character(text string) (one rune, size int) {
	short := strings.TrimPrefix(text, `\`)
	one, size = utf8.DecodeRuneInString(short)
	return one, size + len(text) - len(short)
}

// span writes a range of characters without the slash.
func span(b *strings.Builder, from, to rune) {
	for _, r := range [][2]rune{{from, min(to, '/'-1)}, {max(from, '/'+1), to}} {
		if r[0] <= r[1] {
			fmt.Fprintf(b, `\x{%x}-\x{%x}`, r[0], r[1])
		}
	}
}

// literal writes the first character of text escaped and returns its length.
func literal(b *strings.Builder, text string) int {
	_, size := utf8.DecodeRuneInString(text)
	b.WriteString(regexp.QuoteMeta(text[:size]))
	return size
}

// Decide reports whether the patterns exclude a path, with slashes from the root, without
// regard to the folders above it. decided is false if no pattern matches it.
func (all Patterns) Decide(path string, folder bool) (excluded, decided bool) {
	for i := len(all) - 1; i >= 0; i-- {
		if p := all[i]; (folder || !p.folders) && p.match.MatchString(path) {
			return !p.keep, true
		}
	}
	return false, false
}
