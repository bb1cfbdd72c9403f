package edit

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"hence/internal/db"
	"hence/vault/note"
)

// YAMLError is the error for frontmatter that cannot be changed.
type YAMLError struct {
	Line int // in the note, 1-based
	Text string
}

func (e *YAMLError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Text) }

// Set returns a note with some properties set and others removed. Values have the types of
// note.Note.Properties: whole numbers are int64. The lines of other properties, all comment
// lines and their order stay as they are, even inside a property that is removed or gets
// another value. A new value keeps the place, the quoting and the comment of the old one,
// and the lines of the items or properties in it that stay. An equal value is not rewritten.
// A comment after an item or a property is removed with it. A list or mapping in brackets is
// rewritten in brackets, with its names sorted. New properties go to the end, sorted.
// Frontmatter is added if there is none, and removed if it becomes empty. To remove a
// property that does not exist does nothing.
//
// Set parses the new text before it returns it, and compares all text outside the changed
// properties byte for byte. The error is a YAMLError if either differs from the requested
// change, if the old frontmatter is not a valid list of properties, or if YAML ends it
// earlier than Obsidian does (see note.ParseYAML), so that it is not certain which text
// belongs to a property.
func Set(source []byte, set map[string]any, remove []string) ([]byte, error) {
	f, ok := findFrontmatter(source)
	y := &yamlText{text: string(source[f.yaml:f.close]), end: lineEndOf(source)}
	var err error
	if y.properties, err = read(y.text); err != nil {
		return nil, err
	}
	before := y.text
	for _, name := range slices.Sorted(slices.Values(remove)) {
		if _, exists := y.properties[name]; !exists {
			continue
		}
		if err := y.remove(name); err != nil {
			return nil, err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(set)) {
		value := validTexts(set[name])
		if old, exists := y.properties[name]; exists && same(old, value) {
			continue
		}
		if err := y.set(name, value); err != nil {
			return nil, err
		}
	}
	switch {
	case y.text == before:
		return source, nil
	case !ok:
		mark := byteOrderMarkOf(source)
		return []byte(mark + "---" + y.end + y.text + "---" + y.end + string(source[len(mark):])), nil
	case strings.TrimSpace(y.text) == "":
		bare := slices.Concat(source[:f.start], source[f.after:])
		if note.Parse(bare).Frontmatter.Last == 0 {
			return bare, nil
		}
		// Without empty frontmatter before it, the body would be read as frontmatter.
	}
	return slices.Concat(source[:f.yaml], []byte(y.text), source[f.close:]), nil
}

// yamlText is the text between the fences, and its properties.
type yamlText struct {
	text       string
	end        string // line end
	properties map[string]any
}

// read returns the properties of a text between the fences. It fails with a YAMLError if the
// text is not valid frontmatter.
func read(text string) (map[string]any, error) {
	n := note.Parse([]byte("---\n" + text + "---\n"))
	if n.Frontmatter.Last != strings.Count(text, "\n")+2 {
		return nil, &YAMLError{n.Frontmatter.Last, `the line "---" would end the frontmatter`}
	}
	if mistakes := mistakesIn(n); len(mistakes) > 0 {
		return nil, &YAMLError{mistakes[0].Line, mistakes[0].Text}
	}
	if n.Properties == nil {
		return map[string]any{}, nil
	}
	return n.Properties, nil
}

// mistakesIn returns the warnings about frontmatter that cannot be read. Others do no harm: a
// stray character.
func mistakesIn(n *note.Note) []note.Warning {
	return slices.DeleteFunc(slices.Clone(n.Warnings), func(w note.Warning) bool {
		return !strings.HasPrefix(w.Text, "invalid YAML") && !strings.HasPrefix(w.Text, "the frontmatter")
	})
}

// Broken returns the mistake that a change of a note makes in frontmatter that could be read
// before, or nil. Obsidian reads no property if one is given twice. whole says that the
// change gives the whole file: then the frontmatter may be left out.
func Broken(source, content []byte, whole bool) *YAMLError {
	before, after := note.Parse(source), note.Parse(content)
	if before.Frontmatter.Last == 0 || len(mistakesIn(before)) > 0 {
		return nil
	}
	for _, w := range after.Warnings {
		if strings.HasSuffix(w.Text, note.GivenTwice) && !slices.ContainsFunc(before.Warnings, func(old note.Warning) bool { return old.Text == w.Text }) {
			return &YAMLError{w.Line, w.Text}
		}
	}
	if mistakes := mistakesIn(after); len(mistakes) > 0 {
		return &YAMLError{mistakes[0].Line, mistakes[0].Text}
	}
	if after.Frontmatter.Last == 0 && !whole {
		return &YAMLError{1, "a line \"---\" of the frontmatter would be gone"}
	}
	return nil
}

// accept replaces the text by a new one, and reports true, if the properties of the new text
// equal want and the rest of its entries, without the changed ones, equals unchanged.
func (y *yamlText) accept(text string, want map[string]any, unchanged rest, changed func(i int) bool) bool {
	got, err := read(text)
	if err != nil || !same(got, want) {
		return false
	}
	if b, err := parseBlock(text); err != nil || b.rest(changed) != unchanged {
		return false
	}
	y.text, y.properties = text, got
	return true
}

// remove removes every entry of a property.
func (y *yamlText) remove(name string) error {
	want := maps.Clone(y.properties)
	delete(want, name)
	b, err := parseBlock(y.text)
	if err != nil {
		return err
	}
	hasName := func(i int) bool { return b.entries[i].name == name }
	remaining := b.rest(hasName)
	if !y.accept(remaining.text, want, remaining, func(int) bool { return false }) {
		first := slices.IndexFunc(b.entries, func(e entry) bool { return e.name == name })
		return &YAMLError{b.noteLine(b.entries[max(first, 0)].first), fmt.Sprintf("the property %q cannot be removed without changing others; edit the text", name)}
	}
	return nil
}

// set sets a property to a value.
func (y *yamlText) set(name string, value any) error {
	want := maps.Clone(y.properties)
	want[name] = value
	b, err := parseBlock(y.text)
	if err != nil {
		return err
	}
	for i, e := range slices.Backward(b.entries) {
		if e.name != name {
			continue
		}
		changed := func(n int) bool { return n == i }
		unchanged := b.rest(changed)
		for _, written := range e.rewrite(b, y.properties[name], value, y.end) {
			text := strings.Join(slices.Concat(b.lines[:e.first], []string{written}, b.lines[e.last:]), "")
			if y.accept(text, want, unchanged, changed) {
				return nil
			}
		}
		return &YAMLError{b.noteLine(e.first), fmt.Sprintf("the property %q is written in a way that cannot be changed without changing others; edit the text", name)}
	}
	unchanged := b.rest(func(int) bool { return false })
	for _, s := range []style{{}, {quoted: true, flow: true}} {
		s.indent, s.end = b.indent, y.end
		text := y.text + spaces(b.indent) + s.key(name) + ":" + s.value(value) + y.end
		if y.accept(text, want, unchanged, func(i int) bool { return i == len(b.entries) }) {
			return nil
		}
	}
	return &YAMLError{b.noteLine(len(b.lines)), fmt.Sprintf("the property %q cannot be added; edit the text", name)}
}

// same reports whether two values are equal as JSON.
func same(a, b any) bool { return db.JSON(a) == db.JSON(b) }

// validTexts returns a value with its texts as valid UTF-8, as package note reads them.
func validTexts(v any) any {
	switch v := v.(type) {
	case string:
		return strings.ToValidUTF8(v, "\uFFFD")
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			list[i] = validTexts(item)
		}
		return list
	case map[string]any:
		m := make(map[string]any, len(v))
		for key, item := range v {
			m[key] = validTexts(item)
		}
		return m
	}
	return v
}
