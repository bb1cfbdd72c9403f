// Package ignore reads patterns that exclude files, in the format of .gitignore.
//
// A line is a pattern. "*" matches any text within a name, "?" one character, "**" any
// number of folders. A pattern with a slash at its start or in its middle is relative
// to the root, any other matches in every folder; a slash at its end restricts it to
// folders. "!" includes what an earlier line excluded, unless a folder above is
// excluded. "#" starts a comment, and a backslash escapes the next character. The last
// line that matches a path decides.
package ignore

import (
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
	short := strings.TrimRight(line, " \t")
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
	p.match = regexp.MustCompile(expression(line))
	return p, true
}

// expression returns a glob as a regular expression, which Go matches in linear time.
func expression(glob string) string {
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
		case rest[0] == '\\' && len(rest) > 1:
			i += literal(&b, rest[1:]) + 1
		default:
			i += literal(&b, rest)
		}
	}
	b.WriteString(`$`)
	return `(?s)` + b.String()
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
