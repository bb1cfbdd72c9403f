package exchange

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"hence/edges"
	"hence/vault/note"
)

const (
	longestName = 120 // bytes
	idTail      = 8
)

// name names a memory's note after its title, followed by the end of its id if the name
// is taken. Names differ even if case is ignored, as some file systems do.
func (f *folder) name(id, title string) {
	name := fileName(title)
	for tail := idTail; f.taken[strings.ToLower(name)]; tail++ {
		name = fileName(title) + " " + fileName(id[max(0, len(id)-tail):])
		if tail > len(id) {
			name += strings.Repeat("_", tail-len(id))
		}
	}
	f.taken[strings.ToLower(name)] = true
	f.names[id], f.links[id] = name, name
}

// device matches names that Windows reserves.
var device = regexp.MustCompile(`(?i)^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?$`)

// fileName returns a title as a name that every file system and Obsidian's links
// accept.
func fileName(title string) string {
	clean := strings.Map(func(r rune) rune {
		if strings.ContainsRune(`[]#^|\/:*?"<>%`, r) || !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(title, " "))
	clean = strings.Join(strings.Fields(clean), " ")
	for len(clean) > longestName {
		_, size := utf8.DecodeLastRuneInString(clean)
		clean = clean[:len(clean)-size]
	}
	clean = strings.Trim(clean, ". ")
	clean = strings.TrimSuffix(strings.TrimSuffix(clean, ".md"), ".MD")
	switch {
	case clean == "":
		return "untitled"
	case device.MatchString(clean):
		return "_" + clean
	}
	return clean
}

// reserved are properties that have a meaning in notes.
var reserved = []string{
	"tags", "tag", "aliases", "alias", "cssclasses", "status", "kind", "created", "date", "updated", "modified", "hence-id", sourceName, sourceURLName, note.OwnProperties,
}

// canBeProperty reports whether a word can be the name of a property.
func canBeProperty(word string) bool {
	return strings.TrimSpace(word) == word && !strings.ContainsAny(word, ".:[]{}#&*!|>'\"%@`,\n\r\t") &&
		!slices.Contains(reserved, edges.Fold(word)) && strings.IndexFunc(word, func(r rune) bool { return !unicode.IsPrint(r) }) < 0
}

// properties are a note's frontmatter, in order.
type properties struct {
	node yaml.Node
	at   map[string]bool // folded names
	err  error
}

// set adds a property, unless there is one of that name.
func (p *properties) set(name string, value any) {
	if p.at[edges.Fold(name)] {
		return
	}
	p.at[edges.Fold(name)] = true
	var key, node yaml.Node
	key.SetString(name)
	if err := node.Encode(value); err != nil && p.err == nil {
		p.err = err
	}
	p.node.Kind = yaml.MappingNode
	p.node.Content = append(p.node.Content, &key, &node)
}

func (p *properties) setSome(name string, list []string) {
	if len(list) > 0 {
		p.set(name, list)
	}
}

// unusedWord returns a word for an edge that is not the name of a property of the
// memory: the author's, or another of the same meaning.
func (p *properties) unusedWord(d noteEdge) string {
	same, inverse := d.kind.Words()
	if d.backward && len(inverse) > 0 {
		same = inverse
	}
	for _, word := range append([]string{d.word}, same...) {
		if !p.at[edges.Fold(word)] {
			return word
		}
	}
	return d.word + " (edge)"
}
