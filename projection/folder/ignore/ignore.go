// Package ignore reads the patterns by which a person leaves files out, as
// .gitignore has them. It knows nothing of the files themselves.
//
// A line is a pattern. "*" stands for any text within a name, "?" for one
// character, "**" for any number of folders. A pattern with a slash at its
// start or in its middle counts from the root, any other in every folder; with
// one at its end it means folders only. "!" takes back what an earlier line
// left out, unless a folder above is left out. "#" starts a comment, and a
// backslash takes the next character as it is. Of several lines that match a
// path the last decides.
package ignore

import (
	"regexp"
	"strings"
)

// Patterns decide what is left out. The zero value leaves nothing out.
type Patterns []pattern

type pattern struct {
	match   *regexp.Regexp
	folders bool // only folders
	keep    bool // taken back
}

// Parse reads patterns, one a line. Every text is valid.
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
	line = strings.ToValidUTF8(trimBlanks(line), "\ufffd")
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

// trimBlanks takes blanks off the end, but for one behind a backslash.
func trimBlanks(line string) string {
	short := strings.TrimRight(line, " \t")
	if strings.HasSuffix(short, `\`) && len(short) < len(line) {
		return line[:len(short)+1]
	}
	return short
}

// expression returns a glob as a regular expression, which Go matches in
// linear time whatever the pattern.
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

// literal writes the first character of text as itself and returns its length.
func literal(b *strings.Builder, text string) int {
	for _, r := range text {
		b.WriteString(regexp.QuoteMeta(string(r)))
		return len(string(r))
	}
	return 0
}

// Match says whether a path, with slashes from the root, is left out by itself;
// a folder above it may be too.
func (all Patterns) Match(path string, folder bool) bool {
	for i := len(all) - 1; i >= 0; i-- {
		if p := all[i]; (folder || !p.folders) && p.match.MatchString(path) {
			return !p.keep
		}
	}
	return false
}

// MatchAny says whether a file's path or any folder above it is left out.
func (all Patterns) MatchAny(path string) bool {
	for i := range len(path) {
		if path[i] == '/' && all.Match(path[:i], true) {
			return true
		}
	}
	return all.Match(path, false)
}
