package notes

import (
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
	"golang.org/x/text/unicode/norm"

	"hence/edges"
	"hence/internal/pattern"
	"hence/internal/prose"
	"hence/vault/note"
)

const (
	maxNameBytes = 120 // bytes
	idTailBytes  = 8
)

// assignName assigns a memory's note a file name made of the title, followed by the end of the
// id if another note has that name. Names differ even when case is ignored, because some
// file systems ignore it.
func (f *folder) assignName(id, title string) {
	name := fileName(title)
	for tail := idTailBytes; f.usedNames[strings.ToLower(name)]; tail++ {
		name = fileName(title) + " " + fileName(id[max(0, len(id)-tail):])
		if tail > len(id) {
			name += strings.Repeat("_", tail-len(id))
		}
	}
	f.usedNames[strings.ToLower(name)] = true
	f.names[id], f.links[id] = name, name
}

// windowsDevice matches the file names that Windows reserves for devices.
var windowsDevice = pattern.Lazy(`(?i)^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?$`)

// fileName returns a title as a file name, without .md, that every file system and
// Obsidian's links accept: at most maxNameBytes bytes, and never empty.
func fileName(title string) string {
	clean := strings.Map(func(r rune) rune {
		if strings.ContainsRune(`[]#^|\/:*?"<>%`, r) || !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(title, " "))
	clean = prose.OneLine(clean)
	for len(clean) > maxNameBytes {
		_, size := utf8.DecodeLastRuneInString(clean)
		clean = clean[:len(clean)-size]
	}
	clean = strings.Trim(clean, ". ")
	clean = strings.TrimSuffix(strings.TrimSuffix(clean, ".md"), ".MD")
	switch {
	case clean == "":
		return "untitled"
	case windowsDevice().MatchString(clean):
		return "_" + clean
	}
	return clean
}

// reserved lists the folded names of properties that have a meaning in notes.
var reserved = slices.Concat([]string{
	"tags", "tag", "aliases", "alias", "cssclasses", "status", "kind", "hence-id", sourceName, sourceURLName, note.OwnProperties,
}, note.CreatedWords, note.UpdatedWords)

// canBeProperty reports whether an edge's word can be the name of a frontmatter property.
func canBeProperty(word string) bool {
	return strings.TrimSpace(word) == word && !strings.ContainsAny(word, ".:[]{}#&*!|>'\"%@`,\n\r\t") &&
		!slices.Contains(reserved, edges.Fold(word)) && strings.IndexFunc(word, func(r rune) bool { return !unicode.IsPrint(r) }) < 0
}

// properties is a note's frontmatter, in order.
type properties struct {
	node    yaml.Node
	present map[string]bool // the folded names of the properties in node
	err     error           // the first error of encoding a value
}

// set adds a property, unless it exists already.
func (p *properties) set(name string, value any) {
	if p.present[edges.Fold(name)] {
		return
	}
	p.present[edges.Fold(name)] = true
	var key, node yaml.Node
	key.SetString(name)
	if err := node.Encode(value); err != nil && p.err == nil {
		p.err = err
	}
	p.node.Kind = yaml.MappingNode
	p.node.Content = append(p.node.Content, &key, &node)
}

// setNonEmpty adds a property, unless its list is empty.
func (p *properties) setNonEmpty(name string, list []string) {
	if len(list) > 0 {
		p.set(name, list)
	}
}

// unusedWord returns a word for an edge that is not yet the name of a property: the
// author's word, or another one for the same kind and direction.
func (p *properties) unusedWord(edge noteEdge) string {
	words, inverse := edge.kind.Words()
	if edge.backward && len(inverse) > 0 {
		words = inverse
	}
	for _, word := range append([]string{edge.word}, words...) {
		if !p.present[edges.Fold(word)] {
			return word
		}
	}
	return edge.word + " (edge)"
}

// names is a set of titles and aliases of memories, folded as vaults compare names.
type names map[string]bool

func foldName(name string) string { return strings.ToLower(norm.NFC.String(strings.TrimSpace(name))) }

// contain reports whether the value, or any text nested in it, is one of the names.
func (n names) contain(value any) bool {
	switch v := value.(type) {
	case string:
		return n[foldName(v)]
	case []any:
		return slices.ContainsFunc(v, n.contain)
	case map[string]any:
		return slices.ContainsFunc(slices.Collect(maps.Values(v)), n.contain)
	}
	return false
}

// isPlain reports whether a property of a memory can be a property of a note, because an
// import would not turn it into an edge, tag, alias, status or time. A value that is the
// name of a memory is not plain, because an import may read a bare name as a link.
func (f *folder) isPlain(name string, value any) bool {
	if _, _, isEdge := edges.LookupInText(name); isEdge || slices.Contains(reserved, edges.Fold(name)) || f.allNames.contain(value) {
		return false
	}
	text, err := yaml.Marshal(map[string]any{name: value})
	if err != nil {
		return false // frontmatter reports the same error
	}
	parsed := note.Parse([]byte("---\n" + string(text) + "---\n"))
	return len(parsed.Links)+len(parsed.Tags)+len(parsed.Aliases) == 0
}
