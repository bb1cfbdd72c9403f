package edit

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"hence/internal/db"
	"hence/internal/lists"
	"hence/vault/note"
)

// style is the style in which a value is written. The zero value is that of Obsidian: texts
// are plain if possible, and lists have one item a line.
type style struct {
	scalar, item yaml.Style // of a text, and of a text in a list: quoted, or a block
	flow         bool       // lists and mappings are in brackets
	quoted       bool       // every text is quoted
	indent       int        // of the property
	dash         int        // indent of the items of a list
	end          string     // line end
	comment      string     // after the value, with the blanks before it
}

// styleOf returns the style of a value.
func styleOf(n *yaml.Node) style {
	s := style{scalar: n.Style}
	if n.Kind == yaml.SequenceNode {
		s.flow = n.Style&yaml.FlowStyle != 0
		if len(n.Content) > 0 {
			s.item = n.Content[0].Style
		}
	}
	if n.Kind != yaml.ScalarNode {
		s.scalar = 0
	}
	return s
}

// entry returns the text of a property: head, which is its name and colon, its value and its
// comment.
func (s style) entry(head string, value any) string {
	first, rest, ok := strings.Cut(s.value(value), s.end)
	if ok {
		return head + first + s.comment + s.end + rest + s.end
	}
	return head + first + s.comment + s.end
}

// value returns the text of a value after its colon, without the last line end.
func (s style) value(value any) string {
	switch v := value.(type) {
	case map[string]any:
		if len(v) > 0 && !s.flow {
			inner := style{indent: s.indent + 2, end: s.end, quoted: s.quoted}
			var b strings.Builder
			for _, key := range slices.Sorted(maps.Keys(v)) {
				b.WriteString(s.end + spaces(inner.indent) + inner.key(key) + ":" + inner.value(v[key]))
			}
			return b.String()
		}
	case []any:
		if len(v) > 0 && !s.flow {
			s.dash = s.indent + 2
			var b strings.Builder
			for _, item := range v {
				b.WriteString(s.listItem(item))
			}
			return s.end + strings.TrimSuffix(b.String(), s.end)
		}
		s.scalar = s.item
	case string:
		if text, ok := s.literal(v); ok {
			return " " + text
		}
	}
	return " " + s.inline(value, false)
}

// listItem returns the line of an item.
func (s style) listItem(value any) string {
	item := style{scalar: s.item, quoted: s.quoted}
	return spaces(s.dash) + "- " + item.inline(value, false) + s.end
}

// inline returns the text of a value on one line. inside says that it is in brackets.
func (s style) inline(value any, inside bool) string {
	switch v := value.(type) {
	case nil:
		return "null"
	case string:
		return s.text(v, inside)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case []any:
		return "[" + lists.Join(v, ", ", func(item any) string { return s.inline(item, true) }) + "]"
	case map[string]any:
		keys := slices.Sorted(maps.Keys(v))
		return "{" + lists.Join(keys, ", ", func(key string) string { return quote(key) + ": " + s.inline(v[key], true) }) + "}"
	}
	return db.JSON(value)
}

// key returns the name of a property, quoted if necessary.
func (s style) key(name string) string {
	if !s.quoted && isPlain(name, false) && len(name) < 100 {
		return name
	}
	return quote(name)
}

// text returns a text on one line, with the quotes of s if that is possible.
func (s style) text(text string, inside bool) string {
	switch {
	case s.scalar&yaml.SingleQuotedStyle != 0 && !strings.ContainsFunc(text, isEscaped):
		return "'" + strings.ReplaceAll(text, "'", "''") + "'"
	case s.scalar&yaml.DoubleQuotedStyle == 0 && !s.quoted && isPlain(text, inside):
		return text
	}
	return quote(text)
}

// literal returns a text of several lines as a literal block. ok is false if the style is
// another, or if the text cannot be written so.
func (s style) literal(text string) (block string, ok bool) {
	if s.scalar&yaml.LiteralStyle == 0 || s.quoted || strings.ContainsFunc(strings.ReplaceAll(text, "\n", ""), isEscaped) {
		return "", false
	}
	body, mark := text, "|-"
	if strings.HasSuffix(text, "\n") {
		body, mark = strings.TrimSuffix(text, "\n"), "|"
	}
	lines := strings.Split(body, "\n")
	if len(lines) == 1 || lines[len(lines)-1] == "" || strings.TrimLeft(lines[0], " ") != lines[0] || lines[0] == "" {
		return "", false
	}
	for i, line := range lines {
		if line != "" {
			lines[i] = spaces(s.indent+2) + line
		}
	}
	return mark + s.end + strings.Join(lines, s.end), true
}

// isPlain reports whether a text without quotes is read as the same text, by other readers
// of YAML too.
func isPlain(text string, inside bool) bool {
	if text == "" || strings.TrimSpace(text) != text || strings.HasSuffix(text, ":") || strings.ContainsFunc(text, isEscaped) ||
		strings.Contains(text, ": ") || strings.Contains(text, " #") || inside && strings.ContainsAny(text, ",[]{}:") {
		return false
	}
	first, _ := utf8.DecodeRuneInString(text)
	if !unicode.IsLetter(first) && !unicode.IsDigit(first) && !strings.ContainsRune("_/.(+$^;<", first) {
		return false
	}
	if note.IsNumber(text) {
		return false
	}
	properties, err := read("x: " + text + "\n")
	return err == nil && same(properties, map[string]any{"x": text})
}

// isEscaped reports whether YAML allows a character only as an escape.
func isEscaped(r rune) bool {
	return r < ' ' || r >= 0x7F && r < 0xA0 || r == '\u2028' || r == '\u2029' || r == '\uFEFF' || r == '\uFFFE' || r == '\uFFFF'
}

// quote returns a text in double quotes.
func quote(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case isEscaped(r):
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func spaces(n int) string { return strings.Repeat(" ", n) }
