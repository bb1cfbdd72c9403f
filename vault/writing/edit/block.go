package edit

import (
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"hence/internal/db"
	"hence/internal/lists"
	"hence/internal/pattern"
	"hence/vault/note"
)

// block is a list of properties, each on lines of its own.
type block struct {
	lines    []string // with their line ends
	comments []bool   // for each line, whether it is only a comment
	entries  []entry
	indent   int // of the properties
}

// entry is one property, or one item of a list, and its lines.
type entry struct {
	name        string
	key, value  *yaml.Node // key is nil for an item
	first, last int        // its lines are first up to, not including, last; 0-based, without comments after them
}

// parseBlock returns the properties of a text that read accepts.
func parseBlock(text string) (b block, err error) {
	b.lines = splitLines(text)
	root, _, err := note.ParseYAML([]byte(text))
	if err == nil {
		b.comments, err = findComments(b.lines)
	}
	if err != nil {
		return b, &YAMLError{1, "invalid YAML: " + err.Error()}
	}
	if root == nil || root.Kind == yaml.ScalarNode {
		return b, nil // comments alone, or null
	}
	if root.Kind != yaml.MappingNode || root.Style&yaml.FlowStyle != 0 {
		return b, &YAMLError{b.noteLine(root.Line - 1), "the frontmatter is written in braces; write each property on a line of its own"}
	}
	b.indent = root.Column - 1
	for i := 0; i+1 < len(root.Content); i += 2 {
		key := root.Content[i]
		b.entries = append(b.entries, entry{name: note.KeyName(key), key: key, value: root.Content[i+1], first: key.Line - 1})
	}
	if line, ok := b.setLast(b.entries, len(b.lines)); !ok {
		return b, &YAMLError{b.noteLine(line), "two properties are on one line; give each a line of its own"}
	}
	return b, nil
}

// noteLine returns the line of the note, 1-based, on which a line of the block, 0-based,
// starts.
func (b block) noteLine(line int) int {
	return strings.Count(strings.Join(b.lines[:max(line, 0)], ""), "\n") + 2
}

// setLast sets the last line of each entry: the entry ends before the next one, and before
// the blank lines and comments above that one. If an entry does not start a line, it returns
// that line, and ok is false.
func (b block) setLast(entries []entry, end int) (line int, ok bool) {
	for i := range entries {
		e := &entries[i]
		next := end
		if i+1 < len(entries) {
			next = entries[i+1].first
		}
		if e.first < 0 || next > len(b.lines) || next <= e.first {
			return e.first, false
		}
		e.last = next
		for e.last > e.first+1 && (b.comments[e.last-1] || strings.TrimSpace(b.lines[e.last-1]) == "") {
			e.last--
		}
	}
	return 0, true
}

// text returns the lines from first up to, not including, last.
func (b block) text(first, last int) string { return strings.Join(b.lines[first:last], "") }

// splice returns the lines from first up to, not including, last, with a text in place of each of some
// entries in them.
func (b block) splice(first, last int, entries []entry, text func(i int) string) string {
	var out strings.Builder
	for i, e := range entries {
		out.WriteString(b.text(first, e.first) + text(i)) // before it the key around, comments
		first = e.last
	}
	return out.String() + b.text(first, last)
}

// rewrite returns texts of an entry with another value: first the one that keeps most of
// the old text. Comment lines that have no place in the new value follow it.
func (e entry) rewrite(b block, old, value any, end string) (texts []string) {
	head, comment, ok := e.splitLine(b.lines[e.first])
	if !ok {
		return nil
	}
	s := styleOf(e.value)
	s.indent, s.end, s.comment = e.key.Column-1, end, comment
	switch v := value.(type) {
	case []any:
		if text, ok := e.mergeList(b, v, s); ok {
			texts = append(texts, text)
		}
	case map[string]any:
		s.flow = e.value.Style&yaml.FlowStyle != 0
		if oldMap, ok := old.(map[string]any); ok {
			if text, ok := e.mergeMapping(b, oldMap, v, s); ok {
				texts = append(texts, text)
			}
		}
	}
	last, comments := b.lines[e.last-1], b.commentsIn(e.first, e.last)
	if e.last > e.first+1 && s.comment == "" && e.value.LineComment != "" && strings.HasSuffix(strings.TrimRight(last, " \t\r\n"), e.value.LineComment) {
		s.comment = " " + e.value.LineComment
	}
	texts = append(texts, s.entry(head, value)+comments)
	s.scalar, s.item, s.quoted, s.flow = 0, 0, true, true
	return append(texts, s.entry(head, value)+comments)
}

var (
	colon        = pattern.Lazy(`:([ \t\r\n]|$)`)
	quotedKey    = pattern.Lazy(`^("([^"\\]|\\.)*"|'([^']|'')*')[ \t]*:`)
	commentAfter = pattern.Lazy(`^[ \t]+#.*`)
)

// splitLine splits the first line of a property: head is the text up to its colon, and
// comment is the comment after the value, with the blanks before it.
func (e entry) splitLine(line string) (head, comment string, ok bool) {
	indent := len(line) - len(strings.TrimLeft(line, " "))
	rest := line[indent:]
	if indent != e.key.Column-1 {
		return "", "", false
	}
	if loc := quotedKey().FindStringIndex(rest); loc != nil {
		head = line[:indent+loc[1]]
	} else if loc := colon().FindStringIndex(rest); loc != nil && rest[0] != '?' {
		head = line[:indent+loc[0]+1]
	} else {
		return "", "", false
	}
	after := strings.TrimRight(line[len(head):], " \t\r\n")
	if commentAfter().MatchString(after) {
		return head, after, true
	}
	for _, c := range []string{e.value.LineComment, e.key.LineComment} {
		if before, ok := strings.CutSuffix(after, c); c != "" && ok && strings.TrimRight(before, " \t") != before {
			return head, after[len(strings.TrimRight(before, " \t")):], true
		}
	}
	return head, "", true
}

// maxCompared bounds the pairs of items that mergeList compares.
const maxCompared = 1 << 20

// mergeList returns the text of a new list, with the lines of the items that stay and all
// comment lines. ok is false if that is not possible, as when an item does not start a line.
func (e entry) mergeList(b block, list []any, s style) (text string, ok bool) {
	if e.value.Kind != yaml.SequenceNode || s.flow || len(list) == 0 || len(list)*len(e.value.Content) > maxCompared {
		return "", false
	}
	items, ok := e.children(b)
	if !ok {
		return "", false
	}
	values, ok := itemValues(strings.Join(b.lines[e.first:e.last], ""), len(items))
	if !ok {
		return "", false
	}
	s.dash = e.value.Column - 1
	indexes, next := longestCommon(values, list), 0
	newItems := func(end int) (text string) {
		for ; next < end; next++ {
			text += s.listItem(list[next])
		}
		return text
	}
	return b.splice(e.first, e.last, items, func(i int) (text string) {
		if indexes[i] < 0 {
			text = b.commentsIn(items[i].first, items[i].last)
		} else {
			text = newItems(indexes[i]) + b.text(items[i].first, items[i].last)
			next = indexes[i] + 1
		}
		if i == len(items)-1 {
			text += newItems(len(list))
		}
		return text
	}), true
}

// children returns the items of a list, or the properties of a mapping. ok is false if one
// of them does not start a line.
func (e entry) children(b block) (all []entry, ok bool) {
	content := e.value.Content
	for i := 0; i < len(content); i++ {
		child := entry{value: content[i], first: content[i].Line - 1}
		if child.first <= e.first || child.first >= e.last {
			return nil, false
		}
		if e.value.Kind == yaml.MappingNode {
			i++
			child.name, child.key, child.value = note.KeyName(child.value), child.value, content[i]
		} else if !strings.HasPrefix(b.lines[child.first], spaces(e.value.Column-1)+"-") {
			return nil, false
		}
		all = append(all, child)
	}
	_, ok = b.setLast(all, e.last)
	return all, ok
}

// mergeMapping returns the text of a new mapping, with the lines of the properties that
// stay, in their order, and all comment lines. ok is false if that is not possible, as when
// a property does not start a line.
func (e entry) mergeMapping(b block, old, value map[string]any, s style) (text string, ok bool) {
	if e.value.Kind != yaml.MappingNode || s.flow || len(value) == 0 {
		return "", false
	}
	inner, ok := e.children(b)
	if !ok {
		return "", false
	}
	text = b.splice(e.first, e.last, inner, func(i int) string {
		p := inner[i]
		oldValue, known := old[p.name]
		newValue, stays := value[p.name]
		switch {
		case !known: // a merge, or a key that is not text
			ok = false
		case !stays:
			return b.commentsIn(p.first, p.last)
		case same(oldValue, newValue):
			return b.text(p.first, p.last)
		default:
			if texts := p.rewrite(b, oldValue, newValue, s.end); len(texts) > 0 {
				return texts[0]
			}
			ok = false
		}
		return ""
	})
	added := style{indent: e.value.Column - 1, end: s.end}
	for _, name := range slices.Sorted(maps.Keys(value)) {
		if _, known := old[name]; !known {
			text += added.entry(spaces(added.indent)+added.key(name)+":", value[name])
		}
	}
	return text, ok
}

// itemValues returns the items of the only property in a text. ok is false unless there are
// n.
func itemValues(text string, n int) (list []any, ok bool) {
	properties, err := read(strings.TrimSuffix(text, "\n") + "\n")
	if err != nil {
		return nil, false
	}
	for _, value := range properties {
		if list, ok := value.([]any); ok && len(list) == n {
			return list, true
		}
	}
	return nil, false
}

// longestCommon finds a longest common subsequence of two lists. It returns for each item of
// a its index in b, or -1 if it is not in the subsequence.
func longestCommon(a, b []any) []int {
	textsA, textsB := lists.Map(a, db.JSON), lists.Map(b, db.JSON)
	length := make([][]int, len(a)+1)
	for i := range length {
		length[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if length[i][j] = max(length[i+1][j], length[i][j+1]); textsA[i] == textsB[j] {
				length[i][j] = length[i+1][j+1] + 1
			}
		}
	}
	indexes := make([]int, len(a))
	for i, j := 0, 0; i < len(a); i++ {
		indexes[i] = -1
		for k := j; k < len(b); k++ {
			if textsA[i] == textsB[k] && length[i][j] == length[i+1][k+1]+1 {
				indexes[i], j = k, k+1
				break
			}
		}
	}
	return indexes
}
