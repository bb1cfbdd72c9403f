package note

import (
	"bytes"
	"errors"
	"math"
	"strconv"

	"go.yaml.in/yaml/v3"

	"hence/internal/pattern"
)

// Limits of frontmatter. Anything beyond is left out, with a warning.
const (
	maxFrontmatter = 1 << 20 // bytes
	maxValues      = 50_000  // values; each use of a YAML alias counts again
	maxValueDepth  = 64
)

// readFrontmatter reads the YAML between a first line "---" and the next such line, and
// returns the offset of the body. Without a closing fence there is no frontmatter.
func (d *document) readFrontmatter(start int) (body int) {
	first, yamlStart := nextLine(d.src, start)
	if !isFence(first) {
		return start
	}
	for offset, line := yamlStart, 2; offset < len(d.src); line++ {
		text, next := nextLine(d.src, offset)
		if isFence(text) {
			d.note.Frontmatter = Lines{First: 1, Last: line}
			d.readYAML(yamlStart, offset)
			return next
		}
		offset = next
	}
	if yamlStart < len(d.src) {
		d.warn(1, "the frontmatter that \"---\" may open is never closed")
	}
	return start
}

func nextLine(src []byte, start int) (line []byte, next int) {
	if i := bytes.IndexByte(src[start:], '\n'); i >= 0 {
		return src[start : start+i], start + i + 1
	}
	return src[start:], len(src)
}

func isFence(line []byte) bool {
	return string(bytes.TrimRight(line, " \t\r")) == "---"
}

// readYAML reads src[start:end] as the note's properties.
func (d *document) readYAML(start, end int) {
	text := d.src[start:end]
	if len(bytes.TrimSpace(text)) == 0 {
		return
	}
	if len(text) > maxFrontmatter {
		d.warn(1, "the frontmatter is larger than %d bytes and was not read", maxFrontmatter)
		return
	}
	root, yamlEnd, err := ParseYAML(text)
	if mistake, ok := errors.AsType[*YAMLError](err); ok {
		d.warn(d.lines.line(start+mistake.Offset), "%v", mistake)
		return
	}
	if yamlEnd < len(text) {
		d.warn(d.lines.line(start+yamlEnd), "the frontmatter ends here for YAML, but only at the line \"---\" for Obsidian; the lines between are not read; close it here with \"---\", or mend this line")
	}
	p := &properties{document: d, end: end, firstLine: d.lines.line(start)}
	value := p.read(root, "")
	switch v := value.(type) {
	case map[string]any:
		d.note.Properties = v
		p.readNames()
	case nil:
	default:
		d.warn(p.firstLine, "the frontmatter is not a list of properties")
		d.note.Links, d.note.Values = nil, nil
	}
	if p.overflow {
		d.warn(p.firstLine, "the frontmatter holds more than %d values or is nested deeper than %d; the rest was left out", maxValues, maxValueDepth)
	}
}

// IsNumber reports whether YAML 1.2 (section 10.3.2, the core schema) reads a plain
// scalar as a number, even if it is a text in Properties because JSON cannot hold it: .inf,
// .nan, 1e999.
func IsNumber(plain string) bool {
	return yamlInt().MatchString(plain) || yamlFloat().MatchString(plain) || yamlRadix().MatchString(plain) || yamlBeyond().MatchString(plain)
}

// Plain scalars follow YAML 1.2, as in Obsidian: `yes` and `1_000` are texts, and `010` is
// ten.
var (
	yamlRadix  = pattern.Lazy(`^(0o[0-7]+|0x[0-9a-fA-F]+)$`)
	yamlBeyond = pattern.Lazy(`^([-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN))$`)
	yamlInt    = pattern.Lazy(`^[-+]?[0-9]+$`)
	yamlFloat  = pattern.Lazy(`^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`)
)

// scalar returns the JSON value of a scalar.
func scalar(n *yaml.Node) any {
	const quoted = yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
	if n.Style&quoted != 0 || n.Style&yaml.TaggedStyle != 0 && n.ShortTag() == "!!str" {
		return n.Value
	}
	switch n.Value {
	case "", "~", "null", "Null", "NULL":
		return nil
	case "true", "True", "TRUE":
		return true
	case "false", "False", "FALSE":
		return false
	}
	return number(n.Value)
}

// number returns text as an int64 or float64, or text itself if it is not a number that
// they can hold.
func number(text string) any {
	if yamlInt().MatchString(text) {
		if i, err := strconv.ParseInt(text, 10, 64); err == nil {
			return i
		}
	}
	if yamlRadix().MatchString(text) {
		// Base 0 takes the base from the prefix, 0x or 0o.
		if i, err := strconv.ParseInt(text, 0, 64); err == nil {
			return i
		}
	}
	if yamlFloat().MatchString(text) {
		if f, err := strconv.ParseFloat(text, 64); err == nil && !math.IsInf(f, 0) {
			return f
		}
	}
	return text
}
