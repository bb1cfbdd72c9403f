package note

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// The folded names of the properties that hold the time when a note was written, and when it was changed. The
// first one with a valid time counts.
var (
	CreatedWords = []string{"created", "created-at", "date-created", "datecreated", "creation-date", "date"}
	UpdatedWords = []string{
		"updated", "updated-at", "date-updated", "dateupdated", "modified", "modified-at", "date-modified", "datemodified", "last-modified", "lastmod",
	}
)

// properties turns a YAML tree into values, and finds the links in them.
type properties struct {
	*document
	end       int // offset of the end of the YAML in the source
	firstLine int // line on which the YAML starts
	values    int // number of values read so far
	depth     int
	overflow  bool

	property      string       // see Link.Property
	aliases, tags []*yaml.Node // the values of the keys for aliases and for tags

	// The last result of offset. The next node on the same line is searched from there.
	lastLine, lastColumn, lastOffset int
}

// read returns the JSON value of a node, whose path of keys is path. It adds the links in
// it to the note.
func (p *properties) read(n *yaml.Node, path string) any {
	if n == nil {
		return nil
	}
	p.values++
	if p.values > maxValues || p.depth >= maxValueDepth {
		p.overflow = true
		return nil
	}
	p.depth++
	defer func() { p.depth-- }()
	switch n.Kind {
	case yaml.AliasNode:
		return p.read(n.Alias, path)
	case yaml.MappingNode:
		return p.readMap(n, path)
	case yaml.SequenceNode:
		return p.readList(n, path)
	}
	value := scalar(n)
	switch v := value.(type) {
	case string:
		if !p.readText(n, path, v) {
			p.readValue(n, path, v)
		}
	case int64:
		p.readValue(n, path, n.Value)
	}
	return value
}

func (p *properties) readMap(n *yaml.Node, path string) map[string]any {
	m := make(map[string]any, min(len(n.Content)/2, 16))
	p.readPairs(m, n, path, nil)
	return m
}

// GivenTwice ends the warning about a property that is given twice.
const GivenTwice = " is given more than once; the last one counts"

// readPairs adds the properties of a mapping to m. If it is merged into another, stated are
// the other's own names: those, and names that m has already, do not change.
func (p *properties) readPairs(m map[string]any, n *yaml.Node, path string, stated map[string]bool) {
	above := p.property
	defer func() { p.property = above }()
	for i := 0; i+1 < len(n.Content) && !p.overflow; i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.ShortTag() == "!!merge" {
			p.merge(m, n, value, path, stated)
			continue
		}
		name := KeyName(key)
		full := join(path, name)
		if _, ok := m[name]; ok || stated[name] {
			if stated != nil {
				continue
			}
			p.warn(p.line(key), "the property %q%s", name, GivenTwice)
			replaced := func(l Link) bool { return l.Key == full || strings.HasPrefix(l.Key, full+".") }
			p.note.Links = slices.DeleteFunc(p.note.Links, replaced)
			p.note.Values = slices.DeleteFunc(p.note.Values, replaced)
		}
		if path == "" {
			target := value
			if value.Kind == yaml.AliasNode {
				target = value.Alias
			}
			switch name {
			case "aliases", "alias":
				p.aliases = append(p.aliases, target)
			case "tags", "tag":
				p.tags = append(p.tags, target)
			}
		}
		p.property = join(above, name)
		m[name] = p.read(value, full)
	}
}

// merge adds the properties of `<<: *anchor`, `<<: {a: b}` or a list of these, in the mapping
// n, to m. The links of an anchor's properties are declared where the anchor is.
func (p *properties) merge(m map[string]any, n, value *yaml.Node, path string, stated map[string]bool) {
	names := map[string]bool{}
	maps.Copy(names, stated)
	for i := 0; i+1 < len(n.Content); i += 2 {
		names[KeyName(n.Content[i])] = true
	}
	sources := []*yaml.Node{value}
	if value.Kind == yaml.SequenceNode {
		sources = value.Content
	}
	for _, source := range sources {
		links, values := len(p.note.Links), len(p.note.Values)
		from := source
		if source.Kind == yaml.AliasNode {
			from = source.Alias
		}
		p.values++
		if p.values > maxValues || p.depth >= maxValueDepth {
			p.overflow = true
			return
		}
		if from.Kind == yaml.MappingNode {
			p.depth++
			p.readPairs(m, from, path, names)
			p.depth--
		}
		if source != from {
			p.note.Links, p.note.Values = p.note.Links[:links], p.note.Values[:values]
		}
	}
}

func (p *properties) readList(n *yaml.Node, path string) []any {
	unquoted := p.readUnquoted(n, path)
	links, values := len(p.note.Links), len(p.note.Values)
	list := make([]any, 0, min(len(n.Content), 16))
	for i, item := range n.Content {
		if p.overflow {
			break
		}
		list = append(list, p.read(item, join(path, strconv.Itoa(i))))
	}
	if unquoted != nil {
		p.note.Links, p.note.Values = append(p.note.Links[:links], *unquoted), p.note.Values[:values]
	}
	return list
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// KeyName returns the name of a property, "?" for a key that is not a text.
func KeyName(key *yaml.Node) string {
	if key.Kind == yaml.AliasNode && key.Alias != nil {
		key = key.Alias
	}
	if key.Kind != yaml.ScalarNode {
		return "?"
	}
	return key.Value
}

// readNames adds the aliases and tags of the frontmatter to the note.
func (p *properties) readNames() {
	for _, n := range p.aliases {
		for _, item := range items(n) {
			// Commas separate aliases in one text, as in old versions of Obsidian.
			names := []string{item.Value}
			if n.Kind == yaml.ScalarNode {
				names = strings.Split(item.Value, ",")
			}
			for _, name := range names {
				if name = strings.TrimSpace(name); name != "" {
					p.note.Aliases = append(p.note.Aliases, name)
				}
			}
		}
	}
	var unread *yaml.Node
	for _, n := range p.tags {
		for _, item := range items(n) {
			// Obsidian reads a text as one tag: "a, b" is not a tag.
			name := strings.TrimPrefix(item.Value, "#")
			if name == "" || tagLen([]byte("#"+name)) != len(name)+1 {
				unread = cmp.Or(unread, item)
				continue
			}
			from := p.valueStart(item)
			p.note.Tags = append(p.note.Tags, Tag{Name: name, Span: p.find(item, item.Value, from, p.searchEnd(from, item.Value)), Property: true})
		}
	}
	if unread != nil {
		p.warn(p.line(unread), "%.100q%s", unread.Value, UnreadTags)
	}
}

// UnreadTags ends the warning about the first tag in frontmatter that is none for Obsidian.
const UnreadTags = " is not a tag for Obsidian; write a list of tags without spaces: [a, b]"

// items returns the scalars of a list that are not null. A scalar counts as a list of one.
func items(n *yaml.Node) (scalars []*yaml.Node) {
	nodes := n.Content
	switch n.Kind {
	case yaml.ScalarNode:
		nodes = []*yaml.Node{n}
	case yaml.SequenceNode:
	default:
		return nil
	}
	for _, item := range nodes {
		if item.Kind == yaml.AliasNode {
			item = item.Alias
		}
		if item != nil && item.Kind == yaml.ScalarNode && scalar(item) != nil {
			scalars = append(scalars, item)
		}
	}
	return scalars
}

// searchEnd returns the offset at which a search for value in the source, from from on,
// ends. Escapes and quotes make the source longer than the value.
func (p *properties) searchEnd(from int, value string) int {
	return min(p.end, from+2*len(value)+16)
}

// readText adds the links in a text value to the note, and reports whether there are any.
// Obsidian sees only a text that is one wikilink; all other links are Partial.
func (p *properties) readText(n *yaml.Node, path, text string) bool {
	if !strings.Contains(text, "[") {
		return false
	}
	buf := []byte(text)
	s := scan(&leaf{buf: buf})
	from := p.valueStart(n)
	to := p.searchEnd(from, n.Value)
	for _, f := range s.links {
		alone := f.start == 0 && f.end == len(buf) && f.Form == Wikilink
		f.Form, f.Key, f.KeyKind, f.Property, f.Lenient = Property, path, KeyProperty, p.property, Partial
		if alone {
			f.Lenient = Faithful
		}
		f.Span = p.find(n, text[f.start:f.end], from, to)
		if f.Span.End.Offset > from && f.Span.End.Offset <= to {
			from = f.Span.End.Offset
		} else {
			from = to // written differently: stop searching
		}
		f.Context = excerpt(text, 0, len(text), f.start, f.end)
		p.note.Links = append(p.note.Links, f.Link)
	}
	return len(s.links) > 0
}

// maxValue is the longest value in bytes that may be a note's name, which is the
// longest name of a file.
const maxValue = 255

// readValue adds a value that may be the name of a note to note.Values.
func (p *properties) readValue(n *yaml.Node, path, text string) {
	name := strings.TrimSpace(text)
	if name == "" || len(name) > maxValue || strings.ContainsAny(name, "\n\r") {
		return
	}
	from := p.valueStart(n)
	p.note.Values = append(p.note.Values, Link{
		Form: Property, Target: name, Key: path, KeyKind: KeyProperty, Property: p.property, Lenient: Bare,
		Span: p.find(n, name, from, p.searchEnd(from, n.Value)), Context: excerpt(name, 0, len(name), 0, len(name)),
	})
}

// readUnquoted returns the link that `[[x]]` without quotes is, or nil. For YAML it is a
// list in a list.
func (p *properties) readUnquoted(n *yaml.Node, path string) *Link {
	if n.Style&yaml.FlowStyle == 0 || len(n.Content) != 1 || n.Content[0].Kind != yaml.SequenceNode {
		return nil
	}
	start := p.offset(n)
	text := p.src[start:p.end]
	if !bytes.HasPrefix(text, []byte("[[")) {
		return nil
	}
	end := wikilinkEnd(text, 2)
	if end < 0 {
		return nil
	}
	link, ok := wikilinkText(text[2:end], false)
	if !ok {
		return nil
	}
	link.Form, link.Key, link.KeyKind, link.Property, link.Lenient = Property, path, KeyProperty, p.property, Unquoted
	link.Span = p.span(start, start+end+2)
	link.Context = p.context(start, start+end+2)
	return &link
}

// line returns the line of the source that a node starts on.
func (p *properties) line(n *yaml.Node) int {
	return max(p.firstLine, min(p.firstLine+n.Line-1, p.note.Frontmatter.Last-1))
}

// offset returns the offset in the source at which a node starts.
func (p *properties) offset(n *yaml.Node) int {
	line := p.line(n)
	offset, end := p.lines.bounds(line)
	column := 1 // counts runes
	if line == p.lastLine && n.Column >= p.lastColumn {
		offset, column = p.lastOffset, p.lastColumn
	}
	for ; column < n.Column && offset < end; column++ {
		_, size := utf8.DecodeRune(p.src[offset:end])
		offset += size
	}
	p.lastLine, p.lastColumn, p.lastOffset = line, column, offset
	return offset
}

// valueStart returns the offset at which a scalar's text starts: for a block scalar, that
// of the line after its indicator.
func (p *properties) valueStart(n *yaml.Node) int {
	start := p.offset(n)
	if n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		_, start = nextLine(p.src[:p.end], start)
	}
	return start
}

// find returns the span of text in src[from:to], or that of the scalar's first line if the
// text is written differently there (escaped, or over several lines).
func (p *properties) find(n *yaml.Node, text string, from, to int) Span {
	if from < to && text != "" {
		if i := strings.Index(p.text[from:to], text); i >= 0 {
			return p.span(from+i, from+i+len(text))
		}
	}
	start, end := p.lines.bounds(p.line(n))
	return p.span(start, end)
}
